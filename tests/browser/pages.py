"""Every page of the site, found from its URL patterns, so that no new page is missed.

A URL without arguments is requested. For one with arguments, an example is found by following links from
page to page.
"""

import re
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
FOUND = 200
NOT_FOUND = 404


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


def routes() -> list[Route]:
    """Every named URL of the site except those of the admin."""
    return list(_routes(get_resolver(), "/", ()))


def _routes(resolver: URLResolver, prefix: str, spaces: tuple[str, ...]) -> Iterator[Route]:
    for pattern in resolver.url_patterns:
        path = prefix + _example(pattern)
        if isinstance(pattern, URLResolver):
            space = (pattern.namespace,) if pattern.namespace else ()
            if pattern.namespace not in ELSEWHERE:
                yield from _routes(pattern, path, spaces + space)
        elif pattern.name:
            takes = "<" in str(pattern.pattern) or path != prefix + str(pattern.pattern)
            takes = takes or any(each in prefix for each in EXAMPLES.values() if len(each) > 1)
            yield Route(":".join((*spaces, pattern.name)), path, takes)


def _example(pattern: URLPattern | URLResolver) -> str:
    converters = pattern.pattern.converters

    def example_of(match: re.Match[str]) -> str:
        return EXAMPLES.get(type(converters.get(match[1])).__name__, "x")

    return ARGUMENT.sub(example_of, str(pattern.pattern))


@dataclass(slots=True)
class Survey:
    """Crawls a site: the pages found, and the URL names visited."""

    address: str
    person: APIRequestContext
    visitor: APIRequestContext
    site_pages: dict[str, SitePage] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    to_visit: list[str] = field(default_factory=list)
    visited: list[str] = field(default_factory=list)

    def find_all(self) -> list[SitePage]:
        """Every page, by name; raises AssertionError if a URL name was not reached by any link."""
        found = self.find()
        unseen = [route for route in routes() if route.name not in self.visits]
        missed = [r.name for r in unseen if r.name not in PARTS and self._is_page(r)]
        assert not missed, f"no link leads to {', '.join(missed)}; have the furnishing make one"
        return found

    def find(self) -> list[SitePage]:
        """Every page reached by links, by name."""
        known = routes()
        without_arguments = [route.path for route in known if not route.takes_arguments]
        for path in (*self.visited, *without_arguments):
            self._offer(path)
        while self.to_visit:
            self._visit(self.to_visit.pop(0))
        return [*self.site_pages.values(), *self._for_visitors(known)]

    def _offer(self, link: str) -> None:
        path = urlsplit(link)._replace(fragment="").geturl()
        name = _name_of(path)
        if name is None or self.visits.get(name, 0) >= EACH_VISITED:
            return
        if path not in self.to_visit:
            self.visits[name] = self.visits.get(name, 0) + 1
            self.to_visit.append(path)

    def _visit(self, path: str) -> None:
        answer = self.person.get(self.address + path, max_redirects=0)
        kind = answer.headers.get("content-type", "")
        if answer.status != FOUND or not kind.startswith("text/html"):
            return
        text = answer.text()
        name = _name_of(path) or ""
        if text.lstrip()[: len(DOCUMENT)].lower() == DOCUMENT:
            self.site_pages.setdefault(name, SitePage(name, path))
        for link in LINK.findall(text):
            self._offer(urljoin(path, unescape(link)))

    def _is_page(self, route: Route) -> bool:
        """Whether the URL would be a page if its arguments existed."""
        answer = self.person.get(self.address + route.path, max_redirects=0)
        kind = answer.headers.get("content-type", "")
        return answer.status == NOT_FOUND and kind.startswith("text/html")

    def _for_visitors(self, known: list[Route]) -> Iterator[SitePage]:
        yield SitePage("not_found", "/nowhere/")
        for route in known:
            answer = self.visitor.get(self.address + route.path, max_redirects=0)
            kind = answer.headers.get("content-type", "")
            if kind.startswith("text/html") and answer.status in {FOUND, 410}:
                yield SitePage(f"{route.name} (visitor)", route.path, for_visitors=True)


def _name_of(path: str) -> str | None:
    parts = urlsplit(path)
    if parts.netloc or parts.scheme:
        return None
    try:
        match = resolve(parts.path)
    except Resolver404:
        return None
    return None if match.namespaces and match.namespaces[0] in ELSEWHERE else match.view_name
