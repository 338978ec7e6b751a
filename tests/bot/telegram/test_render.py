"""Every answer becomes messages that Telegram takes, and nothing a reader would see is lost on the way."""

import re
import unicodedata

import pytest
import regex
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from telegram import Bot, MessageEntity

from bot.telegram.render import Piece, plain, render
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_rules import check_entities, check_text, utf16_len

FAMILY = "👨‍👩‍👧‍👦"
FLAG = "🇳🇴"
E_ACUTE = "e\u0301"


def check(pieces: list[Piece]) -> None:
    for piece in pieces:
        check_text(piece.text)
        check_entities(piece.text, list(piece.entities))
        assert piece.text == piece.text.rstrip()


def visible(text: str) -> str:
    return "".join(text.split())


def shown(pieces: list[Piece]) -> str:
    return "\n".join(piece.text for piece in pieces)


def styled(piece: Piece, kind: str) -> list[str]:
    units = piece.text.encode("utf-16-le")
    return [
        units[e["offset"] * 2 : (e["offset"] + e["length"]) * 2].decode("utf-16-le")
        for e in piece.entities
        if e["type"] == kind
    ]


def only(markdown: str) -> Piece:
    [piece] = render(markdown)
    check([piece])
    return piece


def test_styles_links_and_code_become_entities() -> None:
    piece = only(
        "# Plan\n\n**bold** _slanted_ ~~gone~~ `x = 1` [site](https://example.org/a_b)\n\n```python\nprint()\n```"
    )
    assert piece.text == "Plan\n\nbold slanted gone x = 1 site\n\nprint()"
    assert styled(piece, "bold") == ["Plan", "bold"]
    assert styled(piece, "italic") == ["slanted"]
    assert styled(piece, "strikethrough") == ["gone"]
    assert styled(piece, "code") == ["x = 1"]
    assert [e["url"] for e in piece.entities if e["type"] == "text_link"] == ["https://example.org/a_b"]
    assert [e["language"] for e in piece.entities if e["type"] == "pre"] == ["python"]


def test_an_open_task_does_not_look_done() -> None:
    assert only("- [ ] call\n- [x] write\n- rest").text == "☐ call\n✅ write\n• rest"


def test_style_around_code_leaves_the_code_out() -> None:
    piece = only("**run `make test` now**")
    assert styled(piece, "bold") == ["run ", " now"]
    assert styled(piece, "code") == ["make test"]


def test_a_link_around_code_wins_over_the_code() -> None:
    piece = only("[`httpx`](https://example.org)")
    assert [e["type"] for e in piece.entities] == ["text_link"]


@pytest.mark.parametrize(
    "text",
    [
        "A List<int> and a Map<String, List<T>>",
        "<details>hidden</details>",
        "saves $6 a day, x_1$ y",
        "$$E = mc^2$$",
        "if a || b || c then",
        "my_file_name, a lone ` backtick and 2 * 3 * 4",
        "[notes](notes.md) and [mail](mailto:ann@example.org)",
        "![plan](plan.png)",
        "[![plan](plan.png)](https://example.org)",
        "[Alice]: hello",
        "> [Alice]: hello",
        "- [Alice]: hello",
        "[1]: https://example.org",
        "<!-- note -->",
        "<div>\n<p>words</p>\n</div>",
        "```python",
        "#",
    ],
)
def test_what_only_looks_like_markup_is_shown_as_written(text: str) -> None:
    body = re.sub(r"^(> |- )", "", text)
    assert visible(only(text).text).lstrip("•") == visible(body)


def test_code_is_never_escaped() -> None:
    piece = only("`a || $b <c>` and\n\n```\n[x]: y || <div> $1 $2\n```")
    assert styled(piece, "code") == ["a || $b <c>"]
    assert styled(piece, "pre") == ["[x]: y || <div> $1 $2"]


def test_a_link_definition_in_use_is_not_shown_and_works() -> None:
    piece = only("See [the plan][1].\n\n[1]: https://example.org/plan")
    assert piece.text == "See the plan."
    assert styled(piece, "text_link") == ["the plan"]


def test_tables_keep_empty_cells_extra_cells_and_addresses() -> None:
    piece = only("| a || b |\n|--|--|--|\n| [q](https://example.org) | 2 | 3 | 4 |\n| `x` | $5 | $6 |")
    [table] = styled(piece, "pre")
    for words in ("[q](https://example.org)", "3 | 4", "x", "$5", "$6"):
        assert words in table
    assert re.match(r"a +\| +\| b", table)


