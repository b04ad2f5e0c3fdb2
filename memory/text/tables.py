"""Read tables of words from the data file beside a module, as `stop_words.toml` is beside `stop_words.py`."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def table_of(module: str) -> dict[str, Any]:
    """The table beside the module with this file name."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def word_lists(table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The words of each text in a table."""
    return {name: frozenset(words.split()) for name, words in table.items()}


def patterns(table: Mapping[str, str | list[str]]) -> dict[str, str]:
    """The patterns in a table. Their line breaks do not count, and lists hold alternatives."""
    return {name: _pattern(value) for name, value in table.items()}


def _pattern(value: str | list[str]) -> str:
    return value.replace("\n", "") if isinstance(value, str) else "|".join(map(_pattern, value))
