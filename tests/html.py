"""Check a page against its content security policy and for accessibility."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

VOID = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
))  # fmt: skip
FORM_CONTROLS = frozenset({"input", "select", "textarea", "meter", "progress"})
NEEDS_NO_LABEL = frozenset({"hidden", "submit", "button", "reset", "image"})
ADDRESSES = frozenset(("src", "href", "action", "formaction", "poster", "srcset", "data", "xlink:href"))
REFERENCES = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "popovertarget")
DATA_TYPES = frozenset({"application/json", "application/ld+json"})


@dataclass(eq=False)
class Element:
    """A start tag, with its ancestors and the text inside it."""

    tag: str
    attributes: dict[str, str]
    ancestors: "tuple[Element, ...]" = ()
    words: str = ""

    def __str__(self) -> str:
        shown = "".join(f' {name}="{value}"' for name, value in self.attributes.items())
        return f"<{self.tag}{shown}>"


@dataclass
class Page(HTMLParser):
    """The elements of a page in order, and the nesting `problems` found while parsing."""

    elements: list[Element] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(self._open))
        if len(element.attributes) < len(attrs):
            self.problems.append(f"an attribute is given twice: {element}")
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1].tag != tag:
            last = self._open[-1] if self._open else "nothing"
            self.problems.append(f"</{tag}> closes {last}")
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.words += data

    def close(self) -> None:
        super().close()
        self.problems += [f"never closed: {element}" for element in self._open]


def parse(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    return page


def _inline(page: Page) -> list[str]:
    found = []
    for element in page.elements:
        given = element.attributes
        if any(name == "style" or name.startswith("on") for name in given):
            found.append(f"inline style or handler: {element}")
        if any(name.startswith("hx-on") for name in given):
            found.append(f"inline handler: {element}")
        is_code = element.tag == "script" and given.get("type") not in DATA_TYPES
        if element.tag == "style" or (is_code and ("src" not in given or element.words.strip())):
            found.append(f"inline script or style sheet: {element}")
    return found


def _foreign(page: Page) -> list[str]:
    return [
        f"leads away from this site: {element}"
        for element in page.elements
        for name in element.attributes.keys() & ADDRESSES
        if _is_foreign(element.attributes[name].strip(), is_link=element.tag == "a" and name == "href")
    ]


def _is_foreign(address: str, *, is_link: bool) -> bool:
    parts = urlsplit(address)
    allowed = address.startswith("data:image/") or (is_link and parts.scheme in {"http", "https"})
    return bool(parts.scheme or parts.netloc) and not allowed


def _identifiers(page: Page) -> list[str]:
    live = [e for e in page.elements if not any(a.tag == "template" for a in e.ancestors)]
    ids = [element.attributes["id"] for element in live if "id" in element.attributes]
    return [f"id used twice: {name}" for name in sorted(set(ids)) if ids.count(name) > 1] + [
        f"{attribute} names nothing: {element}"
        for element in live
        for attribute in REFERENCES
        if not set(element.attributes.get(attribute, "").split()) <= set(ids)
    ]


def _has_name(element: Element, labelled: set[str]) -> bool:
    given = element.attributes
    return bool(
        given.get("aria-label", "").strip()
        or given.get("aria-labelledby")
        or given.get("title", "").strip()
        or given.get("id") in labelled
        or any(a.tag == "label" and a.words.strip() for a in element.ancestors)
    )


def _inner_name(page: Page, element: Element) -> bool:
    inside = (each.attributes for each in page.elements if element in each.ancestors)
    return bool(element.words.strip()) or any(e.get("aria-label") or e.get("alt") for e in inside)


def _unlabelled(page: Page) -> list[str]:
    labelled = {e.attributes.get("for", "") for e in page.elements if e.tag == "label"} - {""}
    found = []
    for element in page.elements:
        is_control = element.tag in FORM_CONTROLS and element.attributes.get("type") not in NEEDS_NO_LABEL
        named = _has_name(element, labelled)
        if is_control and not named:
            found.append(f"has no label: {element}")
        if element.tag in {"button", "a", "summary"} and not (named or _inner_name(page, element)):
            found.append(f"has no name: {element}")
        if element.tag == "img" and "alt" not in element.attributes:
            found.append(f"has no alt: {element}")
    return found


def _read_twice(page: Page) -> list[str]:
    """Images whose label repeats the text beside them, so that a screen reader reads it twice."""
    return [
        f"is read twice: {element}"
        for element in page.elements
        if element.attributes.get("role") == "img"
        and element.ancestors
        and element.ancestors[-1].words.strip().lower()
        == element.attributes.get("aria-label", "").strip().lower()
    ]


def _without_csrf_token(page: Page) -> list[str]:
    """Forms that post without a CSRF token."""
    tokens = [e for e in page.elements if e.attributes.get("name") == "csrfmiddlewaretoken"]
    return [
        f"sends no token: {form}"
        for form in page.elements
        if form.tag == "form"
        and form.attributes.get("method", "get").lower() == "post"
        and not any(form in token.ancestors for token in tokens)
    ]


def _outline(page: Page) -> list[str]:
    found = []
    tags = [e.tag for e in page.elements if not any(above.tag == "svg" for above in e.ancestors)]
    root = next((e for e in page.elements if e.tag == "html"), None)
    if root is None or not root.attributes.get("lang"):
        found.append("the page names no language")
    for tag in ("title", "main", "h1"):
        if tags.count(tag) != 1:
            found.append(f"the page has {tags.count(tag)} <{tag}>")
    levels = [int(tag[1]) for tag in tags if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit()]
    skips = [b for a, b in zip([0, *levels], levels, strict=False) if b > a + 1]
    return found + [f"a heading of level {level} follows none above it" for level in skips]


def _problems(page: Page) -> list[str]:
    checks = (_inline, _foreign, _identifiers, _unlabelled, _read_twice, _without_csrf_token)
    return page.problems + [problem for check in checks for problem in check(page)]


def problems_of_fragment(html: str) -> list[str]:
    """The problems of a page fragment, one sentence each."""
    return _problems(parse(html))


def problems_of_page(html: str) -> list[str]:
    """The problems of a whole page, one sentence each."""
    page = parse(html)
    return _problems(page) + _outline(page)


def check_page(response: Any, status: int = 200) -> str:
    """The HTML of a response; fails unless it is a valid page with a strict content security policy."""
    html: str = response.content.decode()
    assert response.status_code == status, (response.status_code, response.get("Location"))
    policy = response.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert problems_of_page(html) == []
    return html


def check_fragment(response: Any, status: int = 200) -> str:
    """The HTML of a response; fails unless it is a valid page fragment."""
    html: str = response.content.decode()
    assert response.status_code == status
    assert problems_of_fragment(html) == []
    return html