def test_what_the_converter_cannot_take_is_shown_as_written(caplog: pytest.LogCaptureFixture) -> None:
    page = "<div>\n" * 40
    assert only(page).text == page.strip()
    assert "240 characters" in caplog.text
    assert "<div>" not in caplog.text


@pytest.mark.parametrize("blank", ["", " \n\t", "\u200b", "\u3164", "&nbsp;", "\x00\x1f"])
def test_what_shows_nothing_makes_no_message(blank: str) -> None:
    assert all(piece.text == "&nbsp;" for piece in render(blank))
    assert plain("\u200b \u3164") == []


def test_control_characters_and_lone_surrogates_do_not_reach_telegram() -> None:
    assert only("a\x00b\r\nc\rd\ud83d").text == "a b\nc\nd\ufffd"
    assert only("\ud83d\ude00").text == "😀"
    assert only("a&#13;\nb **c**").text == "a \nb c"


def test_plain_text_keeps_every_sign() -> None:
    [piece] = plain("**not bold** <b> $1 _x_ [a](b)")
    assert piece == Piece("**not bold** <b> $1 _x_ [a](b)")


def test_a_text_of_exactly_the_limit_is_one_message() -> None:
    assert len(plain("a" * 4096)) == 1
    assert len(plain("😀" * 2048)) == 1
    assert [utf16_len(piece.text) for piece in plain("a" * 4097)] == [4096, 1]


@pytest.mark.parametrize("cluster", ["😀", FAMILY, FLAG, E_ACUTE, "👍🏽"])
@pytest.mark.parametrize("before", range(4090, 4097))
def test_no_cut_goes_through_what_a_reader_sees_as_one_sign(cluster: str, before: int) -> None:
    pieces = plain("a" * before + cluster + "b" * 20)
    check(pieces)
    assert "".join(piece.text for piece in pieces) == "a" * before + cluster + "b" * 20
    assert sum(cluster in piece.text for piece in pieces) == 1


def test_a_run_of_flags_is_cut_between_flags() -> None:
    for piece in plain("x" + FLAG * 2000):
        assert piece.text.removeprefix("x").count(FLAG) * 2 == len(piece.text.removeprefix("x"))


def test_a_sign_longer_than_a_message_is_cut_all_the_same() -> None:
    pieces = plain("a" + "\u0301" * 5000)
    check(pieces)
    assert "".join(piece.text for piece in pieces) == "a" + "\u0301" * 5000


def test_cuts_fall_on_paragraphs_then_lines_then_words() -> None:
    paragraphs = "\n\n".join("word " * 199 + "end." for _ in range(9))
    assert all(piece.text.endswith("end.") for piece in render(paragraphs))
    lines = "\n".join("word " * 19 + "end." for _ in range(90))
    assert all(piece.text.endswith("end.") for piece in render(lines))
    words = "word " * 2000
    assert all(piece.text.endswith("word") for piece in render(words))


def test_no_cut_parts_a_heading_from_what_it_stands_above() -> None:
    text = "word " * 100 + "end."
    for before in range(3_000, 4_100, 7):
        sections = f"{'x' * before}\n\n## Site\n\n### The *ground*\n\n{text}\n\n**Food**\n{text}"
        pieces = render(sections)
        check(pieces)
        assert visible(shown(pieces)) == visible("x" * before + "Site" + "Theground" + text + "Food" + text)
        ends = [piece.text.rpartition("\n")[2] for piece in pieces]
        assert not {"Site", "The ground", "Food"} & set(ends), before


def test_lines_that_are_all_bold_are_cut_like_others() -> None:
    pieces = render("\n".join(f"**{'word ' * 19}end.**" for _ in range(90)))
    assert [piece.text.endswith("end.") for piece in pieces] == [True] * 3


def test_a_code_block_that_fits_a_message_stays_whole() -> None:
    code = "\n\n".join(f"    line {n}" for n in range(100))
    pieces = render("intro. " * 450 + f"\n\n```py\n{code}\n```\n\nafterwards")
    check(pieces)
    assert [styled(piece, "pre") for piece in pieces] == [[], [code]]


def test_a_long_code_block_is_opened_again_with_its_language_and_indentation() -> None:
    lines = [f"    value_{n} = {n}" for n in range(600)]
    pieces = render("Before\n\n```python\n" + "\n".join(lines) + "\n```\n\nAfter")
    check(pieces)
    assert len(pieces) > 2
    assert all([e["language"] for e in piece.entities] == ["python"] for piece in pieces)
    code = [line for piece in pieces for block in styled(piece, "pre") for line in block.splitlines()]
    assert code == lines


