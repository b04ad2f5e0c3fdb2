"""Finds the forms on pages, with the values a browser would send."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.test import Client
from django.urls import resolve

from tests.html import Element, Page, parse

NOT_SENT = ("file", "submit", "reset", "image", "button")
WRITTEN = ("text", "search", "email", "url", "password")
Headers = dict[str, str] | None
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass
class Form:
    """A form: the name of its view, its URL, its method, and the values it sends.

    As in a browser, those of a `get` form replace the query of the URL. `pressed` is the name and value of
    the button, if it sends one.
    """

    name: str
    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)
    lengths: dict[str, int | None] = field(default_factory=dict)
    """The maximum length of each value that a visitor writes."""
    ids: dict[str, list[str]] = field(default_factory=dict)
    """The values with an id that each field may send, chosen or not."""
    pressed: tuple[str, str] | None = None

    def send(self, client: Client, *, follow: bool = False, headers: Headers = None, **changed: str) -> Any:
        """Submit it as a browser does, with changed values."""
        return getattr(client, self.method)(
            self.action, self.values | changed, follow=follow, headers=headers
        )

    def fill(self, page: Page, control: Element) -> None:
        """Add the value of a control."""
        name, kind = control.attributes["name"], control.attributes.get("type", "text")
        values = _values(page, control)
        if not (kind in ("checkbox", "radio") and "checked" not in control.attributes):
            self.values.setdefault(name, values[0])
        self._add_ids(name, values)
        if control.tag == "textarea" or (control.tag == "input" and kind in WRITTEN):
            self.lengths[name] = int(control.attributes.get("maxlength", 0)) or None

    def fill_from(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Add values of a query or of `hx-vals`."""
        for name, value in pairs:
            self.values.setdefault(name, value)
            self._add_ids(name, [value])

    def _add_ids(self, name: str, values: Iterable[str]) -> None:
        if found := [value for value in values if ID.search(value)]:
            self.ids.setdefault(name, []).extend(found)


def forms_on(client: Client, addresses: Iterable[str]) -> Collection[Form]:
    found: dict[tuple[object, ...], Form] = {}
    for address in addresses:
        for form in forms_at(client, address):
            found.setdefault((form.name, form.method, form.pressed, *sorted(form.values)), form)
    return found.values()


def forms_at(client: Client, address: str, *, links: bool = False, headers: Headers = None) -> Iterator[Form]:
    """All forms on a page, one for each button that sends something else, and elements with `hx-post`.

    With `links`, also the links, as forms that send their query.
    """
    answer = client.get(address, follow=True, headers=headers)
    assert answer.status_code in {200, 422}, (address, answer.status_code)
    page = parse(answer.content.decode())
    for element in page.elements:
        if element.tag == "form" or "hx-post" in element.attributes:
            yield from _forms(page, element, answer.request["PATH_INFO"])
        elif links:
            yield from _link(element)


def _link(element: Element) -> Iterator[Form]:
    url = urlsplit(element.attributes.get("href") or element.attributes.get("hx-get") or "")
    if url.query and url.path and not url.netloc:
        link = Form(resolve(url.path).view_name, url.path, "get")
        link.fill_from(parse_qsl(url.query))
        yield link


def _forms(page: Page, element: Element, address: str) -> Iterator[Form]:
    controls = _controls(page, element)
    buttons = [each for each in controls if each.tag == "button" and "name" in each.attributes]
    buttons += [each for each in controls if "formaction" in each.attributes and each not in buttons]
    for button in (None, *buttons):
        pressed = button.attributes if button else {}
        sent = element.attributes
        method = "post" if "hx-post" in sent else sent.get("method", "get").lower()
        url = urlsplit(pressed.get("formaction") or sent.get("hx-post") or sent.get("action") or address)
        path = url.path or address
        action = path if method == "get" else url._replace(path=path).geturl()
        form = Form(resolve(path).view_name, action, method)
        form.fill_from(json.loads(sent.get("hx-vals", "{}")).items())
        for control in controls:
            if _is_sent(control):
                form.fill(page, control)
        if name := pressed.get("name"):
            form.pressed = name, pressed.get("value", "")
            form.fill_from([form.pressed])
        yield form


def _controls(page: Page, element: Element) -> list[Element]:
    """The controls of a form, or of the one around an element, and those named by `hx-include`."""
    around = next((each for each in element.ancestors[::-1] if each.tag == "form"), element)
    included = element.attributes.get("hx-include", "#").removeprefix("#")
    named = [each for each in page.elements if included and each.attributes.get("id") == included]
    return [
        control
        for control in page.elements
        if control in named or any(_is_in(control, form) for form in (around, *named))
    ]


def _is_in(control: Element, form: Element) -> bool:
    owner = control.attributes.get("form")
    return owner == form.attributes.get("id", "-") if owner else form in control.ancestors


def _is_sent(control: Element) -> bool:
    is_control = control.tag in ("input", "textarea", "select")
    name, kind = control.attributes.get("name", ""), control.attributes.get("type", "")
    return is_control and kind not in NOT_SENT and name not in ("", "csrfmiddlewaretoken")


def _values(page: Page, control: Element) -> list[str]:
    """The value of a control, or "on" for an empty text; those of a select, the chosen one first."""
    if control.tag != "select":
        empty = "" if control.attributes.get("type") == "number" else "on"
        return [control.words if control.tag == "textarea" else control.attributes.get("value", empty)]
    options = [
        each.attributes for each in page.elements if each.tag == "option" and control in each.ancestors
    ]
    options.sort(key=lambda each: "selected" not in each)
    return [each.get("value", "") for each in options] or [""]
