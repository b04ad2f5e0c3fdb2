"""The base classes of tables that belong to users.

The user is part of each primary key, unique key and reference, so no join can cross from one user to another
and the tables can be distributed by user.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

from django.conf import settings
from django.db import models
from django.http import Http404
from uuid_utils.compat import uuid7

Row = TypeVar("Row")


class NotFound(Http404):
    """The user has no such row: a response with status 404."""


class Owned(models.Model):
    """A row of one user, keyed by (user, id) with a time-ordered id."""

    pk = models.CompositePrimaryKey("user_id", "id")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,  # every key begins with the user
    )
    id = models.UUIDField(default=uuid7, editable=False)

    class Meta:
        abstract = True


class Operational(models.Model):
    """A row about a user's work without their words, which operators may see in the admin.

    Django treats `id` as the key, because its admin needs a single column. The database key is still
    (user_id, id), and updates neither omit nor rewrite the user.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,  # every key begins with the user
    )

    class Meta:
        abstract = True

    def _do_update(
        self,
        base_qs: "models.QuerySet[Any]",
        using: str | None,
        pk_val: Any,
        values: Iterable[Any],
        *rest: Any,
    ) -> Any:
        owned = base_qs.filter(user_id=self.user_id)
        kept = [value for value in values if value[0].name != "user"]
        return super()._do_update(owned, using, pk_val, kept, *rest)


def owned_reference(
    to: str, id_field: str, *, related_name: str = "+", null: bool = False
) -> "models.ForeignObject[Any, Any]":
    """A reference to an owned row that includes the user in every join.

    `id_field` is the column of this table with the other row's id. The database enforces it with a composite
    foreign key, which the SQL beside the migration adds.
    """
    return models.ForeignObject(
        to,
        on_delete=models.DO_NOTHING,
        from_fields=("user", id_field),
        to_fields=("user", "id"),
        related_name=related_name,
        null=null,
    )


def first_or_raise(rows: "models.QuerySet[Any, Row]") -> Row:
    """The first of these rows. Raises NotFound."""
    row = rows.first()
    if row is None:
        raise NotFound
    return row
