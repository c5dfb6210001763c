"""A file is replaced whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from junod.whole_file import replace_file


def test_a_new_file_is_its_owners_alone_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    replace_file(path, "one", survives_power_cut=True)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    replace_file(path, "two")
    assert (path.read_text("utf-8"), path.stat().st_mode & 0o777) == ("two", 0o644)


def test_a_draft_that_does_not_pass_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    replace_file(path, "one")

    def refuse(draft: Path) -> None:
        assert draft.read_text("utf-8") == "two"
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        replace_file(path, "two", check=refuse)
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]
    assert path.read_text("utf-8") == "one"
