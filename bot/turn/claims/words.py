"""The words by which an answer claims a deed, or promises one: by act and language, as regular expressions.

Only wording lives here; `claims` decides which part of an answer is held against it. Matched without regard to case,
in one clause at a time. `_A` stands for the few adverbs that may come between.
"""

from typing import Literal

Act = Literal[
    "saved", "taught", "changed", "forgotten", "reminded", "scheduled", "sent", "searched", "looked_up", "later"
]

_A = (
    r"(?:(?:just|now|also|already|successfully|safely|both|all|gladly|certainly|definitely|always|surely|make sure to"
    r"|be sure to) )*"
)
_HAVE = rf"\bi(?:['’]ve| have|['’]m done and have)? {_A}"
_WILL = rf"\bi(?:['’]ll| will| shall|['’]m going to| am going to) {_A}"
_BEEN = rf"\b(?:(?:has|have) {_A}been|(?:is|are|['’]s) {_A}now|(?:was|were) successfully) {_A}"
_BARE = r"^(?:(?:ok(?:ay)?|done|all|great|sure|yes|it['’]s)[ :–—-]*)?"
_END = r"(?=$| ?[:✓✔✅👍–—-]| (?:it|that|this|your|as|in|to|for|from|under)\b)"
_MINE = r"(?:memory|memories|facts?|ledger|notes?|records?|list|calendar|reminders?|profile)"

_J_AI = r"\b(?:j|je (?:l|t|te l|vous l))['’]ai"

_WAY_EN = r"(?:procedures?|routines?|workflows?|checklists?|playbooks?)"
_WAY_DE = r"(?:prozeduren?|verfahren|vorgehen|ablauf|abläufe|routinen?|checklisten?|arbeitsablauf)"
_WAY_RU = r"(?:процедур\w*|порядок|инструкци\w*|алгоритм\w*|чек-?лист\w*)"

_KEEP_EN = (
    r"(?:saved|stored|remembered|recorded|memori[sz]ed|logged|noted (?:it |that |this )?down"
    r"|written (?:it |that |this )?down|kept (?:it|that|this) in (?:mind|memory)|committed (?:it|that"
    r"|this) to memory|made a (?:mental )?note)"
)
_CHANGE_EN = r"(?:updated|changed|corrected|replaced|amended|adjusted|rescheduled|moved|modified|revised)"
_ERASE_EN = r"(?:forgotten|deleted|erased|removed|wiped|cleared|purged)"
_SEND_EN = r"(?:sent|e-?mailed|messaged|booked|ordered|paid|called|phoned|notified|forwarded|submitted)"

_ONLINE_EN = r"\b(?:the web|the internet|online|websites?|web|internet)\b"
_ONLINE_DE = r"(?:im (?:internet|netz|web)|online)"

