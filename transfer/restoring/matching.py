"""Finds the rows of the file that the account has already, and their ids there."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from psycopg import sql

from transfer.exporting.kinds import Key, Kind
from transfer.restoring.stage import IDS, run, table_of

MINTED = "agents"


def match(kinds: Iterable[Kind], user_id: UUID) -> None:
    """Mark the rows that are here already, and map those that have another id here.

    Parents come first, so that a room is looked up in the wing that takes its drawers.
    """
    kinds = tuple(kinds)
    names = {kind.name for kind in kinds}
    for kind in kinds:
        translate(kind, {**kind.references, **kind.mentions})
        _match_by_id(kind, user_id)
        if kind.name == "wings" and "wing_names" in names:
            run(_BY_WING_NAME, [user_id], **_TABLES)
        if kind.name == "entities" and "entity_names" in names:
            run(_BY_ENTITY_NAME, [user_id], **_TABLES)
        for key in kind.keys:
            _mark(kind)
            _match_by_key(kind, key, user_id)
        _mark(kind)
        if kind.name == MINTED:
            _mint_agents(user_id)
    for kind in kinds:
        translate(kind, {**kind.references, **kind.mentions})


def translate(kind: Kind, columns: Mapping[str, str]) -> None:
    """Point references of waiting rows to the rows of the account."""
    for column in columns:
        run(
            "UPDATE {stage} s SET {column} = m.now FROM {ids} m WHERE m.was = s.{column}",
            stage=table_of(kind.name),
            ids=IDS,
            column=column,
        )


def _match_by_id(kind: Kind, user_id: UUID) -> None:
    same = "t.id = s.id" if kind.order and "id" not in kind.left_out else "false"
    run(
        "UPDATE {stage} s SET here = true FROM {table} t WHERE t.user_id = %s AND {same}",
        [user_id],
        stage=table_of(kind.name),
        table=kind.table,
        same=sql.SQL(same),
    )


def _match_by_key(kind: Kind, key: Key, user_id: UUID) -> None:
    """Match rows that agree in all columns of a key; of several in the account, the first."""
    agree = [sql.SQL("t.{0} = s.{0}").format(sql.Identifier(name)) for name in key.columns]
    names: dict[str, str | sql.Composable] = {
        "stage": table_of(kind.name),
        "table": kind.table,
        "ids": IDS,
        "agree": sql.SQL(" AND ").join([*agree, sql.SQL("true")]),
        "mine": sql.SQL(key.where.format(row="s")),
        "theirs": sql.SQL(key.where.format(row="t")),
    }
    if not kind.order:
        run(
            "UPDATE {stage} s SET here = true FROM {table} t WHERE t.user_id = %s",
            [user_id],
            stage=table_of(kind.name),
            table=kind.table,
        )
        return
    run(_BY_KEY, [kind.name, user_id], **names)
    if key.unique:
        _mark(kind)
        run(_IN_FILE, [kind.name], **names, same=_same_in_file(key))


def _same_in_file(key: Key) -> sql.Composable:
    return sql.SQL(", ").join(sql.Identifier("s", name) for name in key.columns)


def _mark(kind: Kind) -> None:
    if kind.order:
        run(
            "UPDATE {stage} s SET here = true FROM {ids} m WHERE m.kind = %s AND m.was = s.id",
            [kind.name],
            stage=table_of(kind.name),
            ids=IDS,
        )


def _mint_agents(user_id: UUID) -> None:
    """Give new agents ids of their own: operators see agents by id alone."""
    names = {"stage": table_of(MINTED), "ids": IDS}
    run(
        "INSERT INTO {ids} SELECT 'agents', s.id, t.id FROM {stage} s JOIN chat_agent t "
        "ON t.user_id = %s AND t.is_default AND t.name = s.name AND t.model = s.model "
        "AND t.instructions = s.instructions WHERE s.is_default AND NOT s.here",
        [user_id],
        **names,
    )
    run("UPDATE {stage} s SET here = true FROM {ids} m WHERE m.was = s.id", **names)
    run(
        "UPDATE {stage} SET is_default = false WHERE NOT here "
        "AND EXISTS (SELECT 1 FROM chat_agent WHERE user_id = %s AND is_default)",
        [user_id],
        **names,
    )
    run(
        "INSERT INTO {ids} SELECT 'agents', id, md5(concat(%s::text, id))::uuid FROM {stage} WHERE NOT here",
        [str(user_id)],
        **names,
    )
    run("UPDATE {stage} s SET id = m.now FROM {ids} m WHERE m.was = s.id AND NOT s.here", **names)


_TABLES = {
    "ids": IDS,
    "wings": table_of("wings"),
    "wing_names": table_of("wing_names"),
    "entities": table_of("entities"),
    "entity_names": table_of("entity_names"),
}
_BY_KEY = """
INSERT INTO {ids}
SELECT DISTINCT ON (s.id) %s, s.id, t.id FROM {stage} s
JOIN {table} t ON t.user_id = %s AND {agree}
WHERE NOT s.here AND {mine} AND {theirs}
  AND NOT EXISTS (SELECT 1 FROM {stage} other WHERE other.id = t.id)
ORDER BY s.id, t.id
"""
# Two places of the file may have become one here; what they hold then meets.
_IN_FILE = """
INSERT INTO {ids}
SELECT %s, found.id, found.first FROM (
  SELECT s.id, first_value(s.id) OVER (PARTITION BY {same} ORDER BY s.id) AS first
  FROM {stage} s WHERE NOT s.here AND {mine} AND ROW({same}) IS NOT NULL
) found WHERE found.id <> found.first
"""
_BY_WING_NAME = """
INSERT INTO {ids}
SELECT DISTINCT ON (s.id) 'wings', s.id, t.wing_id FROM {wings} s
JOIN {wing_names} n ON n.wing_id = s.id
JOIN memory_wingname t ON t.user_id = %s AND t.slug = n.slug
WHERE NOT s.here ORDER BY s.id, n.is_alias, t.is_alias, t.id
"""
_BY_ENTITY_NAME = """
INSERT INTO {ids}
SELECT DISTINCT ON (s.id) 'entities', s.id, t.entity_id FROM {entities} s
JOIN {entity_names} n ON n.entity_id = s.id
JOIN memory_entityname t ON t.user_id = %s AND t.normalised = n.normalised AND t.sense = n.sense
WHERE NOT s.here AND s.type <> 'user' ORDER BY s.id, n.is_alias, t.is_alias, t.id
"""
