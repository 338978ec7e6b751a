"""Words that tell a secret from a talk about one, in the five languages that are read here."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def beginnings(text: str) -> tuple[str, ...]:
    """Return words as what other words may begin with."""
    return tuple(text.split())


FUNCTION_WORDS = _words(
    "a an the to of in on at by for from with and or not no is are was be been it its that this these those as if"
    " so too very only also just my your our his her their what which who where when how why same one than then will"
    " can must set remember note save merke запомни recuerda should may has have had do does did about der die das"
    " den dem des ein eine einem einen einer und oder nicht kein keine ist sind war im am an auf aus bei mit von zu"
    " zum zur für als wie was wer wo wann nur auch noch schon sehr mein dein sein ihr unser wird muss kann soll и"
    " или не на в во с со от до для из к у о по это тот та то те же как что кто где когда только уже ещё еще очень"
    " мой наш твой ваш его её их нет будет надо el la los las un una unos unas y o no es son en de del a al con por"
    " para que como muy solo ya mi tu su nuestro le les l un une des du et ou ne pas est sont dans de à au aux avec"
    " pour par que qui très mon ton son notre votre"
)
"""Words that stand in a sentence, never in a list of code words."""

DETERMINERS = _words(
    "the my our your his her their this that a an new old der die das den dem des mein meine meinen meinem unser"
    " unsere dein deine euer neue neues alte altes мой моя мое моё мои наш наша наше наши новый старый el la los las"
    " mi mis nuestro nuestra tu su le les mon ma mes notre nos un une ton"
)

PREDICATES = _words(
    "wrong incorrect correct right same different new weak strong simple complex short important secret private"
    " public safe secure insecure unsafe empty blank invalid valid unknown forgotten broken stolen hidden written"
    " known gone lost unchanged mandatory optional necessary temporary permanent random unique obvious easy"
    " difficult usual default alphanumeric numeric case-sensitive sensitive here there below above inside outside"
    " upstairs downstairs online offline elsewhere somewhere everywhere today tomorrow yesterday always never again"
    " later soon monday tuesday wednesday thursday friday saturday sunday january february march april june july"
    " august september october november december mine yours ours theirs nothing something anything none which where"
    " whose please ready fine great terrible crazy funny stupid silly awful ridiculous dead chosen taken given shown"
    " proof only enough plain text encryption access question answer maybe probably still ours minimum maximum"
    " falsch anders richtig korrekt gleich dasselbe identisch neu alt schwach stark einfach komplex kurz lang wichtig"
    " geheim sicher unsicher leer ungültig gültig unbekannt bekannt weg verloren kaputt notwendig nötig zufällig"
    " optional hier dort unten oben drinnen draußen heute morgen gestern immer nie niemals wieder später bald montag"
    " dienstag mittwoch donnerstag freitag samstag sonntag unser meins deins nichts etwas welches bitte fällig"
    " schwierig schwer leicht хороший плохой прежний другой тот неверно верно правильно новое секрет тайна здесь там"
    " внизу наверху сегодня завтра вчера всегда никогда опять позже скоро неизвестно нужно важно просто сложно"
    " утерян готов верен неверен incorrecta incorrecto correcta correcto misma mismo nueva nuevo vieja viejo débil"
    " fuerte simple compleja corta larga importante secreta secreto segura seguro insegura inválida válida"
    " desconocida distinta diferente aquí allí abajo arriba hoy mañana ayer siempre nunca lunes martes miércoles"
    " jueves viernes sábado domingo fácil difícil obligatoria obligatorio caducada faux fausse correct juste même"
    " nouveau nouvelle vieux faible fort simple complexe court courte long longue secret important privé sûr vide"
    " valide invalide inconnu différent dessous dessus demain hier toujours jamais encore plus lundi mardi mercredi"
    " jeudi vendredi samedi dimanche facile difficile obligatoire nécessaire perdu expire"
)
"""What is said of a password, in one word."""

UNITS = beginnings(
    "char digit letter day week month year hour min sec zeichen stellig ziffer tag woche monat jahr stunde символ"
    " знак цифр день дн недел месяц год caract cifra chiffre día mes año jour mois fa bit th st nd rd"
)
"""Beginnings of what a number may count: "16-character", "90-day"."""

ACCOUNT_WORDS = beginnings(
    "my mein мой моя mi mon bank card debit credit account atm sim phone giro ec konto karte handy puk geheimzahl"
    " банк карт счет счёт телефон сим tarjeta cuenta banco móvil carte compte banque téléphone моей meine meiner"
)
"""Beginnings of words that make a PIN one of money or a phone; a person's own PIN, with nothing else said, is one."""

DOOR_WORDS = beginnings(
    "locker door gate garage alarm gym house flat office entrance lock safe tür haustür tor schließfach spind"
    " schloss eingang büro двер домофон подъезд шкафчик ворот гараж сигнал офис puerta taquilla portal garaje porte"
    " casier portail bureau bike fahrrad вело"
)
"""Beginnings of words for what a PIN or a code opens by hand."""
