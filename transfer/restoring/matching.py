"""Finds the rows of the file that already exist in the account, and their ids there."""

from uuid import UUID

from psycopg import sql

from transfer.exporting.kinds import KINDS, Key, Kind
from transfer.restoring.stage import Name, execute, fetch_rows


def match(user_id: UUID) -> None:
    """Mark the rows that are here already, and map those that have another id here.

    Parents come first, so that a room is looked up in the wing that its drawers go to.
    """
    for kind in KINDS:
        _translate(kind)
        _match_by_id(kind, user_id)
        if kind.name in _BY_NAME:
            execute(_BY_NAME[kind.name], [user_id])
        for key in kind.keys:
            _mark(kind)
            _match_by_key(kind, key, user_id)
        _mark(kind)
        if kind.name == "agents":
            _match_default_agent(user_id)
    for kind in KINDS:
        _translate(kind)


def _translate(kind: Kind) -> None:
    """Point references of staged rows to the rows of the account."""
    for column in (*kind.references, *kind.mentions):
        execute(
            "UPDATE {stage} s SET {column} = m.now FROM {ids} m WHERE m.was = s.{column}",
            stage=kind,
            column=column,
        )


def _match_by_id(kind: Kind, user_id: UUID) -> None:
    same = "t.id = s.id" if kind.order and "id" not in kind.left_out else "false"
    execute(
        "UPDATE {stage} s SET here = true FROM {table} t WHERE t.user_id = %s AND {same}",
        [user_id],
        stage=kind,
        table=kind.table,
        same=sql.SQL(same),
    )


def _match_by_key(kind: Kind, key: Key, user_id: UUID) -> None:
    """Match rows that agree in all columns of a key; of several in the account, the first."""
    if not kind.order:
        execute(
            "UPDATE {stage} s SET here = true FROM {table} t WHERE t.user_id = %s",
            [user_id],
            stage=kind,
            table=kind.table,
        )
        return
    agree = [sql.SQL("t.{0} = s.{0}").format(sql.Identifier(name)) for name in key.columns]
    names: dict[str, Name] = {
        "stage": kind,
        "table": kind.table,
        "agree": sql.SQL(" AND ").join([*agree, sql.SQL("true")]),
        "mine": sql.SQL(key.where.format(row="s")),
        "theirs": sql.SQL(key.where.format(row="t")),
        "same": sql.SQL(", ").join(sql.Identifier("s", name) for name in key.columns),
    }
    execute(_BY_KEY, [kind.name, user_id], **names)
    if key.unique:
        _mark(kind)
        execute(_IN_FILE, [kind.name], **names)


def _mark(kind: Kind) -> None:
    if kind.order:
        execute(
            "UPDATE {stage} s SET here = true FROM {ids} m WHERE m.kind = %s AND m.was = s.id",
            [kind.name],
            stage=kind,
        )


def _match_default_agent(user_id: UUID) -> None:
    """Match a default agent like the one that is here; another one is restored without being the default."""
    execute(
        "INSERT INTO {ids} SELECT 'agents', s.id, t.id FROM {agents} s JOIN chat_agent t "
        "ON t.user_id = %s AND t.is_default AND t.name = s.name AND t.model = s.model "
        "AND t.instructions = s.instructions WHERE s.is_default AND NOT s.here",
        [user_id],
    )
    execute("UPDATE {agents} s SET here = true FROM {ids} m WHERE m.was = s.id")
    execute(
        "UPDATE {agents} SET is_default = false WHERE NOT here "
        "AND EXISTS (SELECT 1 FROM chat_agent WHERE user_id = %s AND is_default)",
        [user_id],
    )


_BY_KEY = """
INSERT INTO {ids}
SELECT DISTINCT ON (s.id) %s, s.id, t.id FROM {stage} s
JOIN {table} t ON t.user_id = %s AND {agree}
WHERE NOT s.here AND {mine} AND {theirs}
  AND NOT EXISTS (SELECT 1 FROM {stage} other WHERE other.id = t.id)
ORDER BY s.id, t.id
"""
# Two places of the file may be one here, so their contents are matched too.
_IN_FILE = """
INSERT INTO {ids}
SELECT %s, found.id, found.first FROM (
  SELECT s.id, first_value(s.id) OVER (PARTITION BY {same} ORDER BY s.id) AS first
  FROM {stage} s WHERE NOT s.here AND {mine} AND ROW({same}) IS NOT NULL
) found WHERE found.id <> found.first
"""
_BY_NAME = {
    "wings": """
INSERT INTO {ids}
SELECT DISTINCT ON (s.id) 'wings', s.id, t.wing_id FROM {wings} s
JOIN {wing_names} n ON n.wing_id = s.id
JOIN memory_wingname t ON t.user_id = %s AND t.slug = n.slug
WHERE NOT s.here ORDER BY s.id, n.is_alias, t.is_alias, t.id
""",
    "entities": """
INSERT INTO {ids}
SELECT DISTINCT ON (s.id) 'entities', s.id, t.entity_id FROM {entities} s
JOIN {entity_names} n ON n.entity_id = s.id
JOIN memory_entityname t ON t.user_id = %s AND t.normalised = n.normalised AND t.sense = n.sense
WHERE NOT s.here AND s.type <> 'user' ORDER BY s.id, n.is_alias, t.is_alias, t.id
""",
}


