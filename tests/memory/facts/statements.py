"""Statements to file in tests."""

from typing import Any

from memory.facts.statements import Statement, new_fact
from memory.models import Drawer


def statement_in(drawer: Drawer, span: tuple[int, int], *, ended: bool = False, **fields: Any) -> Statement:
    """A statement found by the built-in reader in a drawer."""
    return Statement(new_fact(drawer, **({"mined_by": "reader"} | fields)), drawer, span, ended)
