"""Reads kinds of row that only earlier versions exported.

Palace once kept the changes of places, of people and things, and of consolidation apart. They come back
as entries of the one change log, without the rows that undid them.
"""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

Row = Mapping[str, Any]
CHANGES = "changes"
_PLACES = ("wing", "room", "closet", "drawer")


def change_from(kind_name: str, line: bytes) -> bytes:
    """An entry of the change log from a row of an earlier kind, as JSON. Raises ValueError when it is
    none."""
    try:
        return json.dumps(EARLIER[kind_name](json.loads(line))).encode()
    except (AttributeError, KeyError, StopIteration, TypeError) as error:
        raise ValueError(kind_name) from error


def _of_palace(row: Row) -> Row:
    subject = next(each for each in _PLACES if row.get(f"{each}_id"))
    return _change("palace", row, row["kind"], row["batch_id"], row["at"]) | {
        "subject": subject,
        "subject_id": row[f"{subject}_id"],
        "others": row.get("touched", []),
    }


def _of_graph(row: Row) -> Row:
    kind = "rekinded" if row["kind"] == "retyped" else row["kind"]
    made = _change("graph", row, kind, row["id"], row["at"]) | {
        "subject": "entity",
        "subject_id": row["entity_id"],
        "others": [row["other_id"]] if row.get("other_id") else [],
    }
    if kind == "merged":
        was = row["details"]
        sources = [*was["moved_subjects"], *was["moved_objects"]]
        made["details"] = {"sources": sources, "names": list(was["names"])}
    return made


def _of_consolidation(row: Row) -> Row:
    made_at = datetime.fromtimestamp((UUID(row["id"]).int >> 80) / 1000, UTC).isoformat()
    return _change("consolidation", row, row["kind"], row["run_id"], made_at) | {
        "subject": row["subject"],
        "subject_id": row["subject_id"],
        "others": row.get("others", []),
        "details": row.get("details", {}),
    }


def _change(area: str, row: Row, kind: str, batch_id: str, made_at: str) -> dict[str, Any]:
    return {
        "id": row["id"],
        "area": area,
        "kind": kind,
        "batch_id": batch_id,
        "made_at": made_at,
        "undone_at": row.get("undone_at"),
    }


EARLIER: Mapping[str, Callable[[Row], Row]] = {
    "palace_edits": _of_palace,
    "graph_edits": _of_graph,
    "consolidation_changes": _of_consolidation,
}
