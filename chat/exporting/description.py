"""How a kind of row is described: its table, what it refers to, and how it is known again."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.apps import apps
from django.db import models


@dataclass(frozen=True, slots=True)
class Key:
    """Columns by which a row is known in an account that has it under another id. `where` narrows
    the rows on both sides; `{row}` is the alias. A `unique` key belongs to one row only."""

    columns: tuple[str, ...]
    where: str = "true"
    unique: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of row: its file in the archive, its table, and how its rows hang together.

    `references` must be there, `mentions` may be gone; both name the kind that a column points to.
    `condition` and `in_wing` are SQL over the row `t`; without `in_wing` the kind is no part of a
    wing. `values` are SQL for columns that are not written as they are stored, `rows_in` columns
    of JSON that hold ids.
    """

    name: str
    table: str
    references: Mapping[str, str] = field(default_factory=dict)
    mentions: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[Key, ...] = ()
    condition: str = "true"
    in_wing: str = ""
    left_out: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    values_in_wing: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ("id",)
    rows_in: tuple[str, ...] = ()

    @property
    def model(self) -> type[models.Model]:
        """The table as Django knows it."""
        return next(model for model in apps.get_models() if model._meta.db_table == self.table)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values of a row, in the order of the table."""
        every = (column.column for column in self.model._meta.concrete_fields)
        return tuple(name for name in every if name and name not in {"user_id", *self.left_out})
