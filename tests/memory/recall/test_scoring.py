"""What decides the order: own words, words nearby, who spoke, and what the best hits share."""

from collections.abc import Sequence

from memory.recall.nearby import Placed
from memory.recall.scoring import scored

FILLER = "lorem ipsum dolor sit amet consectetur"


def placed(id_: int, text: str, *, speaker: str = "", date: str = "", is_wanted: bool = True) -> Placed:
    return Placed.of(id_, text, speaker, date, is_wanted=is_wanted)


def ranked(idf: dict[str, float], *stretches: Sequence[Placed]) -> list[int]:
    return [one.id for one in scored(stretches, idf)]


def test_own_words_count_more_than_words_nearby() -> None:
    talk = [placed(1, f"beagle {FILLER}"), placed(2, FILLER + " sed"), placed(3, FILLER + " eiusmod")]
    assert ranked({"beagle": 5.0}, talk) == [1, 2, 3]


def test_nothing_shared_is_nothing_found() -> None:
    assert ranked({"beagle": 5.0}, [placed(1, FILLER)]) == []
    assert ranked({}, [placed(1, FILLER)]) == []
    assert ranked({"beagle": 5.0}) == []


def test_words_of_another_stretch_count_for_nothing() -> None:
    assert ranked({"beagle": 5.0}, [placed(1, "beagle")], [placed(2, FILLER)]) == [1]


def test_a_speaker_whom_the_query_names_comes_first() -> None:
    first = [placed(1, f"beagle beagle {FILLER}", speaker="bob")]
    second = [placed(2, f"beagle {FILLER}", speaker="ann")]
    assert ranked({"beagle": 5.0, "ann": 0.0}, first, second) == [2, 1]


def test_context_lifts_a_text_that_says_something_more_than_a_bare_yes() -> None:
    talk = [placed(1, "yes"), placed(2, f"beagle {FILLER}"), placed(3, f"{FILLER} sed eiusmod tempor")]
    scores = {one.id: one.counts["beagle"] for one in scored([talk], {"beagle": 5.0})}
    assert scores[1] < scores[3] < scores[2]


def test_a_text_without_words_beside_a_hit_breaks_nothing() -> None:
    talk = [placed(1, ""), placed(2, f"beagle {FILLER}"), placed(3, "")]
    assert ranked({"beagle": 5.0}, talk)[0] == 2


def test_a_date_counts_as_a_word() -> None:
    (one,) = scored([[placed(1, FILLER, date="2027 mo3")]], {"mo3": 4.0})
    assert one.counts == {"mo3": 1.0}


def test_what_lies_outside_the_scope_is_not_returned_but_counts_nearby() -> None:
    assert ranked({"beagle": 5.0}, [placed(1, "beagle", is_wanted=False), placed(2, FILLER)]) == [2]


def test_words_that_the_best_hits_share_lift_what_shares_them_too() -> None:
    hits = [[placed(n, f"regatta sail mast {n} {FILLER}")] for n in range(1, 6)]
    weak = [[placed(8, f"regatta plain plain plain {FILLER}")], [placed(9, f"regatta sail mast plain {FILLER}")]]
    rest = [[placed(n, f"{n} {FILLER}")] for n in range(20, 60)]
    order = ranked({"regatta": 5.0}, *weak, *hits, *rest)
    assert order.index(9) < order.index(8)
