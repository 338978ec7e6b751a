"""An answer may say that it did something only where rows bear it out; quoting, denying and offering are no claims."""

import pytest

from bot.turn.claims.correction import Deeds, claimed, correction
from bot.turn.claims.words import Act

SAVED = [
    "Saved!",
    "✅ Saved: locker code 4711",
    "Okay, saved.",
    "I've saved that for you.",
    "I have now stored your address.",
    "No problem, I've made a note of it!",
    "Great – I've added milk to your shopping list.",
    "Your birthday has been saved.",
    "Your trip is on 3 May, I've saved it.",
    "I'll remember that.",
    "Got it! I will keep that in mind.",
    "I’ve noted it down that you do not eat meat.",
    "**Saved.** What else?",
    "1. I've saved the date\n2. I've saved the place",
    "Gespeichert!",
    "Ich habe mir gemerkt, dass du kein Fleisch isst.",
    "Das merke ich mir.",
    "Kein Problem, das habe ich gespeichert.",
    "Alles klar, ich habe deinen Termin vermerkt.",
    "Dein Geburtstag wurde erfolgreich gespeichert.",
    "Сохранено.",
    "Я запомнил, что вы не едите мясо.",
    "Хорошо, запомню!",
    "Записала: врач в пятницу.",
    "Запам'ятав.",
    "Lo he guardado.",
    "¡Guardado!",
    "Se ha guardado tu fecha: ha sido guardada.",
    "Anotei o seu aniversário.",
    "C'est noté et j'ai enregistré la date.",
    "C'est noté, je l'ai enregistré.",
    "Je m'en souviendrai.",
    "Ho salvato la data.",
    "Salvato!",
    "Ik heb het voor je opgeslagen.",
    "Zapisałem to.",
    "已经为您保存了。",
    "覚えておきます。",
]
CHANGED = [
    "Updated!",
    "I've changed the deadline to Friday.",
    "The date has been updated.",
    "Done, moved.",
    "Ich habe die Frist auf Freitag geändert.",
    "Geändert.",
    "Я обновил адрес.",
    "Исправлено!",
    "He actualizado tu dirección.",
    "J'ai modifié la date.",
    "Ho aggiornato l'indirizzo.",
    "Atualizei o endereço.",
    "更新しました。",
]
FORGOTTEN = [
    "Deleted.",
    "Done – I deleted it and I've erased all copies.",
    "I've forgotten your old address.",
    "Your note has been removed.",
    "I'll forget that.",
    "Ich habe deine Adresse gelöscht.",
    "Gelöscht!",
    "Я удалил этот адрес.",
    "Удалено.",
    "Lo he borrado.",
    "J'ai supprimé cette note.",
    "D'accord, je l'ai bien effacé.",
    "Ho cancellato tutto.",
    "Apaguei tudo.",
    "已删除。",
]
REMINDED = [
    "I'll remind you tomorrow at 9.",
    "Sure, I will definitely remind you.",
    "I've set a reminder for Friday.",
    "Reminder set for 9:00.",
    "Your alarm is set.",
    "Ich erinnere dich morgen um neun.",
    "Ich werde dich am Freitag daran erinnern.",
    "Die Erinnerung ist eingerichtet.",
    "Напомню завтра в 9.",
    "Напоминание на пятницу установлено.",
    "Te recordaré la cita.",
    "Vou te lembrar amanhã.",
    "Je te rappellerai demain.",
    "Ho impostato un promemoria.",
    "Przypomnę ci jutro.",
    "我会提醒您。",
]
SENT = [
    "I've sent the email to Anna.",
    "The table has been booked.",
    "Ich habe die Mail verschickt.",
    "Я забронировал столик.",
    "He enviado el correo.",
    "J'ai réservé une table.",
    "Ho prenotato il tavolo.",
]
LATER = [
    "I'll get back to you tomorrow.",
    "I will keep an eye on the prices.",
    "I'll let you know as soon as it arrives.",
    "I'll email her for you: I'll send it tonight.",
    "Ich melde mich morgen.",
    "Ich gebe dir Bescheid.",
    "Я сообщу вам, когда придёт ответ.",
    "Буду следить за ценами.",
    "Te avisaré.",
    "Je vous tiendrai au courant.",
    "Ti farò sapere.",
]
CLAIMS: list[tuple[Act, str]] = [
    *(("saved", text) for text in SAVED),
    *(("changed", text) for text in CHANGED),
    *(("forgotten", text) for text in FORGOTTEN),
    *(("reminded", text) for text in REMINDED),
    *(("sent", text) for text in SENT),
    *(("later", text) for text in LATER),
]

