"""Receipts and previews in words that hold none of what was forgotten."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memory.forgetting.residue import IN_CHATS, NAMED, NAMED_ELSEWHERE, SAID_ELSEWHERE, WRITTEN
from memory.models import Forgetting

LABELS: dict[str, Promise] = {
    "drawers": _("Messages and notes, word for word"),
    "facts": _("Facts known from them alone"),
    "relations": _("Relations known from them alone"),
    "vectors": _("Vectors of their meaning"),
    "summaries": _("Summaries of their places"),
    "skills": _("Ways of working drawn from them"),
    "traces": _("Records of recall that name them"),
    "entities": _("People and things nothing is left of"),
    "places": _("Wings, rooms and closets that became empty"),
    "names": _("Names made of their words"),
    "journals": _("Entries of the diary and of undo that told of them"),
    "chats": _("Whole chats"),
    "messages": _("Messages in chats"),
    "quotations": _("Replies that quoted them from memory"),
    "uploads": _("Uploaded files that waited to be imported"),
    "files": _("Export files that waited to be fetched or restored"),
}
KEPT: dict[str, Promise] = {
    "facts_kept": _("Facts that other words say too: they stay, without these"),
}
SCOPES: dict[str, Promise] = {
    "drawer": _("A drawer"),
    "closet": _("A closet"),
    "room": _("A room"),
    "wing": _("A wing"),
    "entity": _("A person or thing"),
    "source": _("A chat"),
    "event": _("What was remembered of a chat at once"),
    "project": _("A project"),
    "agent": _("Chats with an agent"),
    "selection": _("Several things at once"),
    "dates": _("Some days"),
    "everything": _("Everything"),
    "account": _("An account"),
}
REASONS: dict[str, Promise] = {
    SAID_ELSEWHERE: _("said in other messages that you keep, or that lie in the trash"),
    IN_CHATS: _("in chats that you keep"),
    WRITTEN: _("in something you wrote yourself: your profile, an agent or a saved search"),
    NAMED: _("in a name that you gave yourself"),
    NAMED_ELSEWHERE: _("in names of places that other chats and notes gave them"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a list: what it counts, and how many."""

    label: Promise | str
    count: int


@dataclass(frozen=True, slots=True)
class Told:
    """A receipt for a page: what went, what stayed for a reason, and what should not be there."""

    scope: Promise | str
    gone: tuple[Line, ...]
    kept: tuple[Line, ...]
    left: tuple[Line, ...]
    residue: tuple[Line, ...]
    state: str


def lines(counts: Mapping[str, int]) -> tuple[Line, ...]:
    """What a preview or receipt counts, by store, without what is none."""
    return tuple(Line(label, counts[store]) for store, label in LABELS.items() if counts.get(store))


def kept_lines(counts: Mapping[str, int]) -> tuple[Line, ...]:
    """What stays because other words say it too."""
    return tuple(Line(label, counts[store]) for store, label in KEPT.items() if counts.get(store))


def told(receipt: Forgetting) -> Told:
    """A receipt as its page shows it; `state` is waiting, undone, clean, found or unsearched."""
    found = (receipt.residue or {}).get("found", [])
    left: dict[str, int] = {}
    for each in found:
        if each["why"]:
            left[each["why"]] = left.get(each["why"], 0) + each["rows"]
    return Told(
        scope=SCOPES.get(receipt.scope, receipt.scope),
        gone=lines(_most(receipt.counts, receipt.erased)),
        kept=kept_lines(receipt.counts),
        left=tuple(Line(REASONS[why], rows) for why, rows in left.items()),
        residue=tuple(
            Line(f"{each['table']}.{each['column']}", each["rows"])
            for each in found
            if not each["why"]
        ),
        state=_state(receipt),
    )


def told_in_words(receipt: Forgetting) -> str:
    """A receipt as a few lines of text."""
    view = told(receipt)
    listed = [f"  {line.count:>9,}  {line.label}" for line in view.gone]
    stays = [f"  {line.count:>9,}  {line.label}" for line in (*view.kept, *view.left)]
    parts = ["Forgotten:", *listed]
    parts += ["What stays:", *stays] if stays else []
    parts += [_SENTENCES[view.state].format(**_numbers(receipt))]
    parts += [f"  {line.count:>9,}  {line.label}" for line in view.residue]
    return "\n".join([*parts, f"Receipt {receipt.id}"])


_SENTENCES = {
    "waiting": "It lies in the trash for 30 days and can be taken back until then.",
    "undone": "It was taken back.",
    "clean": "Erased. {tables} tables were searched for {words} of its words: none is left.",
    "found": "Erased, but the search of {tables} tables found some of its words:",
    "unsearched": "Erased. The search ran out of time after {tables} tables and found nothing.",
}


def _numbers(receipt: Forgetting) -> dict[str, Any]:
    residue = receipt.residue or {}
    return {"tables": residue.get("tables", 0), "words": residue.get("words", 0)}


def _state(receipt: Forgetting) -> str:
    if receipt.undone_at is not None:
        return "undone"
    if receipt.final_at is None:
        return "waiting"
    residue = receipt.residue or {}
    if any(not each["why"] for each in residue.get("found", [])):
        return "found"
    return "clean" if residue.get("is_clean") else "unsearched"


def _most(counts: Mapping[str, int], erased: Mapping[str, int]) -> dict[str, int]:
    """What went into the trash and what was erased are the same things counted twice."""
    stores = {*counts, *erased}
    return {store: max(counts.get(store, 0), erased.get(store, 0)) for store in stores}
