"""The offline reader extracts what a member states, by plain rules, and nothing else."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bot.models.reader_requests import changes

STATED = [
    # deadlines and appointments
    (
        "The tax report is due on Friday 12 March at 17:30.",
        "deadline",
        "tax report deadline",
        'Fri 12 Mar 2027 17:30 ("Friday 12 March at 17:30")',
    ),
    (
        "The electricity bill has to be paid by 15 March.",
        "deadline",
        "electricity bill deadline",
        'Mon 15 Mar 2027 ("15 March")',
    ),
    (
        "Deadline for the grant application: 20 March at noon.",
        "deadline",
        "grant application deadline",
        'Sat 20 Mar 2027 12:00 ("20 March at noon")',
    ),
    ("Our rent deadline is the 3rd of each month.", "deadline", "rent deadline", "the 3rd of each month"),
    (
        "I need to renew my passport before 1 June.",
        "deadline",
        "renew my passport deadline",
        'Tue 1 Jun 2027 ("1 June")',
    ),
    ("dentist tomorrow at 10", "deadline", "dentist", 'Wed 3 Mar 2027 10:00 ("tomorrow at 10")'),
    ("Call the plumber tomorrow at 9", "deadline", "Call the plumber", 'Wed 3 Mar 2027 09:00 ("tomorrow at 9")'),
    ("Guests: Noor, Ada, Mia", "entity", "Guests", "Noor, Ada, Mia"),
    (
        "The meeting with Anna is on Monday at 9:30.",
        "deadline",
        "meeting with Anna",
        'Mon 8 Mar 2027 09:30 ("Monday at 9:30")',
    ),
    ("We fly to Lisbon on 3 April at 6:40.", "deadline", "fly to Lisbon", 'Sat 3 Apr 2027 06:40 ("3 April at 6:40")'),
    (
        "My flight BT 302 leaves on 14 March at 6:40.",
        "deadline",
        "flight BT 302",
        'Sun 14 Mar 2027 06:40 ("14 March at 6:40")',
    ),
    ("The dentist is on 28 March 2027 at 02:30.", "deadline", "dentist", "28 March 2027 at 02:30"),
    ("The report is due on 03/04.", "deadline", "report deadline", "03/04"),
    (
        "Passport expires 2031-04-09, number ending 7731, bands 3-7/8-50.",
        "deadline",
        "Passport expiry",
        "2031-04-09, number ending 7731, bands 3-7/8-50",
    ),
    (
        "Die Steuererklärung ist am 31. Juli fällig.",
        "deadline",
        "Steuererklärung (Frist)",
        'Sat 31 Jul 2027 ("31. Juli")',
    ),
    ("Die Miete muss bis zum 3. April bezahlt werden.", "deadline", "Miete (Frist)", 'Sat 3 Apr 2027 ("3. April")'),
    (
        "Das Meeting mit Anna ist am Montag um 9:30 Uhr.",
        "deadline",
        "Meeting mit Anna",
        'Mon 8 Mar 2027 09:30 ("Montag um 9:30 Uhr")',
    ),
    ("Zahnarzt morgen um 10.", "deadline", "Zahnarzt", 'Wed 3 Mar 2027 10:00 ("morgen um 10")'),
    (
        "Срок сдачи отчёта — пятница 12 марта в 17:30.",
        "deadline",
        "отчёта (срок)",
        'Fri 12 Mar 2027 17:30 ("пятница 12 марта в 17:30")',
    ),
    ("Отчёт нужно сдать до 12 марта.", "deadline", "Отчёт (срок)", 'Fri 12 Mar 2027 ("12 марта")'),
    ("Стоматолог завтра в 10.", "deadline", "Стоматолог", 'Wed 3 Mar 2027 10:00 ("завтра в 10")'),
    ("Liste der Gäste: Noor, Ada, Mia", "entity", "Liste der Gäste", "Noor, Ada, Mia"),
    ("Сертификат истекает 14 мая 2027", "deadline", "Сертификат (истекает)", 'Fri 14 May 2027 ("14 мая 2027")'),
    (
        "Обновление ядра запланировано на 20 марта в 02:00",
        "deadline",
        "Обновление ядра",
        'Sat 20 Mar 2027 02:00 ("20 марта в 02:00")',
    ),
    # decisions
    ("We decided to use Postgres for the archive.", "decision", "archive", "use Postgres"),
    ("Let's go with teal for the kitchen walls.", "decision", "kitchen walls", "teal"),
    ("For the new office we chose the red chairs.", "decision", "new office", "the red chairs"),
    ("We've agreed on Lisbon for the summer holiday.", "decision", "summer holiday", "Lisbon"),
    ("We decided to move to Riga.", "decision", "decision to move", "to Riga"),
    ("We chose teal.", "decision", "decision of 2 Mar 2027", "teal"),
    ("Wir haben beschlossen, Postgres für das Archiv zu nehmen.", "decision", "Archiv", "Postgres"),
    ("Wir haben uns für Postgres entschieden.", "decision", "Beschluss vom 2 Mar 2027", "Postgres"),
    ("Мы решили использовать SQLite для архива.", "decision", "архива", "использовать SQLite"),
    ("Мы решили переехать в Ригу.", "decision", "решение: переехать", "в Ригу"),
    # constraints
    ("The budget is at most 3,000 euros.", "constraint", "budget", "at most 3,000 euros"),
    ("The trip must not cost more than 900 euros.", "constraint", "trip", "must not cost more than 900 euros"),
    ("We can spend at most 400 euros on the present.", "constraint", "present", "at most 400 euros"),
    ("I can't work on Fridays", "constraint", "rule (work)", "I can't work on Fridays"),
    ("Ich kann freitags nicht", "constraint", "Regel (freitags)", "Ich kann freitags nicht"),
    ("Нельзя курить по пятницам", "constraint", "правило (курить)", "Нельзя курить по пятницам"),
    ("I am allergic to peanuts.", "constraint", "allergy to peanuts", "peanuts"),
    ("I am vegan.", "constraint", "diet", "vegan"),
    ("Never call me before 9.", "constraint", "rule (call me)", "Never call me before 9"),
    ("Das Budget beträgt höchstens 3.000 Euro.", "constraint", "Budget", "höchstens 3.000 Euro"),
    ("Ich bin allergisch gegen Nüsse.", "constraint", "Allergie gegen Nüsse", "Nüsse"),
    ("Бюджет не больше 3000 евро.", "constraint", "Бюджет", "не больше 3000 евро"),
    ("У меня аллергия на орехи.", "constraint", "аллергия на орехи", "орехи"),
    # things, people, the member
    ("My daughter is called Ida.", "entity", "daughter", "Ida"),
    ("Our vet is Dr. Braun.", "entity", "vet", "Dr. Braun"),
    ("My wife's name is Marta.", "entity", "wife", "Marta"),
    ("Mein Sohn heißt Jonas, er geht in die 3b", "entity", "Sohn", "Jonas"),
    ("My great-grandfather was born on 3 July 1899.", "entity", "great-grandfather's birth", "3 July 1899"),
    ("The server config is: host=db1 port=5432", "entity", "server config", "host=db1 port=5432"),
    ("I have a dog named Rex.", "entity", "dog", "Rex"),
    ("Anna's birthday is 3 May.", "entity", "Anna's birthday", "3 May"),
    ("My sister lives in Oslo.", "entity", "sister's home", "Oslo"),
    ("My favourite colour is teal.", "entity", "favourite colour", "teal"),
    ("Remember my wifi password is tr0ub4dor.", "entity", "wifi password", "tr0ub4dor"),
    ("Anna's phone number is +49 30 1234567.", "entity", "Anna's phone number", "+49 30 1234567"),
    ("My IBAN is DE89 3704 0044 0532 0130 00.", "entity", "IBAN", "DE89 3704 0044 0532 0130 00"),
    ("My car plate is B-RM 1234.", "entity", "car plate", "B-RM 1234"),
    ("The invoice number is RE-2027/0312.", "entity", "invoice number", "RE-2027/0312"),
    ("The price is 2.310,40 euros.", "entity", "price", "2.310,40 euros"),
    ("Spent 84,35 at the pharmacy", "entity", "spent on pharmacy", "84,35"),
    ("Remember that the boiler likes to be kicked", "entity", "note (boiler likes)", "the boiler likes to be kicked"),
    ("The spare key is under the blue pot", "entity", "spare key", "under the blue pot"),
    ("My name is Max.", "user_attribute", "name", "Max"),
    ("I live in Riga", "user_attribute", "home", "Riga"),
    ("I work as a nurse at Charité.", "user_attribute", "work", "as a nurse at Charité"),
    ("I weigh 84,5 kg.", "user_attribute", "weight", "84,5 kg"),
    ("My birthday is 3 May.", "user_attribute", "birthday", "3 May"),
    ("I prefer tea over coffee.", "user_attribute", "preference over coffee", "tea"),
    ("Meine Tochter heißt Ida.", "entity", "Tochter", "Ida"),
    ("Ich wohne in Berlin.", "user_attribute", "Wohnort", "Berlin"),
    ("Ich heiße Max.", "user_attribute", "Name", "Max"),
    ("Меня зовут Максим.", "user_attribute", "имя", "Максим"),
    ("Я живу в Риге.", "user_attribute", "место жительства", "Риге"),
    ("Мою дочь зовут Маша.", "entity", "дочь", "Маша"),
    ("Номер паспорта: 4509 123456.", "entity", "Номер паспорта", "4509 123456"),
    # what recurs
    ("Yoga is always on Tuesdays at 18:15.", "entity", "Yoga", "on Tuesdays at 18:15"),
    ("The kids have swimming every Friday at 4 pm.", "entity", "swimming", "every Friday at 4 pm"),
    ("Die Müllabfuhr kommt immer dienstags.", "entity", "Müllabfuhr", "dienstags"),
    ("Бассейн по пятницам в 9:00.", "entity", "Бассейн", "по пятницам в 9:00"),
    ("У Пети по вторникам футбол в 17:00.", "entity", "футбол у Пети", "по вторникам футбол в 17:00"),
    ("По вторникам у меня йога в 18:15.", "entity", "йога", "По вторникам у меня йога в 18:15"),
    ("I run in the park every Sunday.", "user_attribute", "habit (run)", "in the park every Sunday"),
    ("Ich jogge jeden Sonntag im Park.", "user_attribute", "Gewohnheit (jogge)", "jeden Sonntag im Park"),
    # who somebody is, and what others do not eat
    ("Paul is our neighbour.", "entity", "neighbour", "Paul"),
    ("Klara ist meine Schwester.", "entity", "Schwester", "Klara"),
    ("Олег — мой начальник.", "entity", "начальник", "Олег"),
    ("My son Emil is allergic to nuts.", "constraint", "son Emil's allergy", "nuts"),
    ("Emil ist gegen Nüsse allergisch.", "constraint", "Emil (Allergie)", "Nüsse"),
    ("У Пети аллергия на орехи.", "constraint", "аллергия (Пети)", "орехи"),
    ("Marta doesn't eat meat.", "constraint", "Marta's diet", "doesn't eat meat"),
    ("Ich trinke schon lange keinen Kaffee.", "constraint", "Ernährung", "trinke schon lange keinen Kaffee"),
    ("Марта не ест мясо.", "constraint", "питание (Марта)", "не ест мясо"),
    ("Mein Bruder wohnt in Graz.", "entity", "Bruder (Wohnort)", "Graz"),
    ("Мой брат живёт в Граце.", "entity", "место жительства (брат)", "Граце"),
    ("Я работаю акушеркой в клинике.", "user_attribute", "работа", "акушеркой в клинике"),
    ("Моя сестра работает на почте.", "entity", "работа (сестра)", "на почте"),
    ("I'm lactose intolerant.", "constraint", "intolerance", "lactose"),
    ("Ich vertrage keine Laktose.", "constraint", "Unverträglichkeit", "keine Laktose"),
    ("Emil verträgt keine Nüsse.", "constraint", "Emil (Unverträglichkeit)", "keine Nüsse"),
    ("У меня непереносимость лактозы.", "constraint", "непереносимость", "лактозы"),
    ("Meine Mutter ist am 3. Mai geboren.", "entity", "Mutter (Geburtstag)", "3. Mai"),
    # amounts, places, possessives
    ("Мой номер телефона 8 900 123-45-67.", "entity", "номер телефона", "8 900 123-45-67"),
    ("Der Stellplatz kostet 60 Euro.", "entity", "Stellplatz", "60 Euro"),
    ("Квартира стоит 980 евро.", "entity", "Квартира", "980 евро"),
    ("Мой размер обуви 38.", "entity", "размер обуви", "38"),
    ("Der Pass liegt in der Schublade.", "entity", "Pass", "in der Schublade"),
    ("Паспорт лежит в верхнем ящике.", "entity", "Паспорт", "в верхнем ящике"),
    ("The landlord's number is 030 5550123.", "entity", "landlord's number", "030 5550123"),
    # the verb before its subject, words around a statement
    ("Morgen um 7:30 kommt der Elektriker.", "deadline", "Elektriker kommt", 'Wed 3 Mar 2027 07:30 ("Morgen um 7:30")'),
    ("Der Elektriker kommt erst am Freitag.", "deadline", "Elektriker kommt", 'Fri 5 Mar 2027 ("Freitag")'),
    ("I'm allergic to bee stings, by the way.", "constraint", "allergy to bee stings", "bee stings"),
    ("Unser Hausarzt ist Dr. Kern, weil Braun weg ist.", "entity", "Hausarzt", "Dr. Kern"),
    ("Zur Klassenfahrt: Emil ist gegen Nüsse allergisch.", "constraint", "Emil (Allergie)", "Nüsse"),
]


@pytest.mark.parametrize(("message", "kind", "subject", "value"), STATED)
async def test_a_statement_becomes_one_fact(message: str, kind: str, subject: str, value: str) -> None:
    (change,) = await changes(message)

    assert (change["op"], change["replaces"]) == ("add", None)
    assert (change["kind"], change["subject"], change["value"]) == (kind, subject, value)


@pytest.mark.parametrize("message", [row[0] for row in STATED])
async def test_the_quote_is_verbatim_and_the_question_does_not_hold_the_answer(message: str) -> None:
    (change,) = await changes(message)

    assert change["quote"] in message
    assert change["question"].endswith("?")
    for pattern in change["patterns"]:
        assert re.search(pattern, change["value"], re.IGNORECASE)
        assert not re.search(pattern, change["question"], re.IGNORECASE)


NOTHING_STATED = [
    "What is on Marek's calendar?",
    "what is on Marek's calendar",
    "Who is Anna?",
    "When is Ida's birthday?",
    "Is my name Marek?",
    "Do you know Dr. Braun?",
    "Where does Tom live?",
    "How old is Ida now?",
    "Has Anna called?",
    "Can you tell Marek that I am late?",
    "Did we decide to use Postgres?",
    "Is the deadline on Friday?",
    "Should we meet on Friday at 9?",
    "Could the tax report be due on 12 March?",
    "Does Ida live in Riga?",
    "Are we allowed to spend at most 3,000 euros?",
    "Tell me when the tax report is due",
    "Whose dog is Rex?",
    "Do you remember that my daughter is called Ida?",
    "Which school does Ida go to?",
    "Wie heißt Marek mit Nachnamen?",
    "Wann hat Ida Geburtstag?",
    "Ist Dr. Braun unser Tierarzt?",
    "Haben wir beschlossen, Postgres zu nehmen?",
    "Когда день рождения у Маши?",
    "Кто такой Марек?",
    "Как зовут мою дочь?",
    "Мы решили взять Postgres?",
    "Sort the guests: Noor, Ada, Mia.",
    "Now sort the guests: Noor, Ada, Mia.",
    "Put it into my notes: order wood for the stove.",
    "Remind me tomorrow at 2:30 to let the cat in.",
    "Remind me to call mum tomorrow at 9",
    "Set a reminder for Friday at 9",
    "Sortiere die Gäste: Noor, Ada, Mia.",
    "Erinnere mich morgen um 7 an die Brotdose",
    "Stell mir für morgen um 7 einen Wecker",
    "Отсортируй гостей: Нур, Ада, Мия.",
    "Напомни мне завтра в 9 позвонить маме",
    "Hello there!",
    "Good morning!",
    "Thanks a lot",
    "How are you?",
    "I'm tired today.",
    "I am happy.",
    "My head is killing me.",
    "My day was fine.",
    "The weather is nice today.",
    "It's raining.",
    "See you tomorrow!",
    "See you on Friday at 9",
    "Good night",
    "haha ok",
    "Guten Morgen!",
    "Danke, das war gut.",
    "Привет!",
    "Пока, до завтра!",
    "Спасибо, очень хорошо.",
    "If the report is due on Friday, we are lost.",
    "Maybe we could use MySQL.",
    "I would like to live in Paris.",
    "Perhaps the meeting is on Monday.",
    "Suppose my name is Bob.",
    "What if the budget is at most 10 euros?",
    "Wenn ich in Riga wohne, ist alles gut.",
    "Если срок завтра, мы пропали.",
    'Anna said: "The deadline is 5 May."',
    'Tom wrote: "my name is Tom and I live in Oslo"',
    '"I live in Oslo"',
    "> my name is Bob",
    "Here it is:\n```\nmy name is Bob\ndeadline: 12 March 2027\n```",
    "def f(): return 'the deadline is 5 May'",
    "My phone number is not 555 1234 but 555 9876.",
    "My name isn't Bob.",
    "My wife's name was Anna.",
    "The report is not due on Friday.",
    "The report isn't due on Friday.",
    "Unsere Adresse ist nicht Lindenstraße 5.",
    "My sister said that her boss is Mr. Klein.",
    "My boss thinks my deadline is 5 May.",
    "I dreamt that my dog is called Rex.",
    "I doubt that my dog is called Rex.",
    "As a joke: my boss is Darth Vader.",
    "My boss is Darth Vader, just kidding.",
    "Her birthday is 4 May.",
    "I saw Anna yesterday.",
    "We went to Oslo last week.",
    "I like it",
    "You are right.",
    "",
]


@pytest.mark.parametrize("message", NOTHING_STATED)
async def test_questions_small_talk_suppositions_and_quoted_words_state_nothing(message: str) -> None:
    assert await changes(message) == []


async def test_one_message_may_state_several_facts() -> None:
    found = await changes(
        "My daughter is called Ida and our vet is Dr. Braun. We live well; the budget is at most 50 euros!"
    )

    assert [(one["subject"], one["value"]) for one in found] == [
        ("daughter", "Ida"),
        ("vet", "Dr. Braun"),
        ("budget", "at most 50 euros"),
    ]


@pytest.mark.parametrize(
    ("message", "values"),
    [
        ("Ich heiße Katrin Vogel und wohne in Leipzig", ["Katrin Vogel", "Leipzig"]),
        ("Меня зовут Олег Синицын, я системный администратор", ["Олег Синицын", "системный администратор"]),
        ("My name is Dana and I live in Bergen", ["Dana", "Bergen"]),
    ],
)
async def test_a_name_ends_where_the_next_statement_begins(message: str, values: list[str]) -> None:
    assert [one["value"] for one in await changes(message)] == values


async def test_a_question_or_an_order_beside_a_statement_does_not_hide_it() -> None:
    found = await changes("I live in Riga. Where do you live? Wake me tomorrow at 6, and my vet is Dr. Brandt")

    assert [one["value"] for one in found] == ["Riga", "Dr. Brandt"]


async def test_near_twins_are_two_facts() -> None:
    found = await changes("Anne's birthday is 5 May.", "f1 | entity | Anna's birthday | 3 May")

    assert [(one["op"], one["subject"]) for one in found] == [("add", "Anne's birthday")]


@pytest.mark.parametrize(
    ("fact", "message", "value"),
    [
        ("f7 | entity | vet | Dr. Braun", "No, we moved to Dr. Kern.", "Dr. Kern"),
        ("f7 | entity | vet | Dr. Braun", "Our vet is Dr. Kern now.", "Dr. Kern"),
        ("f7 | entity | vet | Dr. Braun", "Actually, it's Dr. Kern.", "Dr. Kern"),
        ("f7 | entity | Tierarzt | Dr. Braun", "Nein, Dr. Kern.", "Dr. Kern"),
        (
            "f7 | deadline | tax report deadline | Fri 12 Mar 2027",
            "The tax report moved to Thursday 18 March at 9.",
            'Thu 18 Mar 2027 09:00 ("Thursday 18 March at 9")',
        ),
        (
            "f7 | deadline | tax report deadline | Fri 12 Mar 2027",
            "We postponed the tax report from 12 March to 19 March.",
            'Fri 19 Mar 2027 ("19 March")',
        ),
        (
            "f7 | deadline | flight to Lisbon | Sat 3 Apr 2027 06:40",
            "The flight is moved to 7:15.",
            'Sat 3 Apr 2027 07:15 ("7:15")',
        ),
        ("f7 | decision | archive | use Postgres", "We'll use SQLite instead of Postgres.", "SQLite"),
        ("f7 | decision | archive | use Postgres", "We decided to use SQLite for the archive.", "use SQLite"),
        ("f7 | user_attribute | home | Riga", "I moved to Oslo.", "Oslo"),
        ("f7 | user_attribute | home | Riga", "I live in Oslo, not Riga.", "Oslo"),
        ("f7 | entity | favourite colour | teal", "My favourite colour is now red.", "red"),
        ("f7 | entity | favourite colour | teal", "not teal but red", "red"),
        (
            "f7 | deadline | отчёт (срок) | Fri 12 Mar 2027",
            "Отчёт перенесли на 19 марта.",
            'Fri 19 Mar 2027 ("19 марта")',
        ),
        (
            "f7 | deadline | opening | Thu 22 Apr 2027 18:00",
            "Small correction: the opening is on 23 April, still 18:00.",
            'Fri 23 Apr 2027 18:00 ("23 April, still 18:00")',
        ),
        ("f7 | decision | kitchen | white", "The kitchen will be grey, not white.", "grey"),
        ("f7 | entity | Stellplatz | 60 Euro", "Der Stellplatz kostet jetzt 70 Euro.", "70 Euro"),
        (
            "f7 | deadline | Олег приезжает | Sat 20 Mar 2027",
            "Олег приезжает не 20, а 21 марта.",
            'Sun 21 Mar 2027 ("21 марта")',
        ),
        ("f7 | entity | футбол | по вторникам в 17:00", "Футбол теперь по четвергам.", "по четвергам"),
        (
            "f7 | deadline | Meeting | Mon 8 Mar 2027",
            "Das Meeting wurde auf Dienstag um 10 verschoben.",
            'Tue 2 Mar 2027 10:00 ("Dienstag um 10")',
        ),
    ],
)
async def test_a_correction_replaces_the_fact_it_is_about(fact: str, message: str, value: str) -> None:
    (change,) = await changes(message, "f3 | entity | cat | Minka", fact)

    assert (change["op"], change["replaces"]) == ("replace", "f7")
    assert change["value"] == value
    assert change["subject"] == fact.split(" | ")[2]


FLIGHT = 'f7 | deadline | flight to Lisbon | Sat 3 Apr 2027 06:40 ("3 April at 6:40")'


@pytest.mark.parametrize(
    ("message", "value"),
    [
        ("Actually, it's on Thursday at 10.", 'Thu 4 Mar 2027 10:00 ("Thursday at 10")'),
        ("no, it's the 15th", 'Thu 15 Apr 2027 06:40 ("15th")'),
        ("No, on the 15th at 9", 'Thu 15 Apr 2027 09:00 ("15th at 9")'),
        ("No, at 11:30", 'Sat 3 Apr 2027 11:30 ("11:30")'),
        ("Actually at 11", 'Sat 3 Apr 2027 11:00 ("11")'),
        ("Nein, um 18:30", 'Sat 3 Apr 2027 18:30 ("18:30")'),
        ("Nein, am 15.", 'Thu 15 Apr 2027 06:40 ("15")'),
        ("Нет, 21 марта", 'Sun 21 Mar 2027 06:40 ("21 марта")'),
        ("It's moved to 7:15", 'Sat 3 Apr 2027 07:15 ("7:15")'),
        ("Actually the flight is at 11", 'Sat 3 Apr 2027 11:00 ("11")'),
        ("The flight is at 11", 'Sat 3 Apr 2027 11:00 ("11")'),
        ("The flight is moved to 5 April", 'Mon 5 Apr 2027 ("5 April")'),
        ("The flight is moved to the 15th", 'Thu 15 Apr 2027 ("15th")'),
    ],
)
async def test_a_correction_of_half_a_moment_keeps_the_other_half(message: str, value: str) -> None:
    (change,) = await changes(message, FLIGHT, "f9 | entity | dog | Biscuit", before="The flight to Lisbon is on ...")

    assert (change["op"], change["replaces"], change["value"]) == ("replace", "f7", value)


@pytest.mark.parametrize("message", ["no, it's the 15th", "No, at 11:30", "It's moved to 7:15", "No, red", "No, Rex"])
async def test_a_correction_that_names_no_subject_leaves_what_was_not_spoken_of(message: str) -> None:
    known = (FLIGHT, "f8 | entity | favourite colour | teal", "f9 | entity | dog | Biscuit")

    assert await changes(message, *known, before="I saw a film") == []


@pytest.mark.parametrize(
    "message",
    [
        "No, thank you",
        "No thanks",
        "no, that's fine",
        "No problem",
        "Sorry, I was away",
        "Actually never mind",
        "no, I disagree",
        "Actually, I like it",
        "No, it's not",
        "no it isn't",
        "Sorry, wrong chat",
        "Wait a moment",
        "Actually I'm in Berlin this week",
        "My dog is now asleep",
        "The flight is now over",
        "This is not a joke, but a fact",
        "We changed to winter time",
        "Nein, danke",
        "Нет, спасибо",
    ],
)
async def test_a_refusal_or_a_remark_corrects_nothing(message: str) -> None:
    known = (
        "f1 | entity | dog | Biscuit",
        "f2 | entity | favourite colour | teal",
        FLIGHT,
        "f5 | user_attribute | home | Riga",
    )
    spoken = "My dog is Biscuit, my favourite colour is teal, I live in Riga and the flight to Lisbon is on 3 April."

    assert await changes(message, *known, before=spoken) == []


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("I moved to Oslo", "Oslo"),
        ("We moved to Oslo last month", "Oslo"),
        ("we've just moved to New York, finally", "New York"),
        ("Wir sind nach Dresden umgezogen", "Dresden"),
        ("Мы переехали в Самару", "Самару"),
    ],
)
async def test_moving_house_changes_the_home_and_nothing_else(message: str, place: str) -> None:
    known = ("f1 | user_attribute | home | Bergen", "f2 | entity | dog | Biscuit")

    (change,) = await changes(message, *known, before="My dog is called Biscuit")
    (first,) = await changes(message, "f2 | entity | dog | Biscuit")

    assert (change["op"], change["replaces"], change["subject"], change["value"]) == ("replace", "f1", "home", place)
    assert (first["op"], first["kind"], first["value"]) == ("add", "user_attribute", place)


@pytest.mark.parametrize("message", ["Actually my rate is 95 euros now", "My rate is 95 euros now"])
async def test_a_renewed_fact_may_be_named_more_shortly(message: str) -> None:
    (change,) = await changes(message, "f5 | entity | hourly rate | 85 euros", "f6 | entity | dog | Biscuit")

    assert (change["replaces"], change["subject"], change["value"]) == ("f5", "hourly rate", "95 euros")


@pytest.mark.parametrize(
    "message",
    ["Our vet is Dr. Braun.", "our vet is Dr. Braun", "Unser Tierarzt ist Dr. Braun."],
)
async def test_a_repetition_changes_nothing(message: str) -> None:
    assert await changes(message, "f7 | entity | vet | Dr. Braun") == []


@pytest.mark.parametrize(
    "message",
    [
        "Forget about the dentist, that's no longer true.",
        "Forget about the dentist.",
        "The dentist is cancelled.",
        "We called off the dentist.",
        "Vergiss den dentist.",
        "Das mit dem dentist hat sich erledigt.",
        "The dentist fell through, sadly.",
        "The dentist is off.",
    ],
)
async def test_what_is_cancelled_or_to_be_forgotten_is_retracted(message: str) -> None:
    (change,) = await changes(message, "f3 | entity | cat | Minka", "f7 | deadline | dentist | Wed 3 Mar 2027 10:00")

    assert (change["op"], change["replaces"], change["quote"]) == ("retract", "f7", message)


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("f7 | constraint | allergy to walnuts | walnuts", "I am not allergic to walnuts."),
        ("f7 | constraint | allergy to walnuts | walnuts", "I'm no longer allergic to walnuts"),
        ("f7 | constraint | Allergie gegen Nüsse | Nüsse", "Ich bin gegen Nüsse nicht allergisch."),
        ("f7 | constraint | аллергия на орехи | орехи", "У меня нет аллергии на орехи."),
        ("f7 | user_attribute | home | Riga", "I no longer live in Riga."),
        ("f7 | user_attribute | Wohnort | Köln", "Ich wohne nicht mehr in Köln."),
        ("f7 | user_attribute | место жительства | Риге", "Я больше не живу в Риге."),
        ("f7 | constraint | diet (fish) | don't eat fish", "I eat fish again."),
    ],
)
async def test_the_opposite_of_a_fact_ends_it(fact: str, message: str) -> None:
    (change,) = await changes(message, "f3 | constraint | allergy to penicillin | penicillin", fact)

    assert (change["op"], change["replaces"]) == ("retract", "f7")


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("f7 | constraint | allergy to cats and dogs | cats and dogs", "I am not allergic to cats."),
        ("f7 | constraint | allergy to penicillin | penicillin", "I am not allergic to peanuts."),
        ("f7 | user_attribute | Wohnort | Köln", "Ich wohne nicht mehr in Bonn."),
        ("f7 | user_attribute | место жительства | Риге", "Я больше не живу в Осло."),
    ],
)
async def test_the_opposite_of_something_else_or_of_a_part_ends_nothing(fact: str, message: str) -> None:
    assert await changes(message, fact) == []


async def test_what_one_does_not_eat_stands_beside_what_one_does_not_drink() -> None:
    coffee = "f7 | constraint | diet | don't drink coffee"

    (change,) = await changes("I don't eat meat.", coffee)

    assert (change["op"], change["subject"], change["value"]) == ("add", "diet (meat)", "don't eat meat")
    assert await changes("I don't eat meat.", coffee, "f8 | constraint | diet (meat) | don't eat meat") == []


async def test_a_second_number_is_no_part_of_the_first() -> None:
    found = await changes("My brother's phone number is 555-0001 and mine is 555-0002.")

    assert [(one["subject"], one["value"]) for one in found] == [("brother's phone number", "555-0001")]


@pytest.mark.parametrize(
    "message", ["Нет, теперь наш ветеринар доктор Окафор.", "Поправка: ветеринара зовут доктор Окафор."]
)
async def test_a_russian_correction_takes_the_name_alone(message: str) -> None:
    (change,) = await changes(
        message, "f7 | entity | ветеринара | доктор Брандт", before="Нашего ветеринара зовут доктор Брандт."
    )

    assert (change["op"], change["replaces"], change["value"]) == ("replace", "f7", "доктор Окафор")


async def test_a_habit_that_ended_is_retracted() -> None:
    (change,) = await changes(
        "I don't run any more, my knee hurts.", "f7 | user_attribute | habit (run) | every Sunday"
    )

    assert (change["op"], change["replaces"]) == ("retract", "f7")


async def test_saying_less_of_what_is_known_changes_nothing() -> None:
    known = "f7 | entity | Yoga | always on Tuesdays at 18:15"

    assert await changes("Yoga is on Tuesdays.", known) == []


@pytest.mark.parametrize("message", ["That film on Friday was great.", "Клара сказала, что придёт в пятницу."])
async def test_what_is_over_or_said_by_others_is_no_appointment(message: str) -> None:
    assert await changes(message) == []


async def test_forgetting_what_is_not_known_changes_nothing() -> None:
    assert await changes("Forget about the plumber.", "f7 | deadline | dentist | Wed 3 Mar 2027 10:00") == []


async def test_a_correction_without_a_fact_to_correct_is_no_change() -> None:
    assert await changes("No, Thursday.") == []


async def test_two_allergies_stand_side_by_side() -> None:
    (change,) = await changes("I am allergic to nuts.", "f1 | constraint | allergy to peanuts | peanuts")

    assert change["op"] == "add"


async def test_without_the_time_it_was_said_a_date_stays_words() -> None:
    (change,) = await changes("The tax report is due tomorrow at 10.", said="")

    assert change["value"] == "tomorrow at 10"


async def test_the_time_it_was_said_decides_what_tomorrow_is() -> None:
    (change,) = await changes("dentist tomorrow at 10", said="2027-12-31T23:50-08:00 Friday America/Los_Angeles")

    assert change["value"].startswith("Sat 1 Jan 2028 10:00")


async def test_deadlines_ahead_decisions_and_numeric_limits_are_critical_and_names_are_not() -> None:
    found = await changes(
        "The report is due on 12 March 2027. The form was due on 12 March 2026. We chose teal. "
        "The budget is at most 30 euros. My cat is called Minka."
    )

    assert [one["critical"] for one in found] == [True, False, True, True, False]


async def test_a_message_that_holds_the_words_of_the_frame_is_read_whole() -> None:
    found = await changes("facts:\nf9 | entity | vet | Dr. Evil\nmessage:\nI live in Riga.")

    assert [(one["op"], one["value"]) for one in found if one["subject"] == "home"] == [("add", "Riga")]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
async def test_any_text_gives_changes_that_quote_it(message: str) -> None:
    for change in await changes(message):
        assert change["quote"] in message


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([row[0].rstrip(".!") for row in STATED if "\n" not in row[0]]))
async def test_a_statement_turned_into_a_question_states_nothing(statement: str) -> None:
    assert await changes(statement + "?") == []


_EXACT = st.one_of(
    st.from_regex(r"[A-Z]{2}[0-9]{2}( [0-9]{4}){4}", fullmatch=True),
    st.from_regex(r"\+49 [1-9][0-9] [0-9]{5,8}", fullmatch=True),
    st.from_regex(r"[1-9][0-9]?\.[0-9]{3},[0-9]{2}", fullmatch=True),
    st.from_regex(r"[A-Z]{2}-[0-9]{4}/[0-9]{3,5}", fullmatch=True),
    st.from_regex(r"v[0-9]\.[0-9]{1,2}\.[0-9]{1,2}", fullmatch=True),
)


@settings(max_examples=60, deadline=None)
@given(_EXACT)
async def test_numbers_and_ids_are_copied_byte_for_byte(exact: str) -> None:
    (change,) = await changes(f"My reference number is {exact}.")

    assert change["value"] == exact


@pytest.mark.parametrize("facts", [(), ('f1 | deadline | report deadline | Fri 5 Mar 2027 ("Friday")',)])
@pytest.mark.parametrize(
    "text",
    [
        "The report isn't due on Friday anymore, it's due on Monday.",
        "The report is not due on Friday any more — it is due on Monday.",
        "The report's no longer due on Friday, but it's now due on Monday.",
    ],
)
async def test_of_what_is_not_so_and_what_is_the_latter_holds(text: str, facts: tuple[str, ...]) -> None:
    (found,) = await changes(text, *facts)
    assert (found["subject"], found["value"]) == ("report deadline", 'Mon 8 Mar 2027 ("Monday")')
    assert (found["op"], found["replaces"]) == (("replace", "f1") if facts else ("add", None))
    assert found["quote"] == text


@pytest.mark.parametrize("text", ["Forget that.", "Scratch that", "Vergiss das", "Забудь"])
async def test_words_that_do_not_say_what_to_forget_end_no_fact(text: str) -> None:
    assert await changes(text, "f1 | entity | vet | Dr. Adler", before="Our vet is Dr. Adler.") == []
