"""Build and drop partial HNSW indexes for users with very many vectors.

Searches of everyone else are exact.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from psycopg import sql

from accounts.models import User
from memory.locks import INDEXING, try_lock
from memory.models import DrawerVector, EmbeddingSpace, Palace
from memory.placement import locked_palace
from memory.search.active_embedding import ActiveSpace, active_space_of
from memory.sql import execute, fetch
from memory.text.chunking import LIMIT

PREFIX = "memory_near_"
KEEP_SHARE = 0.8
"""Below this share of `INDEX_FROM_VECTORS` an index is dropped again."""
BUILD_MEMORY = "256MB"
_connection: Any = connection
"""Its `owner` connects as the table owner, the only role that may create and drop indexes."""


def index_is_due(user_id: UUID) -> bool:
    """Whether the user's index should be built or dropped, and this process may do so."""
    if not _connection.has_owner:
        return False
    active = active_space_of(user_id)
    if active.space is None:
        return False
    worthwhile = _is_worthwhile(user_id, active)
    names = [name_of(user_id, active.space)] if worthwhile else []
    return active.indexed != worthwhile or _index_names(user_id) != names


def update_index(user_id: UUID) -> bool:
    """Build or drop the user's index, whichever is due; returns whether they have one now.

    A concurrent build takes minutes, so never call it inside a transaction. Does nothing while another
    process does the same for this user.
    """
    with _connection.owner(), try_lock(user_id, INDEXING) as won:
        active = active_space_of(user_id)
        if not won or active.space is None:
            return active.indexed
        worthwhile = _is_worthwhile(user_id, active)
        name = name_of(user_id, active.space)
        if not worthwhile:
            _mark_indexed(user_id, active.space, indexed=False)
        _drop(other for other in _index_names(user_id) if not worthwhile or other != name)
        if worthwhile:
            _build(user_id, active.space, name)
            return _mark_indexed(user_id, active.space, indexed=True)
        return False


def orphans() -> list[str]:
    """The names of indexes whose user is gone, if this process may drop them."""
    if not _connection.has_owner:
        return []
    names = {name: UUID(name.removeprefix(PREFIX)[:32]) for name in _index_names()}
    known = set(User.objects.filter(id__in=names.values()).values_list("id", flat=True))
    return [name for name, user_id in names.items() if user_id not in known]


def drop_orphans() -> int:
    """Drop the indexes whose user is gone; returns how many there were."""
    with _connection.owner():
        names = orphans()
        _drop(names)
    return len(names)


def name_of(user_id: UUID, space: EmbeddingSpace) -> str:
    """The index name for a user and a space, made of ids only."""
    return f"{PREFIX}{user_id.hex}_{space.id}"


def _is_worthwhile(user_id: UUID, active: ActiveSpace) -> bool:
    minimum = settings.INDEX_FROM_VECTORS
    if active.indexed:
        minimum = round(minimum * KEEP_SHARE)
    palace = Palace.objects.filter(user_id=user_id).first()
    if palace is None or active.space is None or palace.drawers_indexed * LIMIT < minimum:
        return False
    vectors = DrawerVector.objects.filter(user_id=user_id, space_id=active.space.id, hidden=False)
    return vectors[:minimum].count() >= minimum


def _build(user_id: UUID, space: EmbeddingSpace, name: str) -> None:
    if fetch("SELECT FROM pg_index WHERE indisvalid AND indexrelid = to_regclass(%s)", [name]):
        return
    _drop([name])  # a killed build leaves an invalid index
    size = sql.Literal(space.search_dimensions)
    statement = sql.SQL(
        "CREATE INDEX CONCURRENTLY {name} ON memory_drawervector "
        "USING hnsw ((embedding::halfvec({size})) halfvec_ip_ops) "
        "WHERE user_id = {user} AND space_id = {space} AND NOT hidden"
    )
    # Parallel builds need shared memory, which containers lack.
    execute("SET max_parallel_maintenance_workers = 0")
    execute("SELECT set_config('maintenance_work_mem', %s, false)", [BUILD_MEMORY])
    user = sql.Literal(str(user_id))
    execute(statement.format(name=sql.Identifier(name), size=size, user=user, space=sql.Literal(space.id)))


def _drop(names: Iterable[str]) -> None:
    for name in names:
        execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name)))


def _index_names(user_id: UUID | None = None) -> list[str]:
    prefix = PREFIX + (user_id.hex if user_id else "")
    names = fetch("SELECT relname FROM pg_class WHERE relkind = 'i' AND starts_with(relname, %s)", [prefix])
    return [name for (name,) in names]


def _mark_indexed(user_id: UUID, space: EmbeddingSpace, *, indexed: bool) -> bool:
    """Record whether searches may use the index; False if another space is active."""
    with locked_palace(user_id) as palace:
        palace.indexed = indexed and palace.active_space_id == space.id
        palace.save(update_fields=["indexed"])
    return palace.indexed