SAYS: dict[Act, tuple[str, ...]] = {
    "saved": (
        _HAVE + _KEEP_EN + r"\b",
        _HAVE + rf"(?:added|put|entered) .{{0,60}}\b(?:to|in|into|on) (?:my|your|the) .{{0,20}}{_MINE}\b",
        _BEEN + r"(?:saved|stored|remembered|recorded|memori[sz]ed|noted down|added to (?:my|your|the) \w*)\b",
        _BARE + r"(?:saved|stored|remembered|recorded|memori[sz]ed|added to (?:my|your) \w+)" + _END,
        (
            _WILL + r"(?:remember|save|store|record|memori[sz]e|note (?:it |that |this )?down|keep (?:it|that"
            r"|this) in mind|make a note|write (?:it|that|this) down)\b"
        ),
        r"\bi(?:['’]m| am) (?:now )?(?:saving|storing|recording|noting) (?:it|that|this|your)\b",
        # German
        r"\bich (?:habe?|hab['’]) (?:.{0,60} )?(?:gespeichert|gemerkt|abgespeichert|vermerkt|festgehalten|abgelegt)\b",
        r"\b(?:wurden?|ist (?:jetzt|nun)|sind (?:jetzt|nun)) .{0,40}(?:gespeichert|vermerkt|festgehalten)\b",
        r"\bhabe? ich (?:.{0,60} )?(?:gespeichert|gemerkt|abgespeichert|vermerkt|festgehalten)\b",
        r"^(?:ok(?:ay)?|erledigt|alles|ist)?[ :–—-]*(?:gespeichert|gemerkt|abgespeichert|vermerkt)(?=$| ?[:✓✅👍–—-])",
        (
            r"\b(?:ich (?:merke?|speichere|notiere) (?:mir |es|das|dies|deine?n?)|(?:das )?(?:merke?"
            r"|notiere) ich mir|ich werde .{0,40}(?:merken|speichern|notieren|im kopf behalten)"
            r"|ich behalte .{0,30}im (?:kopf|hinterkopf))\b"
        ),
        # Russian, Ukrainian
        (
            r"\b(?:я )?(?:запомнила?|сохранила?|записала?|занесла?|зап[аі]м['’]ятала?|запам['’]ятав|зберегла?"
            r"|зберіг)\b(?! ли\b)"
        ),
        r"\b(?:сохранен[оаы]?|сохранён|записано|записана|записаны|збережено|записаний)\b",
        r"\b(?:я )?(?:запомню|сохраню|запишу|буду помнить|запам['’]ятаю|збережу)\b",
        # Spanish, Portuguese
        r"\b(?:lo |la |los |las |te )?he (?:guardado|anotado|registrado|memorizado|apuntado|recordado)\b",
        r"\b(?:ha|han) (?:sido guardad|quedado guardad|quedado anotad|quedado registrad)\w+",
        r"^(?:ok|listo|hecho|queda|ya está)?[ :,–—-]*(?:guardad|anotad|registrad|memorizad)[oa]s?(?=$| ?[:✓✅–—-])",
        (
            r"\b(?:lo|la|los|las) (?:recordaré|guardaré|anotaré|tendré en cuenta)\b|\bvoy a (?:guardar"
            r"|recordar|anotar)\w*"
        ),
        r"\b(?:eu )?(?:salvei|guardei|anotei|registrei|memorizei)\b|\bfoi (?:salvo|guardado|registrado) com sucesso\b",
        r"^(?:ok|pronto|feito)?[ :,–—-]*(?:salvo|guardado|anotado|registrado)(?=$| ?[:✓✅–—-])",
        r"\bvou (?:lembrar|guardar|salvar|anotar|me lembrar)\b",
        # French, Italian
        rf"{_J_AI} (?:bien )?(?:enregistré|noté|mémorisé|sauvegardé|retenu|conservé)\w*",
        r"\b(?:a|ont) (?:bien )?été (?:enregistré|mémorisé|sauvegardé)\w*",
        r"^(?:ok|c['’]est|voilà|bien)?[ :,–—-]*(?:enregistré|mémorisé|sauvegardé)e?s?(?=$| ?[:!✓✅–—-])",
        r"\bje (?:m['’]en souviendrai|le retiens|le note|retiendrai|vais (?:le |la )?(?:retenir|noter|enregistrer))\b",
        r"\b(?:l['’])?ho (?:salvato|memorizzato|annotato|registrato)\w*|\bè stat[oa] (?:salvat|memorizzat)[oa]\b",
        r"^(?:ok|fatto)?[ :,–—-]*(?:salvat|memorizzat|annotat)[oa](?=$| ?[:✓✅–—-])",
        r"\b(?:lo|la) (?:ricorderò|terrò a mente|annoterò)\b|\b(?:me )?lo ricorderò\b",
        # Dutch, Polish
        (
            r"\bik heb .{0,60}\b(?:opgeslagen|onthouden|genoteerd)\b|^(?:opgeslagen|onthouden)$"
            r"|\bik zal .{0,40}onthouden\b"
        ),
        r"\b(?:zapisał[ae]m|zapamiętał[ae]m|zapisano|zapamiętam)\b",
        # Chinese, Japanese
        r"已(?:经)?(?:为您|帮你)?(?:保存|记住|记录|记下)|我(?:会|已经)?记住了?",
        r"(?:保存|記録|メモ)しました|覚えておきます|覚えました",
    ),
    "taught": (
        _HAVE + rf"(?:{_KEEP_EN}|added|created|learn(?:ed|t)|kept|set up|registered|activated) .{{0,60}}\b{_WAY_EN}\b",
        rf"\b{_WAY_EN}\b.{{0,40}}{_BEEN}(?:saved|stored|added|created|kept|learn(?:ed|t)|activated?|set up)\b",
        rf"^(?:new |the |your )?{_WAY_EN} {_A}(?:saved|stored|added|created|learn(?:ed|t))" + _END,
        rf"\bich (?:habe?|hab['’]) .{{0,80}}\b{_WAY_DE}\b.{{0,40}}(?:gespeichert|gemerkt|angelegt|gelernt)\b",
        rf"\b{_WAY_DE} (?:wurde|ist (?:jetzt|nun)) .{{0,40}}(?:gespeichert|angelegt|aktiv|aufgenommen)\b",
        rf"\b(?:сохранил|запомнил|записал|добавил|создал|выучил)а? .{{0,60}}{_WAY_RU}",
        rf"\b{_WAY_RU} .{{0,30}}(?:сохранен|сохранён|добавлен|создан|записан)\w*",
        r"\bhe (?:guardado|creado|añadido|aprendido) .{0,60}\b(?:procedimiento|rutina|lista)\b",
        r"\bj['’]ai (?:enregistré|créé|ajouté|appris|mémorisé) .{0,60}\b(?:procédure|routine)\b",
        r"\bho (?:salvato|creato|aggiunto|imparato) .{0,60}\b(?:procedura|routine)\b",
    ),
    "changed": (
        _HAVE + _CHANGE_EN + r"\b",
        _BEEN + _CHANGE_EN + r"\b",
        _BARE + _CHANGE_EN + r"(?=$| ?[:✓✔✅👍–—-])",
        r"\bich (?:habe?|hab['’]) (?:.{0,80} )?(?:geändert|aktualisiert|korrigiert|angepasst|verschoben|ersetzt)\b",
        r"\bhabe? ich (?:.{0,80} )?(?:geändert|aktualisiert|korrigiert|angepasst|verschoben|ersetzt)\b",
        r"\bwurden? (?:.{0,40} )?(?:erfolgreich )?(?:geändert|aktualisiert|korrigiert)\b",
        r"^(?:ok(?:ay)?|erledigt)?[ :–—-]*(?:geändert|aktualisiert|korrigiert|verschoben)(?=$| ?[:✓✅–—-])",
        (
            r"\b(?:я )?(?:изменила?|обновила?|исправила?|заменила?|перен[её]сла?|перен[её]с|змінила?|змінив"
            r"|оновила?|оновив)\b(?! ли\b)"
        ),
        r"\b(?:изменено|обновлено|исправлено|заменено|перенесено|оновлено|змінено)\b",
        r"\b(?:lo |la |los |las |te )?he (?:cambiado|actualizado|corregido|modificado|reemplazado|movido)\b",
        r"^(?:ok|listo|hecho)?[ :,–—-]*(?:actualizad|cambiad|corregid)[oa]s?(?=$| ?[:✓✅–—-])",
        r"\b(?:eu )?(?:atualizei|alterei|mudei|corrigi)\b|^(?:pronto)?[ :,–—-]*(?:atualizado|alterado)$",
        (
            rf"{_J_AI} (?:bien )?(?:modifié|changé|corrigé|mis à jour|remplacé|déplacé)\w*"
            r"|^(?:c['’]est )?(?:modifié|mis à jour)$"
        ),
        r"\b(?:l['’])?ho (?:aggiornato|modificato|cambiato|corretto|spostato)\w*|^(?:fatto)?[ :,–—-]*aggiornat[oa]$",
        r"\bik heb .{0,60}\b(?:gewijzigd|aangepast|bijgewerkt|veranderd)\b",
        r"\b(?:zmienił[ae]m|zaktualizował[ae]m|poprawił[ae]m)\b",
        r"已(?:经)?(?:更新|修改|更改)|(?:更新|変更|修正)しました",
    ),
    "forgotten": (
        _HAVE + _ERASE_EN + r"\b",
        rf"\bi (?:have )?{_A}forgot (?:it|that|this|all|everything) (?:as|like) you\b",
        _BEEN + _ERASE_EN + r"\b",
        _BARE + _ERASE_EN + _END,
        _WILL + r"(?:forget|delete|erase|remove) (?:it|that|this|all|everything|your)\b",
        r"\b(?:it|that|this) is (?:now )?gone from (?:my|your) \w+",
        r"\bich (?:habe?|hab['’]) (?:.{0,80} )?(?:gelöscht|vergessen|entfernt)\b",
        r"\bhabe? ich (?:.{0,80} )?(?:gelöscht|entfernt)\b|\bwurden? (?:.{0,40} )?(?:gelöscht|entfernt)\b",
        r"^(?:ok(?:ay)?|erledigt)?[ :–—-]*(?:gelöscht|vergessen|entfernt)(?=$| ?[:✓✅–—-])",
        (
            r"\b(?:я )?(?:забыла?|удалила?|ст[её]рла?|ст[её]р|видалила?|видалив)\b(?! ли\b)|\b(?:удалено"
            r"|удалена|стёрто|видалено)\b"
        ),
        (
            r"\b(?:lo |la |los |las )?he (?:borrado|olvidado|eliminado)\b|^(?:listo|hecho)?[ :,–—-]*(?:borrad"
            r"|eliminad)[oa]s?$"
        ),
        r"\b(?:eu )?(?:apaguei|excluí|removi|esqueci)\b|^(?:pronto)?[ :,–—-]*(?:apagado|excluído|removido)$",
        (
            rf"{_J_AI} (?:bien )?(?:oublié|supprimé|effacé)\w*|\ba (?:bien )?été (?:supprimé|effacé)e?\b"
            r"|^(?:supprimé|effacé)e?$"
        ),
        (
            r"\b(?:l['’])?ho (?:cancellato|dimenticato|eliminato|rimosso)\w*|^(?:fatto)?[ :,–—-]*(?:cancellat"
            r"|eliminat)[oa]$"
        ),
        r"\bik heb .{0,60}\b(?:verwijderd|gewist|vergeten)\b|\b(?:usunął[ae]?m|usunęłam|zapomniał[ae]m)\b",
        r"已(?:经)?(?:删除|忘记)|(?:削除|消去)しました",
    ),
    "reminded": (
        _WILL + r"(?:remind|alert|wake|ping|nudge) (?:you|u)\b",
        _HAVE + r"(?:set|created|added|scheduled|made)(?: up)? .{0,30}\b(?:reminders?|alarms?|timers?|alerts?)\b",
        (
            r"\b(?:reminders?|alarms?|timers?) (?:(?:has|have|is|are|was) )?(?:now |been "
            r"|successfully )*(?:set|created|scheduled|added)\b"
        ),
        (
            r"\bich (?:werde (?:dich|sie|euch) .{0,60}\berinnern|erinnere (?:dich|sie|euch)(?! (?:nur "
            r"|hiermit )?daran$))\b"
        ),
        r"\b(?:erinnerung|wecker|timer) (?:.{0,40} )?(?:gesetzt|eingerichtet|erstellt|gestellt|angelegt)\b",
        r"\b(?:я )?(?:напомню|нагадаю|разбужу)\b|\bбуду напоминать\b",
        (
            r"\b(?:напоминание|нагадування|будильник)(?: .{0,30})? (?:создан|установлен|поставлен|добавлен"
            r"|створен|встановлен)\w*"
        ),
        r"\b(?:создала?|установила?|поставила?|добавила?|поставил) (?:.{0,20} )?(?:напоминание|будильник)\b",
        (
            r"\b(?:te|le|os|les) (?:recordaré|avisaré a las)\b|\bhe (?:creado|puesto|programado"
            r"|configurado) .{0,20}(?:recordatorio|alarma)\b|\brecordatorio (?:creado|programado"
            r"|configurado)\b"
        ),
        (
            r"\bvou (?:te|lhe) lembrar\b|\b(?:criei|configurei|agendei) .{0,20}lembrete\b"
            r"|\blembrete (?:criado|definido)\b"
        ),
        (
            r"\bje (?:te|vous) (?:le )?rappellerai\b|\bj['’]ai (?:créé|mis|programmé|ajouté) .{0,20}(?:rappel"
            r"|alarme)\b|\brappel (?:créé|programmé|enregistré)\b"
        ),
        (
            r"\b(?:ti|vi|le) ricorderò (?:di|che|il|la|alle|domani)\b|\bho (?:impostato"
            r"|creato) .{0,20}(?:promemoria|sveglia)\b|\bpromemoria (?:impostato|creato)\b"
        ),
        r"\bik (?:zal|herinner) (?:je|u)\b.{0,40}(?:herinneren|morgen|om \d)|\bherinnering (?:ingesteld|gemaakt)\b",
        r"\b(?:przypomnę|ustawił[ae]m przypomnienie)\b",
        r"(?:会|將|将)(?:在.{0,12})?提醒(?:你|您)|已(?:经)?设置.{0,6}提醒|リマインド(?:します|しました)|リマインダーを(?:設定|作成)しました",
    ),
    "scheduled": (
        _HAVE + r"scheduled\b",
        _BEEN + r"scheduled\b",
        r"^(?:ok(?:ay)?|done)?[ :,–—-]*scheduled(?=$| ?[:✓✔✅–—-]| for\b)",
    ),
    "sent": (
        _HAVE + _SEND_EN + r"\b",
        _BEEN + r"(?:sent|e-?mailed|booked|ordered|paid|submitted)\b",
        r"^(?:ok(?:ay)?|done)?[ :–—-]*(?:sent|booked|ordered|e-?mailed)(?=$| ?[:✓✔✅–—-])",
        (
            r"\b(?:ich (?:habe?|hab['’])|habe? ich) (?:.{0,80} )?(?:gesendet|geschickt|verschickt|gebucht"
            r"|bestellt|überwiesen|reserviert)\b"
        ),
        (
            r"\b(?:я )?(?:отправила?|послала?|забронировала?|заказала?|оплатила?|надіслав"
            r"|надіслала)\b(?! ли\b)|\b(?:отправлено|забронировано)\b"
        ),
        (
            r"\b(?:lo |la |te )?he (?:enviado|reservado|pedido|pagado|mandado)\b|\b(?:eu )?(?:enviei|reservei"
            r"|encomendei|paguei)\b"
        ),
        (
            rf"{_J_AI} (?:bien )?(?:envoyé|réservé|commandé|payé)\w*|\b(?:l['’])?ho (?:inviato|prenotato"
            r"|ordinato|pagato|spedito)\w*"
        ),
        (
            r"\bik heb .{0,60}\b(?:verstuurd|verzonden|geboekt|besteld)\b|\b(?:wysłał[ae]m|zarezerwował[ae]m"
            r"|zamówił[ae]m)\b"
        ),
        r"已(?:经)?(?:发送|预订|订购)|(?:送信|予約|注文)しました",
    ),
    "searched": (
        _HAVE + rf"(?:searched|looked|checked|browsed|found|read|googled) (?:.{{0,60}} )?{_ONLINE_EN}",
        _HAVE + r"(?:googled|searched|browsed)\b(?! (?:my|your|through)\b)",
        rf"\b(?:my|a|the) (?:quick )?{_ONLINE_EN} search (?:shows?|showed|found|finds|says|suggests|turned up)\b",
        rf"\b(?:ich habe?|habe? ich) (?:.{{0,60}} )?{_ONLINE_DE} (?:.{{0,60}} )?(?:gesucht|gefunden|nachge\w+)\b",
        r"\b(?:ich habe?|habe? ich) (?:.{0,60} )?gegoogelt\b",
        r"\b(?:погуглила?|(?:поискала?|нашла?|нашёл|посмотрела?|проверила?) (?:.{0,40} )?в (?:интернете|сети))\b",
        r"\b(?:he buscado|busqué|encontré|he encontrado) (?:.{0,40} )?(?:en (?:internet|línea|la web)|online)\b",
        rf"{_J_AI} (?:cherché|vérifié|trouvé|regardé) (?:.{{0,40}} )?(?:sur (?:internet|le web)|en ligne)\b",
        r"\bho (?:cercato|trovato|controllato) (?:.{0,40} )?(?:su internet|sul web|online|in rete)\b",
        r"\b(?:pesquisei|procurei|encontrei) (?:.{0,40} )?(?:na (?:internet|web)|online)\b",
        r"我.{0,6}(?:在网上|上网).{0,4}(?:搜索|查|找)|(?:ネット|ウェブ)で(?:検索|調べ)",
    ),
    "looked_up": (
        _HAVE + r"(?:looked (?:.{0,40} )?up|looked into|researched|done some research|did some research)\b",
        r"\b(?:ich habe?|habe? ich) (?:.{0,60} )?(?:nachgeschlagen|recherchiert)\b",
    ),
    "later": (
        (
            _WILL + r"(?:get back to you|check back|check in (?:with you|again|tomorrow|later)|follow up"
            r"|keep you (?:posted|updated|informed)|keep (?:an eye|watch|track)|let you know (?:when|as soon"
            r"|once|if|by|tomorrow|later)|notify you|inform you (?:when|as soon|once)|monitor|watch (?:it"
            r"|that|this|for)|message you|write (?:to )?you (?:again|tomorrow|later|when)|(?:send|e-?mail"
            r"|call|contact|book|order|schedule|pay) (?:you|it|that|this|them|him|her|the|your|a)\b)"
        ),
        (
            r"\bich (?:melde mich|sage? (?:dir|ihnen|euch) bescheid|gebe (?:dir|ihnen|euch) bescheid"
            r"|behalte .{0,40}im auge|halte (?:dich|sie|euch) auf dem laufenden|informiere (?:dich|sie|euch)"
            r"|benachrichtige (?:dich|sie|euch))\b"
        ),
        (
            r"\bich werde .{0,60}(?:melden|bescheid (?:geben|sagen)|informieren|benachrichtigen|schicken"
            r"|senden|buchen|bestellen|im auge behalten)\b"
        ),
        (
            r"\b(?:я )?(?:сообщу (?:вам|тебе)|дам (?:вам|тебе) знать|дам знать|буду следить|вернусь (?:к вам"
            r"|к тебе|с)|повідомлю|отправлю|забронирую|закажу)\b"
        ),
        (
            r"\b(?:te|le|os) (?:avisaré|mantendré|informaré|enviaré)\b|\bvou (?:te |lhe )?(?:avisar|enviar"
            r"|reservar|acompanhar|informar)\b|\bte aviso\b"
        ),
        (
            r"\bje (?:te|vous) (?:tiendrai|préviendrai|recontacterai|informerai|enverrai|ferai savoir)\b"
            r"|\bje reviendrai vers\b"
        ),
        r"\b(?:ti|vi) (?:farò sapere|avviserò|terrò (?:informat|aggiornat)\w|invierò|ricontatterò)\b",
        (
            r"\bik (?:laat (?:je|u) .{0,20}weten|houd .{0,20}in de gaten|kom er .{0,20}op terug)\b"
            r"|\b(?:dam ci znać|powiadomię)\b"
        ),
        r"(?:稍后|之后).{0,6}(?:通知|告诉|联系)(?:你|您)|後ほど.{0,12}(?:お知らせ|連絡)します",
    ),
}

