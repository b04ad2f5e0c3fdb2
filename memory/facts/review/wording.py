"""Facts worded by their owner: rewording existing ones and adding new ones."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from uuid import UUID

from django.utils.translation import gettext as _

from llm.errors import ModelError
from memory.facts.filing import file_fact
from memory.facts.queries import UNAPPROVED
from memory.facts.review.decisions import (
    OWNER,
    OWNER_CONFIDENCE,
    Decision,
    activate,
    decide,
    found_fact,
)
from memory.facts.similarity import NO_VECTORS, FactVectors, embed_statements, forget_vectors
from memory.facts.statements import KEY_LIMIT, STATEMENT_LIMIT, Statement, digest_of, new_fact, plain
from memory.facts.validity import same_statement
from memory.facts.vocabulary import PREDICATES, details_of, predicate_of, slug
from memory.models import Drawer, Fact, FactSource, Usage
from memory.organize.notes import Note, NoteRefused, embed_note, file_note
from memory.placement import locked_palace
from memory.preferences import preferences_of
from memory.search.active_embedding import first_available, model_spaces
from memory.text.owner_sentences import about_user, for_owner, quoted_words, you_for_i
from memory.text.patterns import UNSPACED
from memory.text.secrets import hide_secrets
from memory.usage.records import Purpose

NOTED, WRITTEN = "noted", "Written by you"
_UNSPACED = re.compile(f"[{UNSPACED}]")

# Keys of single-valued facts that owners can write, with their predicates.
SINGLE_VALUED = {
    PREDICATES[name].key: name
    for name in (
        *("named", "lives_in", "works_at", "works_as", "married_to", "partner_of", "born_on"),
        *("comes_from", "follows_diet", "studies_at"),
    )
}


class DuplicateFact(Exception):
    """Another fact (`fact_id`) says exactly this; the two can be merged."""

    def __init__(self, fact_id: UUID) -> None:
        super().__init__(_("Another fact already says exactly this."))
        self.fact_id = fact_id


class StaleVersion(Exception):
    """The fact has changed since its owner saw it."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A fact in its owner's words; it is true since `valid_from`."""

    statement: str
    kind: str
    value: str
    valid_from: datetime


def edit(user_id: UUID, fact_id: UUID, wording: Wording, now: datetime, seen: int | None = None) -> Decision:
    """Reword a fact and its relations; a waiting one is approved. The new words become a note if its sources
    are all withheld from models.

    `seen` is the version its owner saw; None skips the check. Raises NotFound, DuplicateFact and
    StaleVersion.
    """
    written, value = hide_secrets(wording.statement), hide_secrets(wording.value)
    statement = for_models(written)
    digest = digest_of(wording.kind, statement)

    def change(fact: Fact) -> None:
        if seen not in (None, fact.version - 1):  # this decision has already incremented it
            raise StaleVersion
        fact.content_hash = digest
        if duplicate := same_statement(fact).first():
            raise DuplicateFact(duplicate.id)
        if fact.statement != statement:
            forget_vectors(fact)
        shown = for_owner(fact, lambda: fact.words, over=False)
        before = quoted_words(shown) or shown, fact.statement
        _change_meaning(fact, before, (written, you_for_i(written), statement), value)
        fact.statement, fact.kind = statement, wording.kind
        fact.memory_type = details_of(wording.kind).memory_type
        fact.valid_from, fact.authority, fact.confidence = wording.valid_from, OWNER, OWNER_CONFIDENCE
        if fact.status != Fact.Status.REJECTED:
            activate(fact)

    with locked_palace(user_id):
        fact = found_fact(user_id, fact_id)
        is_new = fact.status == Fact.Status.PENDING and fact.statement != statement
        added = _add_note(fact, written, now) if is_new and _is_withheld(fact) else ()
        decision = decide(user_id, "edit", lambda: [found_fact(user_id, fact_id)], change, now, added)
    for source in added:
        embed_note(source.drawer, now)
    return decision


def _is_withheld(fact: Fact) -> bool:
    """Whether all the words that support a fact are withheld from models."""
    return not fact.sources.filter(drawer__sensitive=False).exists()


