"""Colour contrast, error pages, and tests of the page checker itself."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.template.loader import render_to_string
from django.urls import path

from palace.urls import handler500  # noqa: F401 - part of the URLs below
from palace.urls import urlpatterns as palace_urls
from tests.cases import cases
from tests.html import check_page, problems_of_fragment, problems_of_page

VALID = (
    '<!doctype html><html lang="en"><head><title>T</title>'
    '<script src="/static/a.js"></script></head><body><main><h1>T</h1>'
    '<form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="x">'
    '<label for="a">A</label><input id="a"><label>B <input type="checkbox"></label>'
    "<button>Go</button></form></main></body></html>"
)


@pytest.mark.parametrize("case", *cases(__file__, "fragments.txt").values())
def test_checker_finds_problems_of_fragments(case):
    html, problem = case.split(" → ")
    assert any(problem in found for found in problems_of_fragment(html))


def test_checker_finds_problems_of_pages():
    assert problems_of_page(VALID) == []
    for old, new, problem in (
        (' lang="en"', "", "names no language"),
        ("<h1>T</h1>", "", "0 <h1>"),
        ("<h1>T</h1>", "<h1>T</h1><h3>U</h3>", "heading of level 3"),
        ("<title>T</title>", "", "0 <title>"),
    ):
        assert any(problem in found for found in problems_of_page(VALID.replace(old, new))), problem


TOKENS = Path(settings.BASE_DIR) / "static" / "css" / "tokens.css"
PAIR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
GROUNDS = ("paper", "surface", "sunken")
HUES = ("person", "project", "topic", "agent", "info", "good", "warn", "error")
WORDS = [
    *((word, ground) for word in ("ink", "ink-soft") for ground in GROUNDS),
    *((word, ground) for word in ("accent", "accent-strong") for ground in GROUNDS),
    *((hue, ground) for hue in (*HUES, "accent-strong", "ink") for ground in ("paper", "surface")),
    *((hue, f"{hue}-soft") for hue in HUES),
    *(("ink", f"{hue}-soft") for hue in HUES),
    ("ink", "accent-soft"),
    ("ink-soft", "accent-soft"),
    ("accent-strong", "accent-soft"),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("ink", "marked"),
    ("paper", "ink"),
]
STRONG = ("ink", "ink-soft", "accent")
SHAPES = [
    *(("line-strong", ground) for ground in GROUNDS),
    *(("accent", ground) for ground in (*GROUNDS, "accent-soft")),
]


def luminance(colour):
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def palettes():
    ordinary, _, more = TOKENS.read_text().partition("@media (prefers-contrast: more)")
    found: dict[str, dict[str, str]] = {}
    for index, theme in enumerate(("light", "dark")):
        found[theme] = {pair[0]: pair[index + 1] for pair in PAIR.findall(ordinary)}
        changed = {pair[0]: pair[index + 1] for pair in PAIR.findall(more)}
        found[f"{theme}, more contrast"] = found[theme] | changed
    return found


@pytest.mark.parametrize("theme", palettes())
@pytest.mark.parametrize(
    ("pairs", "least"), [(WORDS, 4.5), (SHAPES, 3.0), ([(word, "paper") for word in STRONG], 7.0)]
)
def test_colours_have_sufficient_contrast(theme, pairs, least):
    colours = palettes()[theme]
    weak = {
        f"{word} on {ground}": round(contrast(colours[word], colours[ground]), 2)
        for word, ground in pairs
        if contrast(colours[word], colours[ground]) < least and (least < 7 or "more" in theme)
    }
    assert weak == {}


def fail(request, error):
    raise error(request.GET["words"])


FAILURES = {500: RuntimeError, 403: PermissionDenied, 400: SuspiciousOperation}
urlpatterns = [path(f"fail/{status}/", fail, {"error": error}) for status, error in FAILURES.items()]
urlpatterns += palace_urls


@pytest.mark.django_db
@pytest.mark.urls(__name__)
@pytest.mark.parametrize("status", [*FAILURES, 404])
def test_errors_are_pages_without_details(alice_client, status):
    alice_client.raise_request_exception = False
    html = check_page(alice_client.get(f"/fail/{status}/", {"words": "secret"}), status)
    assert "secret" not in html
    assert "Traceback" not in html


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_error_pages_need_neither_database_nor_context(name):
    html = render_to_string(f"{name}.html")
    assert problems_of_page(html) == []
    assert "base.css" in html
