"""Takes forgotten words out of the ledger. Sequences stay without a gap: what is emptied keeps its
place, and an import recognises it by its id and does not bring it back."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from chat.edits import forget_edits, forget_edits_of
from chat.models import (
    MEMORY_ONLY,
    ChatState,
    Conversation,
    Generation,
    Message,
    RefusedEntry,
)
from chat.transcripts import turns
from memory.drawers import pointer_of
from memory.forgetting.burial import Said, bury_words
from memory.forgetting.erasing import Doomed
from memory.forgetting.journals import without
from memory.forgetting.words import Words, distinctive
from memory.mining.pipeline import verbatim
from memory.models import Drawer, RecallTrace

FORGOTTEN = gettext_noop("These words were forgotten at your wish.")
QUOTED_FORGOTTEN = gettext_noop("A quotation in this reply was forgotten at your wish.")
UNNAMED_ENTRY = "an entry"
AT_ONCE = 500

_QUOTING = """
SELECT id FROM memory_recalltrace WHERE user_id = %s AND EXISTS (
  SELECT 1 FROM jsonb_array_elements(hits) AS hit WHERE (hit ->> 'drawer_id')::uuid = ANY(%s))
"""
_QUOTATION = re.compile(r"(?m)(?:^>.*\n)+\n^— .*, (§ \S+)$\n*")


@dataclass(frozen=True, slots=True)
class Reach:
    """What of the ledger a forgetting reaches: whole `chats`, and of other chats the messages that
    the drawers came from, unless they are `kept`. Replies that repeat the words are buried under the
    id of the deletion."""

    chats: tuple[Conversation, ...] = ()
    kept: bool = True
    deletion_id: UUID | None = None


def said_in(chats: Iterable[Conversation]) -> Iterator[Said]:
    """Every message of these chats as tombstones know it, mined or not."""
    for chat in chats:
        messages = Message.objects.filter(user_id=chat.user_id, conversation_id=chat.id)
        for turn in turns(messages.order_by("sequence").iterator(AT_ONCE)):
            yield turn.message_id, verbatim(turn), turn.said_at


def with_words_of(gone: Doomed, chats: Sequence[Conversation]) -> Doomed:
    """The same with the words of whole chats to be known again by, those that nobody mined too."""
    if not chats:
        return gone
    texts = [words for _, words, _ in said_in(chats)] + [chat.title for chat in chats]
    more = distinctive(gone.user_id, texts)
    words = Words(gone.words.words | more.words, gone.words.runs | more.runs)
    return replace(gone, words=words)


def redact(gone: Doomed, reach: Reach) -> dict[str, int]:
    """Empty what a forgetting reaches of the ledger; returns how many chats, messages and
    quotations.

    Runs inside the transaction that erases the drawers, before it does, and with the chats locked.
    Quotations in replies that were made of memory alone go in any case: they are copies of it.
    """
    quotations = _cut_quotations(gone, reach)
    _unname_refused(gone)
    forget_edits(gone.user_id, gone.words)
    counts = {"quotations": quotations, "messages": 0, "chats": len(reach.chats)}
    counts["messages"] += sum(_empty_chat(chat) for chat in reach.chats)
    if not reach.kept:
        counts["messages"] += _empty_messages(gone)
        counts["messages"] += _empty_echoes(gone, reach)
    return counts


def chats_touched(user_id: UUID, drawer_ids: Sequence[UUID]) -> QuerySet[Conversation]:
    """The chats that drawers came from or were recalled for."""
    drawers = Drawer.objects.filter(user_id=user_id, id__in=drawer_ids)
    quoting = _quoting(user_id, drawer_ids).values_list("conversation_id", flat=True)
    ids = {*drawers.values_list("source_id", flat=True), *quoting}
    return Conversation.objects.filter(user_id=user_id, id__in=ids)


def _quoting(user_id: UUID, drawer_ids: Sequence[UUID]) -> QuerySet[Message]:
    """Replies for which any of these drawers was recalled."""
    with connection.cursor() as cursor:
        cursor.execute(_QUOTING, [user_id, list(drawer_ids)])
        traces = [row[0] for row in cursor.fetchall()]
    return Message.objects.filter(user_id=user_id, trace_id__in=traces)


def _cut_quotations(gone: Doomed, reach: Reach) -> int:
    drawers = Drawer.objects.filter(user_id=gone.user_id, id__in=gone.drawer_ids)
    pointers = {str(pointer_of(drawer)) for drawer in drawers.defer("content")}
    count = 0
    for reply in _quoting(gone.user_id, gone.drawer_ids).filter(model=MEMORY_ONLY):
        kept = _without_quotations(reply.content, pointers)
        if kept != reply.content:
            count += 1
            _bury([reply], reach)
            rows = Message.objects.filter(user_id=reply.user_id, id=reply.id)
            rows.update(content=kept, notice=QUOTED_FORGOTTEN)
    return count


def _unname_refused(gone: Doomed) -> None:
    """Entries of imports that could not be read are told by the titles they had."""
    for entry in RefusedEntry.objects.filter(user_id=gone.user_id).iterator(AT_ONCE):
        if gone.words.are_in(f"{entry.where} {entry.reason}"):
            place = entry.where.partition(" (")[0]
            entry.where = UNNAMED_ENTRY if gone.words.are_in(place) else place
            entry.reason = "" if gone.words.are_in(entry.reason) else entry.reason
            entry.save(update_fields=("where", "reason"))


def _without_quotations(content: str, pointers: set[str]) -> str:
    def kept(found: re.Match[str]) -> str:
        return "" if found[1] in pointers else found[0]

    return _QUOTATION.sub(kept, content).rstrip()


def _empty_chat(chat: Conversation) -> int:
    """Erase every message of a chat; an empty row of it stays, by which an import knows it."""
    messages = Message.objects.filter(user_id=chat.user_id, conversation_id=chat.id)
    traces = messages.filter(trace_id__isnull=False).values("trace_id")
    RecallTrace.objects.filter(user_id=chat.user_id, id__in=traces).delete()
    Generation.objects.filter(user_id=chat.user_id, conversation_id=chat.id).delete()
    ChatState.objects.filter(user_id=chat.user_id, conversation_id=chat.id).delete()
    forget_edits_of(chat)
    count, _ = messages.delete()
    rows = Conversation.objects.filter(user_id=chat.user_id, id=chat.id)
    rows.update(title="", project="")
    return count


def _empty_messages(gone: Doomed) -> int:
    """Empty the messages that the drawers came from, and what else their chats say with the
    words: titles, projects, traces, states and a reply in the making."""
    messages = Message.objects.filter(user_id=gone.user_id, id__in=gone.message_ids)
    chats = set(messages.values_list("conversation_id", flat=True))
    count = messages.update(content="", tool_arguments="", notice=FORGOTTEN)
    for chat in Conversation.objects.filter(user_id=gone.user_id, id__in=chats):
        _forget_around(chat, gone.words)
    return count


def _forget_around(chat: Conversation, words: Words) -> None:
    told = {name: "" for name in ("title", "project") if words.are_in(getattr(chat, name))}
    if told:
        Conversation.objects.filter(user_id=chat.user_id, id=chat.id).update(**told)
    Generation.objects.filter(user_id=chat.user_id, conversation_id=chat.id).delete()
    ChatState.objects.filter(user_id=chat.user_id, conversation_id=chat.id).delete()
    replies = Message.objects.filter(user_id=chat.user_id, conversation_id=chat.id)
    ids = replies.filter(trace_id__isnull=False).values("trace_id")
    for trace in RecallTrace.objects.filter(user_id=chat.user_id, id__in=ids):
        trace.trace, trace.hits = without(trace.trace, words), without(trace.hits, words)
        trace.save(update_fields=("trace", "hits"))


def _empty_echoes(gone: Doomed, reach: Reach) -> int:
    """Empty replies that were written with these drawers before the model and repeat their
    words."""
    replies = _quoting(gone.user_id, gone.drawer_ids).exclude(content="")
    told = [reply for reply in replies if gone.words.are_in(reply.content)]
    _bury(told, reach)
    chats = {reply.conversation_id for reply in replies}
    ChatState.objects.filter(user_id=gone.user_id, conversation_id__in=chats).delete()
    rows = Message.objects.filter(user_id=gone.user_id, id__in=[reply.id for reply in told])
    return rows.update(content="", notice=FORGOTTEN)


def _bury(replies: Sequence[Message], reach: Reach) -> None:
    """What a reply repeated does not come back with an older export of its chat."""
    if reach.deletion_id and replies:
        said = [(reply.content, reply.said_at) for reply in replies]
        bury_words(replies[0].user_id, said, reach.deletion_id)
