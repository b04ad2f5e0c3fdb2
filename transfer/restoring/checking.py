"""Checks the waiting rows as a whole: do they fit together, and are their digests right?"""

from collections.abc import Collection
from zoneinfo import available_timezones

from django.utils.translation import gettext as _

from transfer.exporting.kinds import Kind
from transfer.restoring.archives import RestoreRefused
from transfer.restoring.stage import ask, table_of

_SENTENCES = {
    "drawers": (
        (
            "SELECT 1 FROM {drawers} WHERE content_hash <> sha256(convert_to(content, 'UTF8'))",
            "the digest of a drawer is not that of its words",
        ),
        (
            "SELECT 1 FROM {drawers} d JOIN {rooms} r ON r.id = d.room_id "
            "JOIN {closets} c ON c.id = d.closet_id "
            "WHERE r.wing_id <> d.wing_id OR c.room_id <> d.room_id",
            "a drawer is in two places at once",
        ),
        (
            "SELECT 1 FROM {drawers} GROUP BY pointer_wing, pointer_room, pointer_drawer HAVING count(*) > 1",
            "two drawers have one pointer",
        ),
    ),
    "fact_sources": (
        (
            "SELECT 1 FROM {fact_sources} s JOIN {drawers} d ON d.id = s.drawer_id "
            'WHERE s.start >= s."end" OR s."end" > char_length(d.content)',
            "a fact names words outside of its drawer",
        ),
    ),
    "fact_endings": (
        (
            "SELECT 1 FROM {fact_endings} s JOIN {drawers} d ON d.id = s.drawer_id "
            'WHERE s.start > s."end" OR s."end" > char_length(d.content)',
            "an ending names words outside of its drawer",
        ),
    ),
    "relation_sources": (
        (
            "SELECT 1 FROM {relation_sources} s JOIN {drawers} d ON d.id = s.drawer_id "
            'WHERE s.start > s."end" OR s."end" > char_length(d.content)',
            "a relation names words outside of its drawer",
        ),
    ),
    "relations": (
        (
            "SELECT 1 FROM {relations} WHERE valid_to < valid_from",
            "a relation ends before it begins",
        ),
    ),
    "messages": (
        (
            "SELECT 1 FROM {messages} m JOIN {conversations} c ON c.id = m.conversation_id "
            "WHERE m.sequence > c.last_sequence OR m.sequence < 1 OR m.parent_sequence >= m.sequence",
            "a message is not in the order of its chat",
        ),
        (
            "SELECT 1 FROM {messages} GROUP BY conversation_id, sequence HAVING count(*) > 1",
            "two messages have one place in a chat",
        ),
    ),
    "conversations": (("SELECT 1 FROM {conversations} WHERE incognito", "an incognito chat is in it"),),
    "fact_links": (("SELECT 1 FROM {fact_links} WHERE fact_id >= other_id", "a link is odd"),),
    "wings": (("SELECT 1 FROM {wings} GROUP BY ordinal HAVING count(*) > 1", "two wings have one number"),),
    "rooms": (
        (
            "SELECT 1 FROM {rooms} GROUP BY wing_id, ordinal HAVING count(*) > 1",
            "two rooms have one number",
        ),
    ),
}


def check(kinds: Collection[Kind]) -> None:
    """Raise RestoreRefused with the first contradiction, if there is one."""
    names = {kind.name: table_of(kind.name) for kind in kinds}
    for kind in kinds:
        _check_ids(kind)
        _check_references(kind, names)
    for kind in kinds:
        for query, sentence in _SENTENCES.get(kind.name, ()):
            if ask(f"{query} LIMIT 1", **names):
                raise _refusal(sentence)
    if "settings" in names:
        _check_settings()


def _check_ids(kind: Kind) -> None:
    if kind.order:
        twice = "SELECT 1 FROM {stage} GROUP BY id HAVING count(*) > 1 LIMIT 1"
    else:
        twice = "SELECT 1 FROM {stage} HAVING count(*) > 1"
    if ask(twice, stage=table_of(kind.name)):
        raise _refusal(f"data/{kind.name}.jsonl holds a row twice")


def _check_references(kind: Kind, names: dict[str, str]) -> None:
    for column, target in kind.references.items():
        if target not in names:
            raise _refusal(f"data/{target}.jsonl is missing")
        lost = ask(
            "SELECT 1 FROM {stage} s LEFT JOIN {target} t ON t.id = s.{column} "
            "WHERE s.{column} IS NOT NULL AND t.id IS NULL LIMIT 1",
            stage=table_of(kind.name),
            target=names[target],
            column=column,
        )
        if lost:
            raise _refusal(f"data/{kind.name}.jsonl names rows that the file does not hold")


def _check_settings() -> None:
    zones = ask("SELECT time_zone FROM {stage}", stage=table_of("settings"))
    if any(zone not in available_timezones() for (zone,) in zones):
        raise _refusal("its time zone is unknown")


def _refusal(sentence: str) -> RestoreRefused:
    words = _("This export contradicts itself, so nothing was restored: %(why)s.")
    return RestoreRefused(words % {"why": sentence})