NO_CLAIMS = [
    "Noted.",
    "Your locker code is 4711.",
    "I have not saved it.",
    "I couldn't save that.",
    "I haven't changed anything.",
    "Nothing was saved.",
    "No reminder was set.",
    "I can save that for you.",
    "I could remind you.",
    "Should I save it?",
    "Do you want me to remember it? I've saved nothing so far.",
    "Shall I remind you tomorrow?",
    "If you like, I'll save it.",
    "If you tell me the date, I'll remind you.",
    "Once you confirm, I'll remember it.",
    "You said: “I saved it.”",
    'She wrote "I\'ve sent the email" on Monday.',
    "> I've saved the file.\nThat is what Ben wrote.",
    "You told me that you saved 200 euros.",
    "You changed the deadline on 2 March.",
    "Anna has sent the email.",
    "The deadline was changed from Wednesday to Friday.",
    "I've changed the second paragraph.",
    "I've removed the typo in the draft.",
    "Here is the draft:\n\nDear Anna,\nI've sent you the files and I'll get back to you.\nBest, Ida",
    "```\nprint('Saved!')\n```",
    "Use `Saved!` as the label.",
    "I cannot forget things on my own: use /forget.",
    "I don't have a reminder tool, so I can't remind you.",
    "Only the program saves facts.",
    "To save it, send /remember and the text.",
    "✎ vet → Dr. Brandt · f1",
    "Remember to buy milk.",
    "I remember that you moved to Oslo.",
    "I forgot to ask: which Friday?",
    "Updated prices are on their page.",
    "Saved games lie in the folder Documents.",
    "Ich habe das nicht gespeichert.",
    "Das konnte ich leider nicht speichern.",
    "Soll ich das speichern?",
    "Wenn du willst, erinnere ich dich.",
    "Ich erinnere dich daran, dass die Frist am Freitag endet.",
    "Du hast geschrieben: „Ich habe es gespeichert.“",
    "Ich habe den zweiten Absatz geändert.",
    "Am Freitag, 3. Mai, ist der Zahnarzt.",
    "Я не сохранил это.",
    "Ничего не удалено.",
    "Сохранить это?",
    "Вы писали: «Я сохранил файл».",
    "Если хотите, напомню.",
    "No lo he guardado.",
    "¿Quieres que lo guarde?",
    "Si quieres, lo recordaré.",
    "Je n'ai rien enregistré.",
    "Voulez-vous que je le note ?",
    "Non ho salvato nulla.",
    "Não salvei nada.",
    "Ik heb niets opgeslagen.",
    "我没有保存。",
    "まだ保存していません。",
    "",
]


@pytest.mark.parametrize(("act", "text"), CLAIMS)
def test_a_claim_is_heard_in_every_language(act: Act, text: str) -> None:
    assert act in claimed(text)


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_what_claims_nothing_gets_no_line(text: str) -> None:
    assert claimed(text) == ()
    assert correction(text, Deeds()) is None


@pytest.mark.parametrize(("act", "text"), CLAIMS)
def test_what_the_rows_bear_out_needs_no_line(act: Act, text: str) -> None:
    assert correction(text, Deeds(frozenset(claimed(text)))) is None
    assert correction(text, Deeds()) is not None


def test_the_line_names_each_thing_that_did_not_happen_once() -> None:
    line = correction("Saved! I've saved it all. I'll remind you tomorrow.", Deeds())
    assert line is not None
    assert line.count("nothing was saved") == 1
    assert "no reminder was set" in line
    assert "\n" not in line


def test_while_the_message_is_still_to_be_read_the_line_says_only_so_far() -> None:
    line = correction("Saved!", Deeds(is_read=False))
    assert line is not None
    assert line.startswith("⚠ So far nothing was saved.")
    assert "/remember" in line


def test_one_true_claim_does_not_cover_another() -> None:
    line = correction("Saved! I'll remind you tomorrow.", Deeds(frozenset({"saved"})))
    assert line == "⚠ In this turn no reminder was set."


def test_an_answer_of_any_length_is_read_in_a_moment() -> None:
    assert claimed("I have " * 20_000) == ()
    assert claimed("ich habe das " * 5_000) == ()
    assert claimed('"' * 10_001 + "«" * 10_000) == ()
