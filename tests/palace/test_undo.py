"""docs/undo.md lists every form and how to undo it, or why that is not possible."""

import asyncio
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern, RoutePattern

ROOT = Path(__file__).parents[2]
PROGRAMS = ("api:", "mcp:", "openai:", "admin:")
NAME = re.compile(r"`((?:\w+:)?\w+)`")


def addresses(resolver: URLResolver, space: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every URL pattern by its full name."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from addresses(pattern, inner)
        else:
            assert isinstance(pattern.pattern, RoutePattern | RegexPattern)
            yield f"{space}{pattern.name}", pattern


def allowed(pattern: URLPattern) -> set[str]:
    """The methods in the Allow header of a view."""
    answer = pattern.callback(RequestFactory().generic("NOSUCH", "/"))
    answer = asyncio.run(answer) if inspect.iscoroutine(answer) else answer
    assert isinstance(answer, HttpResponse)
    return set(answer.headers.get("Allow", "").split(", "))


def forms() -> set[str]:
    """The views of pages that accept forms."""
    found = {
        name: pattern
        for name, pattern in addresses(get_resolver())
        if not name.startswith(PROGRAMS) and pattern.callback.__module__.partition(".")[0] in OURS
    }
    return {name for name, pattern in found.items() if "POST" in allowed(pattern)}


OURS = {"accounts", "memory", "chat", "transfer", "palace", "api"}


def tables() -> list[list[list[str]]]:
    """The rows of each table in docs/undo.md, as cells."""
    text = (ROOT / "docs" / "undo.md").read_text()
    parts = re.split(r"(?m)^## .*\n", text)[1:]
    rows = [[line.strip("|").split("|") for line in part.splitlines()] for part in parts]
    return [[[cell.strip() for cell in row] for row in part if len(row) > 1][2:] for part in rows]


def named(cell: str) -> list[str]:
    return NAME.findall(cell)


def test_the_tables_list_every_form_and_nothing_else():
    listed = {name for table in tables() for row in table for name in named(row[0])}
    assert listed == forms()


def test_every_undo_is_a_form_that_a_page_or_view_offers():
    sources = [*(ROOT / "templates").rglob("*.html")]
    sources += [path for package in OURS for path in (ROOT / package).rglob("*.py")]
    offered = "\n".join(path.read_text() for path in sources)
    undone, *_ = tables()
    for row in undone:
        (undo,) = named(row[1])
        assert undo in forms()
        assert re.search(rf"""["']{undo}["']""", offered), undo


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_row_gives_its_reason(number: int):
    for row in tables()[number]:
        assert named(row[0])
        assert len(row[-1].replace("`", "")) > 5