NEGATION = (
    r"\b(?:not|never|nothing|no|none|neither|without|cannot|unable|failed|hardly|barely|didn|haven"
    r"|hasn|wasn|won|can|couldn|nicht|nichts|nie|niemals|kein\w*|ohne|weder|noch nicht|не|ни|нет"
    r"|ничего|никогда|нельзя|нічого|ніколи|nada|nunca|ning\w+|sin|tampoco|não|nenhum\w*|sem|pas|rien"
    r"|jamais|aucun\w*|sans|ne|non|niente|nulla|(?<!\d )(?<!\d\. )mai|nessun\w*|niet|niets|nooit|geen"
    r"|nie|nic|nigdy)\b|n['’]t\b|\b(?:no|ne|n['’])\b|没有|没|未|不|ていません|ません"
)

POLITE = (
    r"\b(?:no (?:problem|worries|doubt|need to worry|matter)|not a problem|never mind|nothing else"
    r"|kein problem|keine sorge|нет проблем|не волнуй\w*|не переживай\w*|не беспокой\w*"
    r"|no (?:te preocupes|hay problema|se preocupe)|sin problema|sem problema|não se preocupe"
    r"|pas de (?:problème|souci)|ne t['’]inquiète pas|ne vous inquiétez pas|nessun problema"
    r"|geen probleem|nie ma problemu|on (?:no )?account)\b"
)

