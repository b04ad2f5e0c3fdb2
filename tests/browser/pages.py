"""Every page of the site, found from its URL patterns, so that no new page is missed.

A URL without arguments is requested. For one with arguments, an example is found by following links from
page to page.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urljoin, urlsplit

from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve
from playwright.sync_api import APIRequestContext

ELSEWHERE = frozenset({"admin", "mcp"})  # Django's own pages, and those for programs
EXAMPLES = {"UUIDConverter": "00000000-0000-0000-0000-000000000000", "IntConverter": "1"}
PARTS = frozenset(  # fragments of pages, and pages that need a passkey or an emailed link
    {
        "account_reset_password_from_key",
        "chat:import_state",
        "chat:remembered",
        "chat:reply_of",  # redirects to a message in a chat
        "chat:stream",
        "chat:transfer_state",
        "idp:oidc:device_authorization",
        "idp:oidc:device_code",
        "mfa_edit_webauthn",
        "mfa_remove_webauthn",
    }
)
EACH_VISITED = 4
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")
LINK = re.compile(r'(?:href|hx-get|action|hx-post|data-preview)="([^"#][^"]*)"')
DOCUMENT = "<!doctype html"


@dataclass(frozen=True, slots=True)
class Route:
    """A URL pattern with its name, and a path with example arguments."""

    name: str
    path: str
    takes_arguments: bool


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page of the site: its URL name and path. Visitors are not signed in."""

    name: str
    path: str
    for_visitors: bool = False


def routes(resolver: URLResolver, prefix: str = "/", spaces: tuple[str, ...] = ()) -> Iterator[Route]:
    """Every named URL of the site except those of the admin."""
    for pattern in resolver.url_patterns:
        path = prefix + _example(pattern)
        if isinstance(pattern, URLResolver):
            space = (pattern.namespace,) if pattern.namespace else ()
            if pattern.namespace not in ELSEWHERE:
                yield from routes(pattern, path, spaces + space)
        elif pattern.name:
            takes = path != prefix + str(pattern.pattern) or EXAMPLES["UUIDConverter"] in prefix
            yield Route(":".join((*spaces, pattern.name)), path, takes)


def _example(pattern: URLPattern | URLResolver) -> str:
    converters = pattern.pattern.converters

    def example_of(match: re.Match[str]) -> str:
        return EXAMPLES.get(type(converters.get(match[1])).__name__, "x")

    return ARGUMENT.sub(example_of, str(pattern.pattern))


@dataclass(slots=True)
class Survey:
    """Crawls a site from the visited paths: collects its pages, and counts the links to each URL name."""

    address: str
    person: APIRequestContext
    visitor: APIRequestContext
    visited: list[str]
    known: list[Route] = field(default_factory=lambda: list(routes(get_resolver())))
    site_pages: dict[str, SitePage] = field(default_factory=dict)
    visits: Counter[str] = field(default_factory=Counter)
    to_visit: list[str] = field(default_factory=list)

    def find_all(self) -> list[SitePage]:
        """Every page, by name; raises AssertionError if a URL name was not reached by any link."""
        found = self.find()
        unseen = [route for route in self.known if route.name not in self.visits]
        missed = [r.name for r in unseen if r.name not in PARTS and self._page(self.person, r.path, {404})]
        assert not missed, f"no link leads to {', '.join(missed)}; have the furnishing make one"
        return found

    def find(self) -> list[SitePage]:
        """Every page reached by links, by name."""
        for path in (*self.visited, *(route.path for route in self.known if not route.takes_arguments)):
            self._offer(path)
        while self.to_visit:
            self._visit(self.to_visit.pop(0))
        for_visitors = [
            SitePage(f"{route.name} (visitor)", route.path, for_visitors=True)
            for route in self.known
            if self._page(self.visitor, route.path, {200, 410})
        ]
        return [*self.site_pages.values(), SitePage("not_found", "/nowhere/"), *for_visitors]

    def _offer(self, link: str) -> None:
        path = urlsplit(link)._replace(fragment="").geturl()
        name = _name_of(path)
        if name and self.visits[name] < EACH_VISITED and path not in self.to_visit:
            self.visits[name] += 1
            self.to_visit.append(path)

    def _visit(self, path: str) -> None:
        text = self._page(self.person, path, {200})
        if text.lstrip()[: len(DOCUMENT)].lower() == DOCUMENT:
            name = _name_of(path) or ""
            self.site_pages.setdefault(name, SitePage(name, path))
        for link in LINK.findall(text):
            self._offer(urljoin(path, unescape(link)))

    def _page(self, browser: APIRequestContext, path: str, statuses: set[int]) -> str:
        """The HTML at a path, or "" if it has another status or is not a page."""
        answer = browser.get(self.address + path, max_redirects=0)
        is_page = answer.headers.get("content-type", "").startswith("text/html")
        return answer.text() if is_page and answer.status in statuses else ""


def _name_of(path: str) -> str:
    parts = urlsplit(path)
    if parts.netloc or parts.scheme:
        return ""
    try:
        match = resolve(parts.path)
    except Resolver404:
        return ""
    return "" if match.namespaces and match.namespaces[0] in ELSEWHERE else match.view_name
