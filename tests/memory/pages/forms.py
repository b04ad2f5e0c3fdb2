"""Reads a page as a browser does: the URLs and values of its forms, and the link to the next page."""

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.html import check_page, parse

HTMX = {"HX-Request": "true"}


def page(client: Client, name: str, /, *args: object, **query: object) -> str:
    """A page of memory by the name of its URL."""
    return check_page(client.get(reverse(f"memory:{name}", args=args, query=query)))


def refused(client: Client, name: str, /, *args: object, **query: object) -> str:
    """A page that explains what is wrong with its query."""
    return check_page(client.get(reverse(f"memory:{name}", args=args, query=query)), status=422)


def post(client: Client, name: str, /, *args: object, **data: object) -> HttpResponse:
    """The response to a form."""
    return client.post(reverse(f"memory:{name}", args=args), data)


def submit(client: Client, url: str, status: int = 200, **data: object) -> str:
    """The page that follows a form."""
    return check_page(client.post(url, data, follow=True), status)


def actions(html: str, part: str = "") -> list[str]:
    """The distinct URLs of forms that contain `part`."""
    found = (element.attributes.get("action", "") for element in parse(html).elements)
    return list(dict.fromkeys(action for action in found if action and part in action))


def undo_in(html: str, part: str = "undo/") -> str:
    """The URL of the only undo button of a page."""
    (action,) = actions(html, part)
    return action


def undo_of(change: object) -> str:
    """The URL that undoes a change, batch, deletion or event."""
    return reverse("memory:undo", args=[change.id])


def value_of(html: str, name: str) -> str:
    """The value of a form field."""
    fields = (e.attributes for e in parse(html).elements if e.attributes.get("name") == name)
    return next(each["value"] for each in fields)


def all_pages(client: Client, url: str) -> list[str]:
    """The pages of a list, following the link to the next one."""
    pages, here = [], url
    while here:
        pages.append(check_page(client.get(here)))
        following = [e for e in parse(pages[-1]).elements if e.attributes.get("rel") == "next"]
        here = url.partition("?")[0] + following[0].attributes["href"] if following else ""
        assert len(pages) < 50, "the list never ends"
    return pages