def test_a_message_has_at_most_a_hundred_entities() -> None:
    pieces = render(" ".join(f"*w{n}*" for n in range(250)))
    check(pieces)
    assert [len(piece.entities) for piece in pieces] == [100, 100, 50]
    assert shown(pieces).split() == [f"w{n}" for n in range(250)]


def test_a_quote_over_many_entities_is_continued() -> None:
    pieces = render("> " + " ".join(f"*w{n}*" for n in range(250)))
    check(pieces)
    assert all(piece.entities[0]["type"] == "blockquote" for piece in pieces)


WORD = st.from_regex(r"[a-zA-ZäßжД東]{3,8}", fullmatch=True)
INLINE = st.one_of(
    WORD,
    *(WORD.map(pattern.format) for pattern in (
        "**{}**", "_{}_", "~~{}~~", "`{}`", "[{}](https://example.org/x)", "[{}](nowhere)", "<{}>", "${}$", "||{}||",
        "***{}***", "**`{}`**", "![{}](https://example.org/p.png)", "[`{}`](https://example.org)", "[{0}]: {0}", "\\{}",
        "{} $5", "{}|", "~{}", "{}\n", "{} &amp;", "<https://example.org/{}>",
    )),
    st.sampled_from([FAMILY, FLAG, E_ACUTE, "😀", "1 < 2", "a_b_c", "2 * 3"]),
    st.sampled_from(["- ", "``", "**", "__", "||", "$", "[", "<", "> "]),
)  # fmt: skip
PARAGRAPH = st.lists(INLINE, min_size=1, max_size=12).map(" ".join)
BLOCK = st.one_of(
    PARAGRAPH,
    PARAGRAPH.map(lambda text: f"# {text}"),
    PARAGRAPH.map(lambda text: f"> {text}"),
    PARAGRAPH.map(lambda text: f"- {text}\n  - [ ] {text}"),
    PARAGRAPH.map(lambda text: f"3. {text}\n\n   {text}"),
    PARAGRAPH.map(lambda text: f"```py\n{text}\n```"),
    PARAGRAPH.map(lambda text: f"| {text} | b |\n|---|---|\n| c | {text} |"),
    st.just("---"),
    st.integers(3900, 4200).map(lambda length: "a" * length),
)
DOCUMENT = st.lists(BLOCK, min_size=1, max_size=8).map("\n\n".join)


def words_of(text: str) -> list[str]:
    return [word for word in regex.findall(r"\p{L}+", text) if unicodedata.category(word[0]) in {"Ll", "Lu", "Lo"}]


@settings(max_examples=300, deadline=None)
@given(DOCUMENT)
@example("**a\n\n**b** c")
def test_any_document_is_accepted_and_keeps_its_words(markdown: str) -> None:
    pieces = render(markdown)
    check(pieces)
    beside = [e.get("url", "") + " " + e.get("language", "") for piece in pieces for e in piece.entities]
    carried = "\n".join([shown(pieces), *beside])
    missing = set(words_of(markdown)) - set(words_of(carried)) - {"amp"}
    assert not {word for word in missing if len(word) < 3000}


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab *_`~[]()<>|#-+$!\\&;:\n\t>1.😀\u200d\u0301") | st.characters(), max_size=300))
def test_any_text_at_all_is_accepted_and_never_ends_in_silence(text: str) -> None:
    pieces = render(text)
    check(pieces)
    assert pieces or not plain(text)


SIGNS = st.sampled_from([FAMILY, FLAG, E_ACUTE, "😀", "👍🏽", "a", " ", "\n", "\n\n", "ह\u093f"])


@settings(max_examples=100, deadline=None)
@given(st.integers(4060, 4096), st.lists(SIGNS, min_size=20, max_size=60))
def test_cuts_around_the_limit_lose_nothing_and_split_no_sign(before: int, signs: list[str]) -> None:
    text = "x" * before + "".join(signs)
    pieces = plain(text)
    check(pieces)
    assert visible(shown(pieces)) == visible(text)
    whole = [cluster for cluster in regex.findall(r"\X", text) if not cluster.isspace()]
    assert [c for piece in pieces for c in regex.findall(r"\X", piece.text) if not c.isspace()] == whole


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DOCUMENT)
async def test_a_sample_is_accepted_through_the_real_client(telegram: FakeTelegram, bot: Bot, markdown: str) -> None:
    before = len(telegram.texts(7))
    pieces = render(markdown)
    for piece in pieces:
        entities = MessageEntity.de_list(list(piece.entities), bot)
        await bot.send_message(7, piece.text, entities=entities)
    assert telegram.texts(7)[before:] == [piece.text for piece in pieces]
