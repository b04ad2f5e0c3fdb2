"""Parses requests strictly: what the database cannot store is rejected first."""

import json
from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser

from api.problems import Refused

UNREADABLE = "Send valid UTF-8 JSON without NUL characters, and not nested too deeply."
MAX_DEPTH = 40


class StrictParser(Parser):
    """JSON of at most MAX_DEPTH levels; strings are valid Unicode without NUL."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The parsed body. Raises ValueError, which becomes a 400."""
        try:
            found = json.loads(request.body.decode(), parse_constant=_refuse)
        except RecursionError as error:
            raise ValueError(UNREADABLE) from error
        _check(found, MAX_DEPTH)
        return found

    def parse_querydict(
        self, data: "MultiValueDict[str, Any]", list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        """The parsed query string. Raises Refused."""
        if any("\x00" in value for values in data.lists() for value in values[1]):
            raise Refused(400, "Query parameters cannot contain NUL characters.")
        found: dict[str, Any] = super().parse_querydict(data, list_fields, request)
        return found


def _refuse(name: str) -> None:
    raise ValueError(UNREADABLE)


def _check(value: Any, levels: int) -> None:
    if levels < 0:
        raise ValueError(UNREADABLE)
    if isinstance(value, str):
        value.encode()
        if "\x00" in value:
            raise ValueError(UNREADABLE)
    elif isinstance(value, dict):
        for name, inner in value.items():
            _check(name, levels)
            _check(inner, levels - 1)
    elif isinstance(value, list):
        for inner in value:
            _check(inner, levels - 1)
