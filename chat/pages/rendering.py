"""Renders messages as safe HTML: markdown of models, plain text of users, citations."""

from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import nh3
from django.urls import Resolver404, resolve, reverse
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from memory.aaak import Pointer, find_pointers
from memory.text.patterns import compile_pattern
from memory.text.sanitizing import visible

MAX_MARKDOWN_LENGTH = 50_000
MAX_MARKDOWN_LINES = 2_000
MAX_BRACKETS = 5_000
"""The parser copies everything before it for each bracket that opens no link."""
CITATION_CLASS = "aaak"
UNKNOWN_CLASS = "aaak-unknown"
NUMBER_CLASS = "aaak source-number"
_LANGUAGE = compile_pattern(r'<code class="language-([a-zA-Z0-9+#.-]{1,20})"')
LINK_SCHEMES = {"http", "https", "mailto"}
TAGS = (
    {"a", "br", "code", "del", "em", "s", "span", "strong"}
    | {"blockquote", "hr", "li", "ol", "p", "pre", "ul"}
    | {"table", "tbody", "td", "th", "thead", "tr"}
    | {"h2", "h3", "h4", "h5", "h6"}
)
ATTRIBUTES = {"a": {"class", "href", "title"}, "ol": {"start"}, "code": {"class"}, "span": {"class", "title"}}

Known = Collection[Pointer] | None
KNOWN, NUMBERS = "known pointers", "numbers of sources"
Numbers = Mapping[Pointer, int]
NO_NUMBERS: Numbers = {}
NOTHING_KNOWN: Mapping[str, Any] = {KNOWN: None, NUMBERS: NO_NUMBERS}


def pointer_url(pointer: Pointer) -> str:
    """The URL of a drawer by its pointer."""
    return reverse("memory:pointer", args=(pointer.wing, pointer.room, pointer.drawer))


def markdown(text: str, known: Known = None, numbers: Numbers = NO_NUMBERS) -> SafeString:
    """A model's reply as HTML: no raw HTML, no images, links to the web only, pointers linked.

    A pointer that is not among the `known` ones is marked as unknown; None accepts all. One that has a number
    as a source is cited by it. A text too long to be rendered quickly is shown as it is.
    """
    text = visible(text)
    is_long = len(text) > MAX_MARKDOWN_LENGTH or text.count("\n") > MAX_MARKDOWN_LINES
    if is_long or text.count("[") > MAX_BRACKETS:
        return format_html("<pre>{}</pre>", plain(text, known))
    return _frame_code_blocks(_sanitised(_REPLY.render(text, {KNOWN: known, NUMBERS: numbers})))


def last_block(text: str) -> int:
    """Where the last block of a growing markdown text begins; those before it will not change any more."""
    blocks = [each for each in _BLOCKS.parse(text) if each.level == 0 and each.map]
    line = blocks[-1].map[0] if len(blocks) > 1 and blocks[-1].map else 0
    return sum(len(each) + 1 for each in text.split("\n")[:line])


def close_markup(text: str) -> str:
    """Close the open emphasis and code of a growing block, so that no stray marks show."""
    text = text.rstrip("*`")
    if text.count("```") % 2:
        return text
    text += "`" * (text.count("`") % 2)
    return text + "**" * (text.count("**") % 2)


def render_quotations(text: str) -> SafeString:
    """A reply made of quotations as HTML: paragraphs and quotes, every other character verbatim."""
    return _sanitised(_QUOTATIONS.render(visible(text), dict(NOTHING_KNOWN)))


def plain(text: str, known: Known = None) -> SafeString:
    """Plain text with pointers linked, or marked if they are not `known`."""
    return format_html_join("", "{}", ((part,) for part in _link_pointers(visible(text), known)))


def _link_pointers(text: str, known: Known) -> Iterator[str]:
    end = 0
    for start, stop, pointer in find_pointers(text):
        yield conditional_escape(text[end:start])
        yield _citation(text[start:stop], pointer, known)
        end = stop
    yield conditional_escape(text[end:])


def _citation(words: str, pointer: Pointer, known: Known) -> SafeString:
    if known is not None and pointer not in known:
        attributes = (UNKNOWN_CLASS, _no_such_drawer(), words, _("(unknown)"))
        return format_html('<span class="{}" title="{}">{} {}</span>', *attributes)
    return format_html('<a class="{}" href="{}">{}</a>', CITATION_CLASS, pointer_url(pointer), words)