CONDITION = (
    r"\b(?:if|unless|whether|would|could|should|might|once you|as soon as you|when you|whenever|wenn"
    r"|falls|sobald|ob|könnte|würde|если|когда|как только|якщо|коли|si|cuando|quando|se (?:vuoi|mi"
    r"|preferisci|você|quiser\w*|preferir\w*)|wanneer|als (?:je|u)|jeśli|gdy)\b|如果|たら|れば"
)

TEXT_WORK = (
    r"\b(?:paragraphs?|sentences?|drafts?|texts?|wording|phras\w+|code|functions?|scripts?|versions?"
    r"|titles?|typos?|tone|poems?|stor(?:y|ies)|essays?|letters?|cvs?|résumés?|translations?|recipes?"
    r"|tables?|commas?|lines?|words?|spelling|grammar|formula\w*|snippets?|steps?|absatz|absätze|satz"
    r"|sätze|entwurf|brief|übersetzung|formulierung\w*|zeilen?|rechtschreib\w*|абзац\w*|текст\w*"
    r"|предложени\w+|перевод\w*|черновик\w*|код\w*|párrafo|texto|frase|borrador|traducción|paragraphe"
    r"|texte|phrase|brouillon|traduction|paragrafo|testo|bozza|traduzione)\b"
)

SALUTATION = (
    r"^(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|subject:|betreff:|тема:|lieber?"
    r"|sehr geehrte[rs]?|hallo|guten (?:tag|morgen)|уважаем\w+|дорог\w+|здравствуйте|добрый день"
    r"|estimad[oa]s?|querid[oa]s?|hola|bonjour|chère?|madame|monsieur|gentile|caro|cara|ciao"
    r"|prezad[oa]|olá|beste|geachte|szanown\w+)\b[^.?!\n]{0,60}$"
)
