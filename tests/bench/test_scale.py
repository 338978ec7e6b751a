"""`bench scale`: the same needles at every size, found by other words than all of theirs."""

from pathlib import Path

from bench.scale import NEEDLES, _measure, _needles, _with_needles


def test_each_needle_lies_in_the_talk_once_whatever_its_size() -> None:
    needles = _needles()
    for size in (500, 1200):
        texts = [message.text for message in _with_needles(size, needles)]
        assert len(texts) == size
        assert all(texts.count(needle.text) == 1 for needle in needles)
    assert len(needles) == NEEDLES


async def test_a_size_is_measured_whole(tmp_path: Path) -> None:
    measured = await _measure(tmp_path / "bench", 400, _needles()[:5])
    assert all(measured.found)
    assert (len(measured.recall_ms), len(measured.store_ms)) == (5, len(measured.bare_ms))
    assert measured.bytes_each > 0
    assert measured.resident_mb > 0