def _add_note(fact: Fact, text: str, now: datetime) -> Sequence[FactSource]:
    """Save a note as a source of a fact; none if there is no room for it."""
    try:
        drawer = file_note(fact.user_id, Note(text, wing="Facts", room=WRITTEN, closet="Facts"), now)
    except NoteRefused:
        return ()
    source = FactSource(
        user_id=fact.user_id, fact_id=fact.id, drawer=drawer, start=0, end=len(drawer.content)
    )
    source.save(force_insert=True)
    return (source,)


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact its owner writes or imports.

    `about` is a key of SINGLE_VALUED or empty; with a `review_reason` it waits for review. Its text is saved
    as a note in this room, which is sensitive until the fact is approved.
    """

    wording: Wording
    about: str = ""
    review_reason: str = ""
    room: str = WRITTEN


def add(
    user_id: UUID,
    new: NewFact,
    now: datetime,
    before_commit: Callable[[Fact, bool], None] = lambda fact, created: None,
) -> tuple[Fact, bool]:
    """File a fact its owner wrote, with the text saved as a note, which is a further source if it was known.

    Returns the fact and whether it is new. Raises NoteRefused if it is empty. If `before_commit` raises,
    nothing is stored.
    """
    note = Note(new.wording.statement, wing="Facts", room=new.room, closet="Facts")
    vectors = _vectors(user_id, for_models(new.wording.statement), now)
    with locked_palace(user_id):
        drawer = file_note(user_id, note, now)
        made = file_fact(_statement(new, drawer), vectors)
        fact = made or Fact.objects.get(user_id=user_id, sources__drawer_id=drawer.id)
        drawer.sensitive = fact.status in UNAPPROVED
        drawer.save(update_fields=["sensitive"])
        before_commit(fact, made is not None)
    embed_note(drawer, now)
    return fact, made is not None


def _change_meaning(fact: Fact, before: Sequence[str], after: Sequence[str], value: str) -> None:
    """Change the value, with the object, names and key that belong to it.

    If only the sentence was reworded, the new value and object are derived by comparing it `before` and
    `after`: as its owner words it, and as stored. Where that fails, the new words are all the fact says.
    """
    old = fact.value
    if value == old:
        derived = _derived(old, before, after)
        if derived is None:
            _note_anew(fact, after[0])
            return
        value = derived
    if value == old:
        return
    named, fact.value = fact.object or old, value
    if fact.object:
        fact.object = _reworded(fact.object, old, value) or value
    new = fact.object or value
    for names in (fact.persons, fact.entities):
        names[:] = filter(None, (new if name == named else name for name in names))
    if fact.location == named:
        fact.location = new
    if new and not fact.single_valued and slug(named) and fact.key.endswith(slug(named)):
        stem = fact.key.removesuffix(slug(named))
        fact.key = (stem + slug(new))[:KEY_LIMIT]


def _derived(value: str, before: Sequence[str], after: Sequence[str]) -> str | None:
    """The value of a fact after its sentence was reworded; None if the new words do not show it."""
    pairs = list(product(before, after))
    if not value or any(plain(old) == plain(new) for old, new in pairs):
        return value
    replaced = next(filter(None, (_replacement(value, *pair) for pair in pairs)), None)
    return replaced or (value if any(_has_words(new, value) for new in after) else None)


def _note_anew(fact: Fact, words: str) -> None:
    """Make these words all that a fact says; the attribute stays that has one value at a time."""
    if not fact.single_valued:
        fact.key = _noted_key(words)
    fact.predicate, fact.value, fact.object = NOTED, words, words
    fact.persons, fact.entities, fact.location, fact.event_time = [], [], "", None


def _noted_key(value: str) -> str:
    return f"{NOTED}_{slug(value)}"[:KEY_LIMIT]


def _reworded(part: str, before: str, after: str) -> str:
    """What replaced `part`, or `part` itself if it still occurs; otherwise an empty string."""
    return _replacement(part, before, after) or (part if _has_words(after, part) else "")


def _has_words(text: str, part: str) -> bool:
    """Whether a text has these words, or characters of a script without spaces."""
    words = re.escape(part.casefold())
    whole = words if _UNSPACED.search(part) else rf"(?<!\w){words}(?!\w)"
    return bool(re.search(whole, text.casefold()))


def _replacement(part: str, before: str, after: str) -> str:
    """What replaced `part`, if everything around it but a full stop is unchanged; an empty string if not."""
    head, found, tail = before.partition(part)
    if tail:
        tail, after = tail.rstrip(" .!"), after.rstrip(" .!")
    replacement = after[len(head) : len(after) - len(tail)].strip()
    return replacement if found and after.startswith(head) and after.endswith(tail) else ""


def _statement(new: NewFact, drawer: Drawer) -> Statement:
    words = for_models(new.wording.statement)
    value = hide_secrets(new.wording.value) or hide_secrets(new.wording.statement)
    predicate = SINGLE_VALUED.get(new.about, NOTED)
    fact = new_fact(
        drawer,
        kind=new.wording.kind,
        key=new.about or _noted_key(value),
        value=value,
        statement=words,
        predicate=predicate,
        object=value,
        confidence=OWNER_CONFIDENCE,
        authority=OWNER,
        valid_from=new.wording.valid_from,
        single_valued=predicate_of(predicate).single_valued,
        importance=details_of(new.wording.kind).importance,
        mined_by="owner",
        review_reason=new.review_reason,
    )
    return Statement(fact, drawer, (0, len(drawer.content)))


def for_models(written: str) -> str:
    """The owner's text with secrets masked, in the third person unless it is too long."""
    masked = hide_secrets(written)
    third_person = about_user(masked) if len(masked) <= STATEMENT_LIMIT else masked
    return third_person if len(third_person) <= STATEMENT_LIMIT else masked


def _vectors(user_id: UUID, statement: str, now: datetime) -> FactVectors:
    """The vector of a statement; none without an embedder, in which case a backfill computes it later."""
    try:
        purpose = Purpose(user_id, Usage.Source.EMBED, now)
        preferences = preferences_of(user_id)
        spaces = model_spaces(preferences.embedding_model, purpose)
        threshold = preferences.duplicate_similarity
        return first_available(
            spaces, lambda reader: embed_statements(reader.embedder, [statement], threshold)
        )
    except ModelError:
        return NO_VECTORS