_HIGHEST_WING = """
SELECT greatest(
  coalesce((SELECT wings_made FROM memory_palace WHERE user_id = %(user)s), 0),
  coalesce((SELECT max(ordinal) FROM {wings}), 0),
  coalesce((SELECT max(pointer_wing) FROM {drawers}), 0))
"""
_PREPARE = (
    "ALTER TABLE {wings} ADD COLUMN had integer, ADD COLUMN place uuid, "
    "ADD COLUMN same boolean NOT NULL DEFAULT false",
    "ALTER TABLE {rooms} ADD COLUMN had integer, ADD COLUMN place uuid, "
    "ADD COLUMN same boolean NOT NULL DEFAULT false, ADD COLUMN home uuid",
    "ALTER TABLE {drawers} ADD COLUMN had_wing integer, ADD COLUMN had_room integer, "
    "ADD COLUMN had_drawer integer",
    "UPDATE {drawers} SET had_wing = pointer_wing, had_room = pointer_room, had_drawer = pointer_drawer",
    "UPDATE {wings} w SET had = ordinal, place = coalesce("
    "(SELECT now FROM {ids} WHERE kind = 'wings' AND was = w.id), w.id)",
    "UPDATE {rooms} r SET had = ordinal, home = r.wing_id, place = coalesce("
    "(SELECT now FROM {ids} WHERE kind = 'rooms' AND was = r.id), r.id)",
)
_WINGS_HERE = """
UPDATE {wings} w SET ordinal = t.ordinal, same = t.id = w.id AND t.ordinal = w.had
FROM memory_wing t WHERE t.user_id = %(user)s AND t.id = w.place AND w.here
"""
_NEW_WINGS = """
UPDATE {wings} w SET ordinal = %(base)s + n.number FROM (
  SELECT id, row_number() OVER (ORDER BY had) AS number FROM {wings}
  WHERE NOT here AND NOT gone AND had <= %(made)s
) n WHERE n.id = w.id
"""
_ROOMS_HERE = """
UPDATE {rooms} r SET ordinal = t.ordinal, same = t.id = r.id AND t.ordinal = r.had
FROM memory_room t WHERE t.user_id = %(user)s AND t.id = r.place AND r.here
"""
_NEW_ROOMS = """
UPDATE {rooms} r SET ordinal = n.base + n.number FROM (
  SELECT s.id, greatest(t.rooms_made, (
           SELECT max(w.rooms_made) FROM {wings} w WHERE w.place = t.id)) AS base,
         row_number() OVER (PARTITION BY s.wing_id ORDER BY s.started_at, s.id) AS number
  FROM {rooms} s JOIN memory_wing t ON t.user_id = %(user)s AND t.id = s.wing_id
  JOIN {wings} same ON same.place = t.id
  WHERE NOT s.here AND NOT s.gone AND NOT (same.same AND s.had > t.rooms_made)
) n WHERE n.id = r.id
"""
_DRAWERS_OF_PLACES = """
UPDATE {drawers} d SET pointer_wing = w.ordinal, pointer_room = r.ordinal
FROM {wings} f, {rooms} r, {wings} w
WHERE NOT d.here AND NOT d.gone AND d.had_wing <= %(made)s
  AND f.had = d.had_wing AND r.had = d.had_room AND r.home = f.place
  AND NOT r.here AND NOT r.gone AND w.place = r.wing_id
"""
# Of the rest, a drawer keeps its pointer only if the same room here has not used that number.
_OTHER_DRAWERS = """
UPDATE {drawers} d SET pointer_wing = n.wing, pointer_room = n.room, pointer_drawer = n.number
FROM (
  SELECT s.id, w.ordinal AS wing, r.ordinal AS room,
         greatest(coalesce(t.drawers_made, 0), (
           SELECT max(o.drawers_made) FROM {rooms} o WHERE o.place = r.place))
         + row_number() OVER (PARTITION BY r.place ORDER BY s.source_sequence, s.id) AS number
  FROM {drawers} s JOIN {rooms} r ON r.place = s.room_id AND r.id = (
    SELECT min(o.id::text)::uuid FROM {rooms} o WHERE o.place = s.room_id)
  JOIN {wings} w ON w.place = s.wing_id AND w.id = (
    SELECT min(o.id::text)::uuid FROM {wings} o WHERE o.place = s.wing_id)
  LEFT JOIN memory_room t ON t.user_id = %(user)s AND t.id = r.place
  WHERE NOT s.here AND NOT s.gone AND s.had_wing <= %(made)s
    AND NOT EXISTS (
      SELECT 1 FROM {wings} f JOIN {rooms} o ON o.home = f.place
      WHERE f.had = s.had_wing AND o.had = s.had_room AND NOT o.here AND NOT o.gone)
    AND NOT EXISTS (
      SELECT 1 FROM {rooms} o JOIN memory_room k ON k.user_id = %(user)s AND k.id = o.place
      JOIN {wings} f ON f.place = o.home
      WHERE o.same AND f.same AND f.had = s.had_wing AND o.had = s.had_room
        AND s.had_drawer > k.drawers_made)
) n WHERE n.id = d.id
"""
_ADVANCE_COUNTERS = (
    "UPDATE memory_palace SET wings_made = greatest(wings_made, %(base)s, coalesce("
    "(SELECT max(ordinal) FROM {wings} WHERE NOT here AND NOT gone), 0)) WHERE user_id = %(user)s",
    "UPDATE memory_wing t SET rooms_made = greatest(t.rooms_made, n.made) FROM ("
    "SELECT wing_id, max(ordinal) AS made FROM memory_room WHERE user_id = %(user)s "
    "GROUP BY wing_id) n WHERE t.user_id = %(user)s AND n.wing_id = t.id "
    "AND t.rooms_made < n.made",
    "UPDATE memory_room t SET ended_at = r.ended_at FROM {rooms} r WHERE t.user_id = %(user)s "
    "AND t.id = r.place AND r.here AND t.ended_at < r.ended_at AND EXISTS ("
    "SELECT 1 FROM {drawers} d WHERE d.room_id = t.id AND NOT d.here AND NOT d.gone)",
    "UPDATE memory_room t SET drawers_made = greatest(t.drawers_made, n.made) FROM ("
    "SELECT d.room_id, max(d.pointer_drawer) AS made FROM memory_drawer d "
    "JOIN memory_room r ON r.user_id = d.user_id AND r.id = d.room_id "
    "JOIN memory_wing w ON w.user_id = r.user_id AND w.id = r.wing_id "
    "WHERE d.user_id = %(user)s AND d.pointer_wing = w.ordinal AND d.pointer_room = r.ordinal "
    "GROUP BY d.room_id) n WHERE t.user_id = %(user)s AND n.room_id = t.id "
    "AND t.drawers_made < n.made",
)


