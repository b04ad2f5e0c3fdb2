"""Messages are rendered as safe HTML."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.pages.rendering import MAX_MARKDOWN_LENGTH, markdown, plain, render_quotations
from tests.cases import cases

TEXT = {"a", "blockquote", "br", "code", "del", "em", "hr", "li", "ol", "p", "pre", "s", "strong", "ul"}
ALLOWED = TEXT | {"table", "tbody", "td", "th", "thead", "tr", "h2", "h3", "h4", "h5", "h6"}
(ATTACKS,) = cases(__file__, "attacks.txt").values()


OURS = {"div": (), "span": (), "button": ("type", "data-copy-code"), "pre": ("tabindex",)}
"""Elements around code blocks, with their attributes."""
RENDERERS = (markdown, render_quotations, plain)


def tags(html):
    """The start tags, each with its attributes."""
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))
    parser.feed(html)
    parser.close()
    return found


def check_safe(html):
    for tag, attributes in tags(html):
        assert tag in {*ALLOWED, *OURS}, tag
        assert set(attributes) <= {"href", "title", "rel", "start", "class", *OURS.get(tag, ())}
        href = attributes.get("href")
        if href is not None:
            assert re.match(r"(https?://|mailto:|/memory/p/W-\d+/R-\d+/D-\d+/$)", href), href


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_render_as_inert_html(attack):
    for render in RENDERERS:
        check_safe(render(attack))
        check_safe(render(f"> {attack}\n\n- {attack}"))


@given(st.text(alphabet="<>\"'&[]()!`*_~#|:/-= \n\tascriptjhonld§WRD0123", max_size=80))
def test_any_text_renders_as_safe_html(text):
    for render in RENDERERS:
        check_safe(render(text))


def test_markdown_is_rendered():
    html = markdown("**bold** and `code`\nnext line\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n~~old~~")
    for wanted in ("<strong>bold</strong>", "<code>code</code>", "<br", "<table>", "<s>old</s>"):
        assert wanted in html
    html = markdown("```python\nif a < b: print('&')\n```")
    assert '<code class="language-python">' in html
    assert "if a &lt; b" in html
    assert markdown("*x* " * (MAX_MARKDOWN_LENGTH // 4 + 1)).startswith("<pre>*x* *x*"), "too long to render"


def test_links_are_nofollow_and_images_are_not_loaded():
    assert markdown("[site](https://example.org/a?b=1)") == (
        '<p><a href="https://example.org/a?b=1" rel="noopener nofollow ugc">site</a></p>\n'
    )
    html = markdown("Look: ![a grey cat](https://tracker.example/cat.png)")
    assert "tracker.example" not in html
    assert "a grey cat" in html


@pytest.mark.parametrize(
    ("text", "levels"), [("# One\n\n### Two\n\n# Three", ["h2", "h3", "h2"]), ("#### Deep", ["h2"])]
)
def test_headings_start_at_level_two_without_gaps(text, levels):
    found = [tag for tag, _ in tags(markdown(text)) if re.fullmatch(r"h\d", tag)]
    assert found == levels


@pytest.mark.parametrize("render", RENDERERS)
def test_pointers_link_to_their_drawers(render):
    html = render("As you said (§ W-042/R-11/D-007), and w-1/r-2/d-3.")
    links = [attributes for tag, attributes in tags(html) if tag == "a"]
    hrefs = [attributes["href"] for attributes in links]
    assert hrefs == ["/memory/p/W-42/R-11/D-7/", "/memory/p/W-1/R-2/D-3/"]
    assert {attributes["class"] for attributes in links} == {"aaak"}
    assert "§ W-042/R-11/D-007</a>" in html
    html = markdown("`§ W-042/R-11/D-007` and [§ W-042/R-11/D-007](https://example.org)")
    assert [attributes["href"] for tag, attributes in tags(html) if tag == "a"] == ["https://example.org"]


def test_quotations_are_shown_literally():
    words = "# not a heading\n* not a list\n**not bold** [not](https://a.example) <b>&amp; `x`"
    html = render_quotations("> " + words.replace("\n", "\n> "))
    shown = re.sub(r"<br\s*/?>\n?", "\n", html)
    assert "<blockquote>" in html
    assert {tag for tag, _ in tags(html)} == {"blockquote", "p", "br"}
    for line in words.splitlines():
        assert line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in shown
    assert plain("a <b> & 'c'\n  d") == "a &lt;b&gt; &amp; &#x27;c&#x27;\n  d"
