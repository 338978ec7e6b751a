"""The chart of recall against tokens: a picture is written, with a line for each way of searching."""

from pathlib import Path

from bench import chart


def test_a_picture_is_written(tmp_path: Path) -> None:
    plain, words = {500: 60.0, 1000: 70.0, 2000: 80.0}, {500: 70.0, 1000: 80.0, 2000: 90.0}
    chart.draw(tmp_path / "one.png", {"plain FTS5": plain}, about="a talk")
    chart.draw(tmp_path / "two.png", {"plain FTS5": plain, "by words": words}, about="a talk")
    one, two = (path.read_bytes() for path in sorted(tmp_path.iterdir()))
    assert one.startswith(b"\x89PNG")
    assert two.startswith(b"\x89PNG")
    assert one != two