def renumber(user_id: UUID) -> int:
    """Give staged wings, rooms and drawers free numbers; returns how many drawers have another
    pointer than in the file."""
    for statement in _PREPARE:
        execute(statement)
    found = fetch_rows("SELECT wings_made FROM memory_palace WHERE user_id = %s", [user_id])
    made = int(found[0][0]) if found else 0
    values = {"user": user_id, "made": made, "base": int(fetch_rows(_HIGHEST_WING, {"user": user_id})[0][0])}
    if made:
        for statement in (
            _WINGS_HERE,
            _NEW_WINGS,
            _ROOMS_HERE,
            _NEW_ROOMS,
            _DRAWERS_OF_PLACES,
            _OTHER_DRAWERS,
        ):
            execute(statement, values)
    (renewed,) = fetch_rows(
        "SELECT count(*) FROM {drawers} WHERE NOT here AND NOT gone AND "
        "(pointer_wing, pointer_room, pointer_drawer) <> (had_wing, had_room, had_drawer)"
    )[0]
    return int(renewed)


def advance_counters(user_id: UUID) -> None:
    """Advance the counters past every number used here or in the file, and extend rooms to their
    last drawer."""
    base = int(fetch_rows(_HIGHEST_WING, {"user": user_id})[0][0])
    known = fetch_rows("SELECT wings_made FROM {counters}")
    base = max([base, *(number for (number,) in known)])
    for statement in _ADVANCE_COUNTERS:
        execute(statement, {"user": user_id, "base": base})
