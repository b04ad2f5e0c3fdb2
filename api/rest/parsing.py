"""Reads requests strictly: what the database cannot keep is refused before anything is done."""

import json
from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser

from api.problems import Refused

UNREADABLE = "Send valid JSON in UTF-8, without NUL characters and not nested too deeply."
DEEPEST = 40


class StrictParser(Parser):
    """JSON of at most DEEPEST levels whose texts are whole Unicode without NUL."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The body of a request. Raises ValueError, which becomes a 400."""
        try:
            found = json.loads(request.body.decode(), parse_constant=_refuse)
        except RecursionError as error:
            raise ValueError(UNREADABLE) from error
        _check(found, DEEPEST)
        return found

    def parse_querydict(
        self, data: "MultiValueDict[str, Any]", list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        """The query of a request. Raises Refused."""
        if any("\x00" in value for values in data.lists() for value in values[1]):
            raise Refused(400, "A query has no NUL characters.")
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
