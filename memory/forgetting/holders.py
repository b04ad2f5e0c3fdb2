"""The registry of everything outside memory that holds a user's words.

Memory forgets its own tables. The apps above it declare theirs by subclassing `Holder` and listing the class
in `settings.FORGETTING_HOLDERS`; memory never imports them by name.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.module_loading import import_string

from memory.forgetting.erasure import ErasureTargets
from memory.forgetting.identifying_words import Words
from memory.forgetting.scopes import ForgetRequest, Scope
from memory.models import Drawer, Forgetting


@dataclass(frozen=True, slots=True)
class Sources:
    """The chats a request names. For an agent or an import, also its id, and for an agent its name."""

    ids: tuple[UUID, ...] = ()
    object_id: UUID | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something a user can choose to forget: a `kind` of request with its id and label."""

    kind: str
    id: UUID
    label: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WaitingUpload:
    """A file that may still hold forgotten words, because it has not been imported yet."""

    id: UUID
    started_at: datetime


@dataclass(frozen=True, slots=True)
class ExternalTargets:
    """What an erasure affects outside memory: texts that are erased as a whole, and the chats that forgotten
    drawers came from or were recalled in."""

    texts: Iterable[str] = ()
    chats: frozenset[UUID] = frozenset()


class Holder:
    """An app that holds users' words.

    The methods are called in this order; override those that apply. `labels` name the counts they return.
    `excused` maps tables to the reason (see `receipts.REASONS`) why forgotten words may stay there.
    `parents` are tables that others refer to, children first; closing an account empties them last.
    `table_labels` name the tables on the page that closes an account.
    """

    labels: ClassVar[Mapping[str, Promise]] = {}
    excused: ClassVar[Mapping[str, str]] = {}
    parents: ClassVar[Sequence[str]] = ()
    table_labels: ClassVar[Mapping[str, Promise]] = {}

    def choices(self, user_id: UUID) -> Sequence[Choice]:
        """What the forget page offers beside the places of memory."""
        return ()

    def sources(self, user_id: UUID, request: ForgetRequest, names: Collection[str]) -> Sources:
        """The chats of a project with one of these names, of an agent or an import, or the chat itself."""
        return Sources()

    def holds(self, user_id: UUID, scope: Scope) -> bool:
        """Whether anything here is in scope, even if no drawer is."""
        return False

    def count(
        self, user_id: UUID, request: ForgetRequest, scope: Scope, drawers: QuerySet[Drawer]
    ) -> Mapping[str, int]:
        """The number of rows of each store that a request would forget."""
        return {}

    def drop_incoming(self, user_id: UUID, kind: str, before: datetime) -> Mapping[str, int]:
        """Drop pending imports, as the first step of the erasing transaction."""
        return {}

    def lock(self, user_id: UUID, scope: Scope) -> None:
        """Lock the rows in scope, before the palace is locked."""

    def hide(self, receipt: Forgetting, scope: Scope) -> None:
        """Hide what is in scope until it is erased or restored, and add tombstones."""

    def restore(self, receipt: Forgetting) -> None:
        """Show again what `hide` hid, before the palace is locked."""

    def external_targets(self, receipt: Forgetting, drawer_ids: Sequence[UUID]) -> ExternalTargets:
        """Lock and return what an erasure affects here, before the palace is locked."""
        return ExternalTargets()

    def redact(self, receipt: Forgetting, gone: ErasureTargets) -> Mapping[str, int]:
        """Erase it, before the drawers; returns the number of rows by store."""
        return {}

    def unexcused(self, user_id: UUID, words: Words) -> Mapping[tuple[str, str], int]:
        """The number of rows with any of these words that are not excused although their table is, by table
        and column."""
        return {}

    def after_commit(self, user_id: UUID) -> Mapping[str, int]:
        """Clean up outside the database, such as files; returns counts by store."""
        return {}

    def waiting_uploads(self, receipt: Forgetting) -> Sequence[WaitingUpload]:
        """Files that are not imported yet and may contain the words of a request."""
        return ()


@cache
def holders() -> tuple[Holder, ...]:
    """Every registered holder, in the order of the settings."""
    return tuple(import_string(path)() for path in settings.FORGETTING_HOLDERS)


def waiting_uploads(receipt: Forgetting) -> list[WaitingUpload]:
    """Files that are not imported yet and may contain the words of a request, oldest first."""
    found = [each for holder in holders() for each in holder.waiting_uploads(receipt)]
    return sorted(found, key=lambda each: each.started_at)
