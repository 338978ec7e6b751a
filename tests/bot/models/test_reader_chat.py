"""The offline reader answers from its prompt by quoting it, and says plainly what it does not hold."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models.reader import OfflineReader
from bot.models.reader.answers import OFFLINE
from bot.models.reader.offline import NAME
from memory.errors import ModelRefused
from memory.messages import CallPart, MediaPart, Message, ResultPart, TextPart, text_message
from memory.ports import ModelRequest, Task
from tests.bot.models.reader_requests import AT, NOW, RECALL, answer, block, chat_request, recalled_turn, text_of

TAX = "The tax report is due on Friday 12 March at 17:30."
TAX_FACT = '[deadline] tax report deadline: Fri 12 Mar 2027 17:30 ("Friday 12 March at 17:30")'
FACTS = [
    TAX_FACT,
    "[decision] archive: use Postgres",
    "[constraint] budget: at most 3,000 euros",
    "[constraint] allergy to peanuts: peanuts",
    "[entity] vet: Dr. Kern",
    "[entity] daughter: Ida",
    "[entity] Anna's birthday: 3 May",
    "[entity] Anne's birthday: 5 May",
    "[entity] office door code: 4711",
    "[user_attribute] home: Riga",
    "[user_attribute] favourite colour: teal",
    "[entity] Тариф: 300 рублей",
    '[deadline] Steuererklärung (Frist): Sat 31 Jul 2027 ("31. Juli")',
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the deadline of the tax report?", "Fri 12 Mar 2027 17:30"),
        ("When is the tax report due?", "Fri 12 Mar 2027 17:30"),
        ("when do I have to hand in the tax report", "Fri 12 Mar 2027 17:30"),
        ("What did we decide about the archive?", "use Postgres"),
        ("Which database did we choose for the archive?", "use Postgres"),
        ("What's the budget?", "at most 3,000 euros"),
        ("How much can we spend?", "at most 3,000 euros"),
        ("What am I allergic to?", "peanuts"),
        ("Who is our vet?", "Dr. Kern"),
        ("What's my daughter's name?", "Ida"),
        ("When is Anna's birthday?", "3 May"),
        ("When is Anne's birthday?", "5 May"),
        ("What is the code of the office door?", "4711"),
        ("Where do I live?", "Riga"),
        ("What's my favourite color?", "teal"),
        ("Wo wohne ich?", "Riga"),
        ("Wie heißt meine Tochter?", "Ida"),
        ("Wie hoch ist das Budget?", "3,000"),
        ("Wann ist die Steuererklärung fällig?", "Sat 31 Jul 2027"),
        ("Где я живу?", "Riga"),
        ("Какой у меня тариф?", "300 рублей"),
    ],
)
async def test_a_question_is_answered_by_the_fact_that_holds_it(question: str, expected: str) -> None:
    said = await answer(question, facts=FACTS)

    assert expected in said
    assert "don't have" not in said


@pytest.mark.parametrize(
    "question",
    [
        "When is the insurance report due?",
        "What is my favourite food?",
        "When is Marek's birthday?",
        "What is the vet's phone number?",
        "When is the vet appointment?",
        "What colour is my car?",
        "Who is our dentist?",
        "What did we decide about the kitchen?",
        "What is the meaning of life?",
        "How old is Ida?",
    ],
)
async def test_what_the_prompt_does_not_hold_is_admitted(question: str) -> None:
    assert (await answer(question, facts=FACTS)).startswith("I don't have that.")


async def test_the_fact_is_shown_with_the_members_own_sentence() -> None:
    said = await answer(TAX, "What is the deadline of the tax report?", facts=[TAX_FACT])

    assert said == f'Tax report deadline: Fri 12 Mar 2027 17:30 — you said: "{TAX}"'


async def test_before_a_fact_is_established_the_earlier_message_answers() -> None:
    assert await answer(TAX, "What is the deadline of the tax report?") == f'You said: "{TAX}"'


async def test_recalled_text_answers_when_no_fact_does() -> None:
    said = await answer(
        "Where is the spare key?", recalled=["[s4 · Sun 3 Jan 2027 · you] The spare key is under the blue pot."]
    )

    assert said == 'From earlier (Sun 3 Jan 2027): "The spare key is under the blue pot."'


async def test_recalled_text_of_someone_else_names_them() -> None:
    said = await answer(
        "When did Caroline go to the support group?",
        recalled=["[s4 · Sun 3 Jan 2027 · Caroline] Hi!\nI went to a support group yesterday."],
    )

    assert said == 'From earlier (Sun 3 Jan 2027, Caroline): "I went to a support group yesterday."'


@pytest.mark.parametrize("heading", ["s4 · Sun 3 Jan 2027 · assistant", "s4 · Sun 3 Jan 2027 · you · changed since"])
async def test_the_assistants_own_words_and_what_has_changed_since_are_no_evidence(heading: str) -> None:
    said = await answer("Who is our vet?", recalled=[f"[{heading}] Our vet is Dr. Braun."])

    assert said.startswith("I don't have that.")


async def test_an_echo_of_its_own_answers_is_no_evidence() -> None:
    answers = [await answer(TAX), await answer(TAX, "When is the tax report due?", facts=[TAX_FACT])]
    request = chat_request("When is the tax report due?", after=recalled_turn(*answers), tools=[RECALL])

    assert text_of(await OfflineReader().generate(request)).startswith("I don't have that.")


async def test_a_handoff_answers_by_what_it_quotes_and_not_by_its_own_words() -> None:
    handoff = text_message(
        "notice",
        "Background. It tells of a talk. Said then: “The spare key is under the blue pot.” (m4)",
        AT,
        origin="program",
    )

    async def asked(question: str) -> str:
        request = chat_request(question)
        messages = [handoff, *request.messages]
        return text_of(await OfflineReader().generate(ModelRequest("chat", request.system, messages, block())))

    assert await asked("Where is the spare key?") == 'From earlier: "The spare key is under the blue pot."'
    assert (await asked("What is the background?")).startswith("I don't have that.")


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("When is the income tax report due?", "[deadline] insurance tax report deadline: Fri 12 Mar 2027"),
        ("What is my name?", "[entity] wifi network name: FRITZ"),
        ("When is Anna's birthday?", "[entity] Anne's birthday: 5 May"),
    ],
)
async def test_a_fact_about_something_else_is_no_answer(question: str, fact: str) -> None:
    assert (await answer(question, facts=[fact])).startswith("I don't have that.")


async def test_a_fact_wins_over_recalled_text_and_older_messages() -> None:
    said = await answer(
        "Our vet is Dr. Braun.", "Who is our vet?", facts=["[entity] vet: Dr. Kern"], recalled=["Our vet is Dr. Adam."]
    )

    assert "Dr. Kern" in said
    assert "Braun" not in said
    assert "Adam" not in said


async def test_a_correction_right_after_is_quoted_with_what_it_corrects() -> None:
    said = await answer("Our vet is Dr. Braun.", "No, we moved to Dr. Kern.", "Who is our vet?")

    assert said == 'You said: "Our vet is Dr. Braun.", and later: "No, we moved to Dr. Kern."'


@pytest.mark.parametrize(
    ("said", "off", "asked"),
    [
        ("The concert is on Saturday at 8pm", "The concert is cancelled", "When is the concert?"),
        ("Die Klassenfahrt kostet 240 Euro", "Die Klassenfahrt ist abgesagt", "Was kostet die Klassenfahrt?"),
        ("Обновление ядра 20 марта в 02:00", "Обновление ядра отменили", "Когда обновление ядра?"),
    ],
)
async def test_what_was_called_off_since_is_quoted_with_the_calling_off(said: str, off: str, asked: str) -> None:
    replied = await answer(said, off, "Let us talk of it again", asked)

    assert f'"{said}"' in replied
    assert replied.endswith(f'"{off}"')


async def test_what_was_withdrawn_with_a_reason_is_not_quoted() -> None:
    said = await answer(
        "The laptop budget is 900 euros.",
        "Forget about the laptop budget, that's no longer true",
        "What is the laptop budget?",
    )

    assert said.startswith("I don't have that.")


@pytest.mark.parametrize(
    ("said", "opening"),
    [
        ("Schreib mir ein Gedicht", "Ich lese nur offline"),
        ("Erinnere mich morgen um 7 an die Brotdose", "Erinnern kann ich ohne Modell nicht"),
        ("Vergiss das Laptopbudget", "Steht das fest"),
        ("Forget that.", "Without a model I can't tell what you mean. /undo"),
        ("No, scratch that please", "Without a model I can't tell what you mean. /undo"),
        ("Vergiss das!", "Ohne Modell weiß ich nicht, was du meinst. /undo"),
        ("забудь", "Без модели я не понимаю, о чём речь. /undo"),
        ("Переведи это письмо", "Я работаю без сети"),
        ("Die Klassenfahrt kostet höchstens 240 Euro", "Verstanden"),
    ],
)
async def test_what_it_cannot_do_is_said_in_the_language_of_the_member(said: str, opening: str) -> None:
    assert (await answer(said)).startswith(opening)


@pytest.mark.parametrize("said", ["The concert is cancelled", "We moved to Oslo", "Wir sind nach Dresden umgezogen"])
async def test_news_without_a_number_is_acknowledged_as_news(said: str) -> None:
    assert (await answer(said)).endswith(f': "{said}"')


async def test_what_was_forgotten_is_not_quoted_with_its_gap() -> None:
    said = await answer("The locker number is ⟦forgotten⟧.", "What is the locker number?")

    assert said.startswith("I don't have that.")


@pytest.mark.parametrize(
    ("quoted", "is_evidence"),
    [
        ("The piano tuner of Tilda is called Quelanrup.", True),
        ("The piano tuner of Tilda is called Quel…", False),
        ("The piano tuner of Tilda is called ⟦forgot…", False),
        ('Understood: "The piano tuner of Tilda is called Quel."', False),
    ],
)
async def test_a_handoff_is_evidence_where_it_quotes_the_member_in_full(quoted: str, is_evidence: bool) -> None:
    messages = [
        text_message("notice", f"Handoff h1: background.\nThe member said: “{quoted}”", AT, origin="program"),
        text_message("user", "What is the piano tuner of Tilda called?", AT),
    ]
    said = text_of(await OfflineReader().generate(ModelRequest("chat", "task: chat", messages, memory_block=NOW)))

    assert (quoted in said) is is_evidence
    assert said.startswith("I don't have that.") is not is_evidence


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("The keeper wrote a diary.", "What did the keeper write?"),
        ("I bought a bicycle from Tom.", "What did I buy from Tom?"),
        ("We got married on 12 June 2004", "When did we get married?"),
    ],
)
async def test_what_was_told_in_the_past_answers_a_question_in_the_present(told: str, asked: str) -> None:
    assert told in await answer(told, asked)


async def test_of_two_statements_the_newer_answers() -> None:
    assert "Oslo" in await answer("I live in Riga.", "I live in Oslo.", "Where do I live?")


async def test_what_was_to_be_forgotten_is_not_quoted() -> None:
    said = await answer("The dentist is tomorrow at 10.", "Forget about the dentist.", "When is the dentist?")

    assert said.startswith("I don't have that.")


async def test_the_members_questions_and_the_assistants_words_are_no_evidence() -> None:
    said = await answer("Is the spare key under the blue pot?", "Where is the spare key?")

    assert said.startswith("I don't have that.")


async def test_a_question_for_a_date_is_not_answered_by_a_line_without_one() -> None:
    said = await answer("The tax report is long and boring.", "When is the tax report due?")

    assert said.startswith("I don't have that.")


async def test_a_subject_that_says_its_value_is_not_said_twice() -> None:
    assert await answer("What am I allergic to?", facts=["[constraint] allergy to nuts: nuts"]) == "Allergy to nuts"


async def test_everything_known_is_listed_in_plain_words() -> None:
    said = await answer("What do you know about me?", facts=FACTS[:2])

    assert said.splitlines()[1:] == [
        '- Tax report deadline: Fri 12 Mar 2027 17:30 ("Friday 12 March at 17:30")',
        "- Archive: use Postgres",
    ]


async def test_what_is_known_about_someone_names_only_that() -> None:
    said = await answer("What do you know about Ida?", facts=FACTS)

    assert said.splitlines()[1:] == ["- Daughter: Ida"]


async def test_deadlines_and_decisions_are_listed_by_kind() -> None:
    deadlines = await answer("What deadlines do I have?", facts=FACTS)
    decisions = await answer("What decisions did we make?", facts=FACTS)

    assert [line[:8] for line in deadlines.splitlines()[1:]] == ["- Tax re", "- Steuer"]
    assert decisions.splitlines()[1:] == ["- Archive: use Postgres"]


async def test_pinned_marks_and_ids_on_fact_lines_are_no_part_of_the_value() -> None:
    assert await answer("Where do I live?", facts=["[user_attribute] home: Riga (f12, pinned)"]) == "Home: Riga"


async def test_several_questions_are_answered_each() -> None:
    said = await answer("Who is our vet? And when is the concert?", facts=FACTS)

    assert said.splitlines()[0] == "Vet: Dr. Kern"
    assert said.splitlines()[1].startswith("I don't have that.")


async def test_a_statement_is_acknowledged_without_claiming_that_it_was_saved() -> None:
    said = await answer(TAX)

    assert f'"{TAX}"' in said
    assert not re.search(r"saved|stored|remember|noted|gespeichert|запомн", said, re.IGNORECASE)


async def test_what_needs_a_real_model_is_declined_openly() -> None:
    assert await answer("Write me a poem about rain") == OFFLINE
    assert (await answer("I'm so tired today.")).endswith(OFFLINE)


async def test_the_time_is_read_from_the_prompt() -> None:
    assert await answer("What time is it?") == f"It is {NOW.removeprefix('Now: ')}."
    assert await answer("Wie spät ist es?") == f"Es ist {NOW.removeprefix('Now: ')}."


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("Hello!", "Hello"),
        ("Привет", "Здравствуйте"),
        ("Guten Morgen!", "Hallo"),
        ("thanks!", "You're welcome"),
        ("Danke", "Gern"),
        ("good night", "Until"),
        ("help", "Tell me things"),
    ],
)
async def test_greetings_thanks_and_help_are_answered_in_kind(text: str, opening: str) -> None:
    assert (await answer(text)).startswith(opening)


async def test_a_refusal_is_in_the_language_of_the_question() -> None:
    assert (await answer("Wann ist das Konzert?")).startswith("Das weiß ich nicht")
    assert (await answer("Когда концерт?")).startswith("Этого я не знаю")


async def test_recall_is_called_once_for_what_the_prompt_does_not_hold() -> None:
    reply = await OfflineReader().generate(chat_request("Where is the spare key?", tools=[RECALL]))

    (call,) = reply.parts
    assert isinstance(call, CallPart)
    assert (call.name, call.args) == ("recall", {"query": "Where is the spare key?"})


async def test_what_recall_brought_is_quoted() -> None:
    found = recalled_turn("The cat is called Minka.", "The spare key is under the blue pot.")
    request = chat_request("Where is the spare key?", after=found, tools=[RECALL])

    assert text_of(await OfflineReader().generate(request)) == 'From earlier: "The spare key is under the blue pot."'


async def test_what_recall_brought_and_has_changed_since_is_no_evidence() -> None:
    call = CallPart(call_id="c1", name="recall", args={"query": "anything"})
    item = {"id": "s1", "said": "2027-03-02 10:00", "by": "you", "text": "The spare key is under the blue pot."}
    for mark, said in (({}, "From earlier (2027-03-02 10:00)"), ({"changed_since": True}, "I don't have that.")):
        result = ResultPart(call_id="c1", name="recall", response={"items": [item | mark]}, is_reference=True)
        found = [Message(role="model", parts=(call,), at=AT), Message(role="tool", parts=(result,), at=AT)]
        request = chat_request("Where is the spare key?", after=found, tools=[RECALL])

        assert text_of(await OfflineReader().generate(request)).startswith(said)


async def test_recall_is_not_called_twice_in_a_turn() -> None:
    request = chat_request("Where is the spare key?", after=recalled_turn(), tools=[RECALL])

    assert text_of(await OfflineReader().generate(request)).startswith("I don't have that.")


async def test_recall_of_an_earlier_turn_does_not_count() -> None:
    earlier = [text_message("user", "Where is the cat?", AT), *recalled_turn(), text_message("model", "No idea.", AT)]
    request = chat_request("Where is the spare key?", tools=[RECALL])
    reply = await OfflineReader().generate(
        ModelRequest("chat", request.system, [*earlier, *request.messages], request.memory_block, request.tools)
    )

    assert isinstance(reply.parts[0], CallPart)


async def test_with_tools_off_or_absent_nothing_is_called() -> None:
    off = await OfflineReader().generate(chat_request("Where is the key?", tools=[RECALL], tools_enabled=False))
    absent = await OfflineReader().generate(chat_request("Where is the key?"))

    assert text_of(off) == text_of(absent)


async def test_recall_is_not_called_for_a_statement_or_an_answered_question() -> None:
    statement = await OfflineReader().generate(chat_request(TAX, tools=[RECALL]))
    answered = await OfflineReader().generate(chat_request("Who is our vet?", facts=FACTS, tools=[RECALL]))

    assert text_of(statement)
    assert "Dr. Kern" in text_of(answered)


async def test_a_picture_without_words_is_declined() -> None:
    picture = Message(role="user", parts=(MediaPart(mime_type="image/png", sha256="0" * 64, size=3),), at=AT)
    reply = await OfflineReader().generate(ModelRequest("chat", "task: chat", [picture], block()))

    assert "can't look at pictures" in text_of(reply)


async def test_a_notice_after_the_question_does_not_hide_it() -> None:
    notice = text_message("notice", "Stop here and sum up.", AT, origin="program")
    request = chat_request("Who is our vet?", facts=FACTS, after=[notice], tools_enabled=False)

    assert text_of(await OfflineReader().generate(request)) == "Vet: Dr. Kern"


async def test_words_that_a_command_had_kept_are_not_answered_with_the_next_message() -> None:
    kept = text_message("user", "The locker code is 4471.", AT)
    said = text_message("user", "My boss is Paul Zornitz.", AT).model_copy(update={"turn_id": 1})

    heard = await OfflineReader().generate(
        ModelRequest(task="chat", system="task: chat", messages=[kept, said], memory_block=block())
    )

    assert "Paul Zornitz" in text_of(heard)
    assert "4471" not in text_of(heard)


async def test_text_streams_as_growing_beginnings_that_end_in_the_whole() -> None:
    seen: list[str] = []

    async def on_text(text: str) -> None:
        seen.append(text)

    reply = await OfflineReader().generate(chat_request("Who is our vet?", facts=FACTS), on_text=on_text)

    assert seen[-1] == text_of(reply)
    assert len(seen) > 1
    assert all(seen[-1].startswith(piece) for piece in seen)


async def test_usage_is_an_estimate_and_the_reader_names_itself() -> None:
    reply = await OfflineReader().generate(chat_request("Who is our vet?", facts=FACTS))

    assert reply.model == OfflineReader().name == NAME
    assert reply.usage.is_estimate
    assert reply.usage.prompt_tokens > reply.usage.output_tokens > 0


@pytest.mark.parametrize("task", ["route", "transcribe", "web"])
async def test_a_task_that_needs_a_real_model_is_refused(task: Task) -> None:
    with pytest.raises(ModelRefused, match=task):
        await OfflineReader().generate(ModelRequest(task, f"task: {task}", [text_message("user", "x", AT)]))


_SUBJECTS = st.sampled_from(["tax report", "vet", "Ida's school", "rent", "wifi password", "Отчёт", "Miete"])
_VALUES = st.one_of(
    st.from_regex(
        r"[1-9][0-9]{0,3}[.,][0-9]{2}"
        r" euros",
        fullmatch=True,
    ),
    st.text(min_size=1, max_size=30),
)
_FACT_LINES = st.lists(st.builds("[entity] {}: {}".format, _SUBJECTS, _VALUES), max_size=5)
_WORDS = st.one_of(
    st.builds("What is the {}?".format, _SUBJECTS),
    st.builds("When is {} due?".format, _SUBJECTS),
    st.builds("{} is 12,50 on 3 May".format, _SUBJECTS),
    st.text(max_size=60),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_WORDS, min_size=1, max_size=4), _FACT_LINES, st.lists(_WORDS, max_size=2))
async def test_every_number_and_every_quotation_in_an_answer_stands_in_its_prompt(
    said: list[str], facts: list[str], recalled: list[str]
) -> None:
    request = chat_request(*said, facts=facts, recalled=recalled)

    reply = text_of(await OfflineReader().generate(request))

    held = "\n".join([message.text for message in request.messages] + [request.memory_block or ""])
    flat = " ".join(held.split())
    assert reply
    assert all(number in held for number in re.findall(r"\d+", reply))
    assert all(
        " ".join(quoted.rstrip("…").split()) in flat for quoted in re.findall(r'said: "([^"]+)"$', reply, re.MULTILINE)
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=4), st.none() | st.text(max_size=200))
async def test_no_text_makes_it_fail(texts: list[str], memory_block: str | None) -> None:
    messages = [Message(role="user", parts=(TextPart(text=text),), at=AT) for text in texts]

    reply = await OfflineReader().generate(ModelRequest("chat", "task: chat", messages, memory_block, [RECALL]))

    assert reply.parts
