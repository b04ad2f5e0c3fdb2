"""Finds the forms on pages, with the values a browser would send."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.test import Client
from django.urls import resolve

from tests.html import Element, Page, parse

NOT_SENT = ("file", "submit", "reset", "image")
WRITTEN = ("text", "search", "email", "url", "password")


@dataclass
class Form:
    """A form: the name of its view, its URL, its method, and the values it sends.

    As in a browser, those of a `get` form replace the query of the URL.
    """

    name: str
    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)
    lengths: dict[str, int | None] = field(default_factory=dict)
    """The maximum length of each value that a visitor writes."""

    def send(self, client: Client, **changed: str) -> Any:
        """Submit it as a browser does, with changed values."""
        return getattr(client, self.method)(self.action, self.values | changed)


def forms_on(client: Client, addresses: Iterable[str]) -> Collection[Form]:
    """The forms on these pages, each kind once."""
    found: dict[tuple[str, ...], Form] = {}
    for address in addresses:
        answer = client.get(address, follow=True)
        assert answer.status_code in {200, 422}, (address, answer.status_code)
        for form in _forms_in(parse(answer.content.decode()), answer.request["PATH_INFO"]):
            found.setdefault((form.name, form.method, *sorted(form.values)), form)
    return found.values()


def _forms_in(page: Page, address: str) -> Iterator[Form]:
    for element in (each for each in page.elements if each.tag == "form"):
        sent = element.attributes
        url = urlsplit(sent.get("hx-post") or sent.get("action") or address)
        method = "post" if "hx-post" in sent else sent.get("method", "get").lower()
        path = url.path or address
        action = path if method == "get" else url._replace(path=path).geturl()
        form = Form(resolve(path).view_name, action, method)
        for control in page.elements:
            name = control.attributes.get("name", "")
            owner = control.attributes.get("form")
            is_own = owner == sent.get("id", "-") if owner else element in control.ancestors
            if is_own and name and name != "csrfmiddlewaretoken" and _is_sent(control):
                form.values.setdefault(name, _value(page, control))
                kind = control.attributes.get("type", "text")
                if control.tag == "textarea" or (control.tag == "input" and kind in WRITTEN):
                    form.lengths[name] = int(control.attributes.get("maxlength", 0)) or None
        yield form


def _is_sent(control: Element) -> bool:
    kind = control.attributes.get("type", "")
    is_off = kind in ("checkbox", "radio") and "checked" not in control.attributes
    return control.tag in ("input", "textarea", "select") and kind not in NOT_SENT and not is_off


def _value(page: Page, control: Element) -> str:
    if control.tag != "select":
        return control.words if control.tag == "textarea" else control.attributes.get("value", "on")
    options = [
        each.attributes for each in page.elements if each.tag == "option" and control in each.ancestors
    ]
    chosen = [each for each in options if "selected" in each] or options
    return chosen[0].get("value", "") if chosen else ""