def _no_such_drawer() -> str:
    return _("There is no drawer with this pointer in your palace.")


def _sanitised(html: str) -> SafeString:
    return mark_safe(_CLEANER.clean(html))  # noqa: S308 - this is where it becomes safe


def _frame_code_blocks(html: SafeString) -> SafeString:
    """Each block of code under its language, with a button to copy it."""
    if "<pre>" not in html:
        return html
    first, *blocks = html.split("<pre>")
    framed = (
        f'{_code_head(block)}<pre tabindex="0">{block}'.replace("</pre>", "</pre></div>", 1)
        for block in blocks
    )
    return mark_safe("".join((first, *framed)))  # noqa: S308 - clean HTML between constant tags


def _code_head(block: str) -> str:
    found = _LANGUAGE.match(block)
    language = found[1] if found else ""
    return (
        f'<div class="code"><div class="code-head"><span>{language}</span> '
        '<button class="button button-quiet button-small copies" type="button" data-copy-code>'
        f"{_('Copy')}</button></div>\n"
    )


def _relative_address(address: str) -> str | None:
    """Within the site, replies may only link to drawers."""
    try:
        return address if resolve(address).view_name == "memory:pointer" else None
    except Resolver404:
        return None


def _cite(state: StateCore) -> None:
    for block in state.tokens:
        if block.children:
            block.children = list(_with_citations(block.children, state.env))


def _with_citations(tokens: Sequence[Token], env: Mapping[str, Any]) -> Iterator[Token]:
    in_link = 0
    for token in tokens:
        in_link += token.nesting if token.type in {"link_open", "link_close"} else 0
        if token.type == "text" and not in_link:
            yield from _cited(token, env)
        else:
            yield token


def _cited(token: Token, env: Mapping[str, Any]) -> Iterable[Token]:
    end = 0
    for start, stop, pointer in find_pointers(token.content):
        yield _text(token.content[end:start])
        words, number = token.content[start:stop], env[NUMBERS].get(pointer)
        yield from _numbered(words, pointer, number) if number else _reference(words, pointer, env[KNOWN])
        end = stop
    yield _text(token.content[end:])


def _reference(words: str, pointer: Pointer, known: Known) -> tuple[Token, ...]:
    """Link a cited pointer if its drawer exists."""
    if known is None or pointer in known:
        return _element("a", words, {"class": CITATION_CLASS, "href": pointer_url(pointer)})
    title = {"class": UNKNOWN_CLASS, "title": _no_such_drawer()}
    return _element("span", f"{words} {_('(unknown)')}", title)


def _numbered(words: str, pointer: Pointer, number: int) -> tuple[Token, ...]:
    """Cite a source by its number."""
    title = _("Source %(number)s, %(pointer)s") % {"number": number, "pointer": words}
    return _element("a", str(number), {"class": NUMBER_CLASS, "href": pointer_url(pointer), "title": title})


def _element(tag: str, words: str, attributes: Mapping[str, str]) -> tuple[Token, ...]:
    opening = Token("link_open", tag, 1, attrs={**attributes})
    return opening, _text(words), Token("link_close", tag, -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _lower_headings(state: StateCore) -> None:
    """Headings of a reply start below that of the page and skip no level."""
    level = 1
    for token in state.tokens:
        if token.type == "heading_open":
            level = min(int(token.tag[1]) + 1, level + 1, 6)
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{level}"


def _image(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    environment: MutableMapping[str, Any],
) -> str:
    """The description instead of the image: loading it would tell a third party who reads this."""
    described = renderer.renderInlineAsText(tokens[index].children, options, environment)
    return str(conditional_escape(described))


_REPLY = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_REPLY.core.ruler.push("headings", _lower_headings)
_REPLY.core.ruler.push("citations", _cite)
_REPLY.add_render_rule("image", _image)
_BLOCKS = MarkdownIt("commonmark").enable("table")
"""Finds the blocks of a reply without parsing their contents."""
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_QUOTATIONS = MarkdownIt("zero", {"html": False, "breaks": True}).enable(["blockquote", "newline"])
_QUOTATIONS.core.ruler.push("citations", _cite)
_CLEANER = nh3.Cleaner(
    tags=TAGS,
    attributes=ATTRIBUTES,
    url_schemes=LINK_SCHEMES,
    url_relative=_relative_address,
    link_rel="noopener nofollow ugc",
)
