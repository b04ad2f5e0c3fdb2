"""What a row of each kind must look like, worked out from its table."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext as _
from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    ValidationError,
    create_model,
)

from chat.exporting.kinds import BY_NAME
from chat.restoring.types import RestoreRefused

EARLIEST = datetime(2, 1, 1, tzinfo=UTC)
LATEST = datetime(9998, 12, 31, tzinfo=UTC)
DIGEST = 32
MOST_TAGS = 10_000

_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_WHOLE_NUMBERS = {
    "PositiveSmallIntegerField": 2**15 - 1,
    "PositiveIntegerField": 2**31 - 1,
    "PositiveBigIntegerField": 2**63 - 1,
}


def check_line(kind_name: str, line: bytes, number: int) -> None:
    """Raises RestoreRefused, naming the line and the field, when a row is not as it should be. The
    sentence repeats nothing of what the row says."""
    where = {"line": f"{number:,}", "file": f"data/{kind_name}.jsonl"}
    try:
        _shape(kind_name).model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = str(first["loc"][0]) if first["loc"] else ""
        sentence = _misshapen(kind_name, field) % (where | {"field": field})
        raise RestoreRefused(sentence) from None
    if _NUL.search(line):
        sentence = _(
            "Nothing was restored: line %(line)s of %(file)s holds a character that cannot be kept."
        )
        raise RestoreRefused(sentence % where)


def defaults_of(kind_name: str) -> Mapping[str, Any]:
    """The values of fields that a row may leave out."""
    kind = BY_NAME[kind_name]
    fields = {field.column: field for field in kind.model._meta.concrete_fields if field.column}
    free = {name for name, field in fields.items() if name in kind.left_out or _is_free(field)}
    return {name: _default(fields[name]) for name in free - {"id"}}


def _misshapen(kind_name: str, field: str) -> str:
    if not field:
        return _("Nothing was restored: line %(line)s of %(file)s is not JSON.")
    if field not in BY_NAME[kind_name].columns:
        return _(
            "Nothing was restored: line %(line)s of %(file)s has a wrong value in a field this "
            "Palace does not know."
        )
    return _("Nothing was restored: line %(line)s of %(file)s has a wrong value in %(field)s.")


@cache
def _shape(kind_name: str) -> type[BaseModel]:
    kind = BY_NAME[kind_name]
    fields = {field.column: field for field in kind.model._meta.concrete_fields}
    given: dict[str, Any] = {}
    for name in kind.columns:
        field = fields[name]
        type_ = _type(field) | None if field.null else _type(field)
        given[name] = (type_, None if _is_free(field) else ...)
    return create_model(kind_name, __config__=ConfigDict(extra="forbid"), **given)


def _is_free(field: "models.Field[Any, Any]") -> bool:
    """Whether a row may leave it out. Moments and ids always have to be said."""
    by_itself = isinstance(field, models.DateTimeField | models.UUIDField) and not field.null
    return not by_itself and (field.null or field.has_default() or field.blank)


def _default(field: "models.Field[Any, Any]") -> Any:
    value = field.get_default()
    return value.value if isinstance(value, models.Choices) else value


def _type(field: "models.Field[Any, Any]") -> Any:
    if field.choices:
        values = [value for value, _ in field.flatchoices]
        return Literal[tuple([*values, ""] if field.blank else values)]
    if isinstance(field, ArrayField):
        return Annotated[list[_type(field.base_field)], Field(max_length=MOST_TAGS)]  # type: ignore[misc]
    if isinstance(field, models.CharField):
        return Annotated[str, StringConstraints(max_length=field.max_length)]
    if isinstance(field, models.BinaryField):
        return Annotated[str, StringConstraints(pattern=rf"^\\x[0-9a-f]{{{2 * DIGEST}}}$")]
    name = field.get_internal_type()
    if name in _WHOLE_NUMBERS:
        return Annotated[int, Field(strict=True, **_bounds(field, 0, _WHOLE_NUMBERS[name]))]
    return _PLAIN[name] if name in _PLAIN else _measured(field)


def _measured(field: "models.Field[Any, Any]") -> Any:
    sort = Decimal if isinstance(field, models.DecimalField) else float
    return Annotated[sort, Field(allow_inf_nan=False, **_bounds(field, None, None))]


def _bounds(field: "models.Field[Any, Any]", low: Any, high: Any) -> dict[str, Any]:
    for validator in field.validators:
        if isinstance(validator, MinValueValidator):
            low = validator.limit_value
        elif isinstance(validator, MaxValueValidator):
            high = validator.limit_value
    return {"ge": low, "le": high}


_PLAIN: Mapping[str, Any] = {
    "UUIDField": UUID,
    "TextField": str,
    "BooleanField": StrictBool,
    "JSONField": Any,
    "DateTimeField": Annotated[AwareDatetime, Field(ge=EARLIEST, le=LATEST)],
}
