from pathlib import Path

import pytest

from bot.errors import line_for, words_for
from memory import errors
from memory.catalogue import speaking
from memory.errors import MemoryFault, ModelBusy, ModelFault, ModelMisconfigured, ModelQuotaSpent

PATH = Path("/data/spaces/42/memory.db")
EXAMPLES: list[MemoryFault] = [
    errors.DamagedDatabase(PATH, "malformed"),
    errors.ClosedFolder(PATH, "unable to open database file"),
    errors.NewerSchema(PATH, 9, 1),
    errors.OlderSchema(PATH),
    errors.MigrationFailed(PATH, 2, None, "no such column"),
    errors.StorageFull(PATH),
    errors.StorageInTrouble(PATH, "locked:", advice="look at its disk"),
    errors.Unreadable("inbox row 7"),
    errors.UnknownId("f99"),
    errors.BadImport(3, "is not JSON"),
    errors.CompactionFailed("nothing to shorten"),
    errors.ReaderInTheWay("the log is read"),
    errors.ModelBusy("HTTP 503"),
    errors.ModelQuotaSpent("HTTP 429"),
    errors.CeilingReached("chat"),
    errors.ModelMisconfigured("HTTP 400 API_KEY_INVALID"),
    errors.ModelRefused("HTTP 400"),
    errors.PromptTooLong("HTTP 400"),
    errors.ModelSilent("safety"),
]


def _leaves(cls: type[MemoryFault]) -> set[type[MemoryFault]]:
    below = cls.__subclasses__()
    return {cls} if not below else {cls, *(leaf for sub in below for leaf in _leaves(sub))}


def test_every_error_of_memory_has_an_example_here() -> None:
    families = {MemoryFault, errors.OperatorMustAct, errors.MemberMustAct, errors.ModelFault}

    defined = {cls for cls in _leaves(MemoryFault) if cls.__module__ == errors.__name__}

    assert {type(example) for example in EXAMPLES} == defined - families


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_a_member_reads_what_happened_what_was_kept_and_what_to_do(error: MemoryFault) -> None:
    words = words_for(error)

    assert words.endswith(".")
    assert "kept" in words or "untouched" in words or "Nothing was changed" in words
    assert str(PATH) not in words
    assert "HTTP" not in words


@pytest.mark.parametrize(
    ("ref", "way"),
    [
        ("f12", "/facts shows what there is."),
        ("n12", "/reminders shows what there is."),
        ("p3", "/procedures shows what there is."),
        ("version 2 of p3", "/procedures shows what there is."),
        ("h3", "/compact shows what there is."),
        ("m12", "/recall shows what there is."),
        ("t12", "/recall shows what there is."),
        ("s12", "/recall shows what there is."),
        ("alarm 4", "/probe shows what there is."),
        ("a99", "one that is answered or has expired is over."),
    ],
)
def test_who_names_an_id_that_is_not_there_learns_where_to_look(ref: str, way: str) -> None:
    assert words_for(errors.UnknownId(ref)).endswith(way)


def test_a_model_that_asks_to_wait_is_given_that_time() -> None:
    assert "again in a minute" in words_for(errors.ModelBusy("429", retry_after_s=40))
    assert "again in 5 minutes" in words_for(errors.ModelBusy("429", retry_after_s=300))


@pytest.mark.parametrize("error", [KeyError("a person's words"), TimeoutError()])
def test_an_unforeseen_error_has_words_and_quotes_nothing(error: Exception) -> None:
    assert "Your message is kept" in words_for(error)
    assert "person" not in words_for(error) + line_for(error)


def test_a_member_reads_an_error_in_their_language_and_a_model_reads_it_in_english() -> None:
    error = errors.UnknownId("f99")
    with speaking("de"):
        assert words_for(error).startswith("In diesem Gedächtnis gibt es f99 nicht. Nichts wurde geändert.")
        assert str(error) == "there is no f99 in this memory"


@pytest.mark.parametrize("error", [*EXAMPLES, OSError(13, "Permission denied", "/data")])
def test_an_operator_reads_one_line(error: Exception) -> None:
    line = line_for(error)

    assert line
    assert "\n" not in line


def test_an_operator_reads_which_file_is_concerned() -> None:
    assert line_for(errors.StorageFull(PATH)).startswith(f"no space left to write {PATH}")
    assert line_for(PermissionError(13, "Permission denied", "/data/lock")) == "/data/lock: Permission denied"


@pytest.mark.parametrize("reason", ["safety", "max_tokens", "recitation", "something_new"])
def test_a_silent_model_is_explained_by_its_reason(reason: str) -> None:
    assert words_for(errors.ModelSilent(reason)).endswith("Your message is kept; say it in other words or try again.")


@pytest.mark.parametrize("fault", [ModelBusy, ModelMisconfigured, ModelQuotaSpent])
def test_where_nothing_more_is_known_a_line_holds_no_empty_brackets(fault: type[ModelFault]) -> None:
    assert "()" not in line_for(fault())
    assert "(503)" in line_for(fault("503"))
