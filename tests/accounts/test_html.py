"""The checker of pages finds what it is for."""

import pytest

from tests.html import problems_of_fragment, problems_of_page

SOUND = (
    '<!doctype html><html lang="en"><head><title>T</title>'
    '<script src="/static/a.js"></script></head><body><main><h1>T</h1>'
    '<form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="x">'
    '<label for="a">A</label><input id="a"><label>B <input type="checkbox"></label>'
    "<button>Go</button></form></main></body></html>"
)


def test_a_sound_page_has_no_problems() -> None:
    assert problems_of_page(SOUND) == []


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<p style="color: red">x</p>', "inline style"),
        ('<p onclick="x()">x</p>', "inline style or handler"),
        ('<p hx-on::click="x()">x</p>', "inline handler"),
        ("<script>x()</script>", "inline script"),
        ("<style>p {}</style>", "inline script or style sheet"),
        ('<script src="https://cdn.example/x.js"></script>', "leads away"),
        ('<img src="//cdn.example/x.png" alt="">', "leads away"),
        ('<a href="javascript:x()">x</a>', "leads away"),
        ('<form action="https://evil.example/"></form>', "leads away"),
        ('<p id="a"></p><p id="a"></p>', "id used twice"),
        ('<label for="gone">x</label>', "names nothing"),
        ('<button popovertarget="gone">x</button>', "names nothing"),
        ('<input name="q">', "has no label"),
        ("<textarea></textarea>", "has no label"),
        ('<progress max="1" value="1"></progress>', "has no label"),
        ("<button><svg></svg></button>", "has no name"),
        ('<a href="/"></a>', "has no name"),
        ('<img src="/x.png">', "has no alt"),
        ('<p><svg role="img" aria-label="topic"></svg> Topic</p>', "read twice"),
        ('<form method="post"></form>', "sends no token"),
        ("<div><p></div>", "closes"),
        ("<div>", "never closed"),
        ('<p class="a" class="b">x</p>', "given twice"),
    ],
)
def test_problems_of_fragments(html: str, problem: str) -> None:
    assert any(problem in found for found in problems_of_fragment(html)), html


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (' lang="en"', "", "names no language"),
        ("<h1>T</h1>", "", "0 <h1>"),
        ("<h1>T</h1>", "<h1>T</h1><h3>U</h3>", "heading of level 3"),
        ("<title>T</title>", "", "0 <title>"),
    ],
)
def test_problems_of_pages(old: str, new: str, problem: str) -> None:
    assert any(problem in found for found in problems_of_page(SOUND.replace(old, new)))
