"""Hides, restores and erases what chats store of a user's words.

Sequences stay gap-free: an emptied message keeps its row, and an import recognises its id and does not
restore it. Traces of recalls
without a reply are kept for a while.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import ClassVar
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from chat.agents import agents_of
from chat.branches import messages_of
from chat.conversations import conversations_of
from chat.mining.transcripts import turns
from chat.models import MEMORY_ONLY, Agent, Conversation, Message
from chat.retention import empty, erase_derived
from memory.drawers import drawer_id_of
from memory.forgetting.erasure import ErasureTargets, as_text, blank_words, traces_of_drawers
from memory.forgetting.holders import Choice, ExternalTargets, Holder, Sources
from memory.forgetting.identifying_words import Words
from memory.forgetting.receipts import IN_CHATS, WRITTEN, waiting
from memory.forgetting.scopes import ForgetRequest, Scope
from memory.forgetting.tombstones import SaidMessage, add_tombstones, add_word_tombstones
from memory.mining.pipeline import verbatim
from memory.mining.progress import mark_source_kept, mark_source_removed
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer, Forgetting, RecallTrace
from memory.preferences import preferences_of
from memory.text.names import slugify

FORGOTTEN = gettext_noop("These words were forgotten at your request.")
WHOLE_CHAT_KINDS = ("source", "project", "agent", "import", "everything")
"""The kinds of request that cover whole chats."""
MAX_CHOICES = 50
BATCH_SIZE = 500
RECALLS_KEPT_FOR = timedelta(days=90)
TRACES = RecallTrace._meta.db_table


class ChatHolder(Holder):
    """Conversations with their messages, reply jobs and recall traces."""

    labels: ClassVar = {
        "chats": _("Whole chats"),
        "recalls": _("Recalls without a reply"),
        "messages": _("Messages in chats"),
        "quotations": _("Replies that quoted them from memory"),
    }
    excused: ClassVar = {
        "chat_message": IN_CHATS,
        "chat_conversation": IN_CHATS,
        "chat_generation": IN_CHATS,
        "chat_agent": WRITTEN,
    }
    parents: ClassVar = ("chat_message", "chat_conversation", "chat_agent")
    table_labels: ClassVar = {"chat_conversation": _("Chats"), "chat_message": _("Messages")}

    def choices(self, user_id: UUID) -> Sequence[Choice]:
        """The latest chats, and all agents."""
        chats = conversations_of(user_id)[:MAX_CHOICES]
        return (
            *(Choice("source", chat.id, chat.title, chat.last_message_at) for chat in chats),
            *(Choice("agent", agent.id, agent.name) for agent in agents_of(user_id)),
        )

    def sources(self, user_id: UUID, request: ForgetRequest, names: Collection[str]) -> Sources:
        """The chat itself, the chats of a project, or those with an agent."""
        chats = Conversation.objects.filter(user_id=user_id)
        if request.kind == "agent":
            return _with_agent(chats, user_id, request)
        if request.kind == "source":
            ids = chats.filter(id__in=filter(None, [request.object_id]))
            return Sources(tuple(ids.values_list("id", flat=True)))
        slugs = {slugify(name) for name in names}
        projects = chats.exclude(project="").values_list("id", "project")
        return Sources(tuple(row for row, project in projects if slugify(project) in slugs))

    def holds(self, user_id: UUID, scope: Scope) -> bool:
        """Whether whole chats are in scope or, for everything, recalls that belong to no reply."""
        return _whole_chats(user_id, scope).exists() or _has_recalls(user_id, scope)

    def count(
        self, user_id: UUID, request: ForgetRequest, scope: Scope, drawers: QuerySet[Drawer]
    ) -> Mapping[str, int]:
        """Chats and messages that lose their words, none if the chats are to stay; for everything, also
        recalls that belong to no reply."""
        recalls = recalls_without_reply(user_id).count() if scope.kind == "everything" else 0
        if not request.with_chats:
            return {"chats": 0, "messages": 0, "recalls": recalls}
        chats = _whole_chats(user_id, scope)
        messages = Message.objects.filter(
            Q(id__in=drawers.values("source_message_id")) | Q(conversation_id__in=chats.values("id")),
            user_id=user_id,
        )
        return {"chats": chats.count(), "messages": messages.count(), "recalls": recalls}

    def lock(self, user_id: UUID, scope: Scope) -> None:
        list(_whole_chats(user_id, scope).select_for_update())

    def hide(self, receipt: Forgetting, scope: Scope) -> None:
        """Add tombstones for all messages of whole chats, and hide the chats if the request includes them."""
        user_id = receipt.user_id
        chats = list(_whole_chats(user_id, scope))
        add_tombstones(user_id, _tombstone_entries(chats), receipt.id)
        if receipt.with_chats:
            ids = [chat.id for chat in chats]
            Conversation.objects.filter(user_id=user_id, id__in=ids).update(deleted_at=receipt.at)
            for conversation_id in ids:
                mark_source_removed(user_id, CONVERSATION, conversation_id, receipt.at)

    def restore(self, receipt: Forgetting) -> None:
        """Unhide the chats that were hidden with a request."""
        ids = [chat.id for chat in _hidden_with(receipt)]
        Conversation.objects.filter(user_id=receipt.user_id, id__in=ids).update(deleted_at=None)
        mark_source_kept(receipt.user_id, CONVERSATION, ids)

    def external_targets(self, receipt: Forgetting, drawer_ids: Sequence[UUID]) -> ExternalTargets:
        """Lock the chats, and add tombstones for those deleted earlier, which a request for everything
        erases."""
        user_id = receipt.user_id
        removed = _deleted_before(receipt)
        add_tombstones(user_id, _tombstone_entries(removed), receipt.id)
        chats = (*_hidden_with(receipt), *removed)
        touched = (
            _affected_chats(user_id, (*drawer_ids, *_drawer_ids_of(chats))).select_for_update().order_by("id")
        )
        said = (words for _, words, _ in _tombstone_entries(chats))
        return ExternalTargets(
            texts=chain(said, (chat.title for chat in chats)),
            chats=frozenset(chat.id for chat in (*touched, *chats)),
        )

    def redact(self, receipt: Forgetting, gone: ErasureTargets) -> Mapping[str, int]:
        """Empty whole chats and, if the request includes chats, the messages that drawers came from.

        Replies made from memory alone are always emptied, because they are copies of it, and recalls that
        belong to no reply are removed.
        """
        chats = (*_hidden_with(receipt), *_deleted_before(receipt))
        unfiled = _drawer_ids_of(chats)
        quotations = _empty_quoting_replies(gone, unfiled, receipt.id)
        recalls = _erase_recalls(receipt, gone, unfiled)
        messages = sum(map(empty, chats))
        if receipt.with_chats:
            messages += _empty_messages(gone)
            messages += _empty_repeating_replies(gone, receipt.id)
        return {"quotations": quotations, "messages": messages, "chats": len(chats), "recalls": recalls}

    def unexcused(self, user_id: UUID, words: Words) -> Mapping[tuple[str, str], int]:
        """Recalls that belong to no reply; those of chats that are kept are excused."""
        traces = recalls_without_reply(user_id).iterator(BATCH_SIZE)
        return Counter((TRACES, column) for trace in traces for column in _columns_with(trace, words))


def _with_agent(chats: QuerySet[Conversation], user_id: UUID, request: ForgetRequest) -> Sources:
    if request.object_id is None:
        agent = agents_of(user_id).filter(name__iexact=request.name).first()
    else:
        agent = Agent.objects.filter(user_id=user_id, id=request.object_id).first()
    if agent is None:
        return Sources()
    ids = chats.filter(agent_id=agent.id).values_list("id", flat=True)
    return Sources(tuple(ids), agent.id, agent.name)


def _whole_chats(user_id: UUID, scope: Scope) -> QuerySet[Conversation]:
    """The chats a request covers from beginning to end, even those never mined."""
    chats = Conversation.objects.filter(user_id=user_id, deleted_at=None, incognito=False)
    chats = chats.order_by("id")
    if scope.kind == "everything":
        return chats
    return chats.filter(id__in=scope.sources) if scope.kind in WHOLE_CHAT_KINDS else chats.none()


def _has_recalls(user_id: UUID, scope: Scope) -> bool:
    """Whether a request for everything would be the first to erase recalls that belong to no reply."""
    if scope.kind != "everything" or waiting(user_id).filter(scope="everything").exists():
        return False
    return recalls_without_reply(user_id).exists()


def _erase_recalls(receipt: Forgetting, gone: ErasureTargets, unfiled: Sequence[UUID]) -> int:
    """Erase the recalls without a reply that chose any of these drawers or hold any of the words; all of them
    for everything."""
    traces = recalls_without_reply(receipt.user_id)
    if receipt.scope != "everything":
        forgotten = {str(drawer_id) for drawer_id in (*gone.drawer_ids, *unfiled)}
        ids = [
            trace.id
            for trace in traces.iterator(BATCH_SIZE)
            if forgotten & {hit.get("drawer_id") for hit in trace.hits} or _columns_with(trace, gone.words)
        ]
        traces = traces.filter(id__in=ids)
    count = traces.count()
    traces.delete()
    return count


def _hidden_with(receipt: Forgetting) -> tuple[Conversation, ...]:
    """The chats hidden when a request was made, locked."""
    if not receipt.with_chats or receipt.scope not in WHOLE_CHAT_KINDS:
        return ()
    hidden = Conversation.objects.filter(user_id=receipt.user_id, deleted_at=receipt.at)
    return tuple(hidden.select_for_update().order_by("id"))


def _deleted_before(receipt: Forgetting) -> tuple[Conversation, ...]:
    """The chats deleted earlier that could still be restored, locked, if a request is for
    everything."""
    if not receipt.with_chats or receipt.scope != "everything":
        return ()
    messages = Message.objects.filter(user_id=receipt.user_id, conversation_id=OuterRef("id"))
    removed = Conversation.objects.filter(
        Exists(messages), user_id=receipt.user_id, deleted_at__lt=receipt.at
    )
    return tuple(removed.select_for_update().order_by("id"))


def _tombstone_entries(chats: Iterable[Conversation]) -> Iterator[SaidMessage]:
    """Every message of these chats, in the form that tombstones use."""
    for chat in chats:
        for turn in turns(messages_of(chat).order_by("sequence").iterator(BATCH_SIZE)):
            yield turn.message_id, verbatim(turn), turn.said_at


def _affected_chats(user_id: UUID, drawer_ids: Sequence[UUID]) -> QuerySet[Conversation]:
    """The chats that drawers came from or were recalled in."""
    drawers = Drawer.objects.filter(user_id=user_id, id__in=drawer_ids)
    quoting = _replies_recalling(user_id, drawer_ids).values_list("conversation_id", flat=True)
    ids = {*drawers.values_list("source_id", flat=True), *quoting}
    return Conversation.objects.filter(user_id=user_id, id__in=ids)


def _replies_recalling(user_id: UUID, drawer_ids: Sequence[UUID]) -> QuerySet[Message]:
    """Replies that any of these drawers was recalled for."""
    return Message.objects.filter(user_id=user_id, trace_id__in=traces_of_drawers(user_id, drawer_ids))


def _drawer_ids_of(chats: Iterable[Conversation]) -> Sequence[UUID]:
    """The drawer ids of all messages of these chats, filed or not: recalls of unfiled messages use them
    too."""
    return [drawer_id_of(each) for chat in chats for each in messages_of(chat).values_list("id", flat=True)]


def _empty_quoting_replies(gone: ErasureTargets, unfiled: Sequence[UUID], deletion_id: UUID) -> int:
    """Empty what was written from memory alone, if the drawers or unfiled messages were recalled for it."""
    replies = list(
        _replies_recalling(gone.user_id, (*gone.drawer_ids, *unfiled))
        .filter(model=MEMORY_ONLY)
        .exclude(content="")
    )
    return _empty_replies(replies, deletion_id)


def _empty_messages(gone: ErasureTargets) -> int:
    """Empty the messages that drawers came from, and everything else of their chats with the words:

    titles, projects, traces and replies in progress.
    """
    messages = Message.objects.filter(user_id=gone.user_id, id__in=gone.message_ids)
    chats = set(messages.values_list("conversation_id", flat=True))
    count = messages.update(content="", tool_arguments="", notice=FORGOTTEN)
    for chat in Conversation.objects.filter(user_id=gone.user_id, id__in=chats):
        _redact_chat(chat, gone.words)
    return count


def _redact_chat(chat: Conversation, words: Words) -> None:
    cleared = {name: "" for name in ("title", "project") if words.are_in(getattr(chat, name))}
    if cleared:
        Conversation.objects.filter(user_id=chat.user_id, id=chat.id).update(**cleared)
    erase_derived(chat)
    ids = messages_of(chat).filter(trace_id__isnull=False).values("trace_id")
    for trace in RecallTrace.objects.filter(user_id=chat.user_id, id__in=ids):
        trace.trace, trace.hits = blank_words(trace.trace, words), blank_words(trace.hits, words)
        trace.save(update_fields=("trace", "hits"))


def _empty_repeating_replies(gone: ErasureTargets, deletion_id: UUID) -> int:
    """Empty replies that the drawers were recalled for and that repeat their words."""
    replies = _replies_recalling(gone.user_id, gone.drawer_ids).exclude(content="")
    repeating = [reply for reply in replies if gone.words.are_in(reply.content)]
    return _empty_replies(repeating, deletion_id)


def _empty_replies(replies: Sequence[Message], deletion_id: UUID) -> int:
    """Empty replies, so that an older export of the chat does not restore what they repeated either."""
    if not replies:
        return 0
    user_id = replies[0].user_id
    add_word_tombstones(user_id, [(reply.content, reply.said_at) for reply in replies], deletion_id)
    rows = Message.objects.filter(user_id=user_id, id__in=[reply.id for reply in replies])
    return rows.update(content="", notice=FORGOTTEN)


def recalls_without_reply(user_id: UUID) -> QuerySet[RecallTrace]:
    """The traces of recalls that no message refers to: of programs, and of replies that were never stored.

    They contain the question and are not deleted with any chat, but along with what they recalled, and after
    90 days at the latest.
    """
    return RecallTrace.objects.filter(user_id=user_id, without_reply=True)


def readable_recalls(user_id: UUID) -> QuerySet[RecallTrace]:
    """The traces that their owner can read: none of chats in the trash, nor of recalls that were forgotten
    with everything."""
    deleted = Message.objects.filter(
        user_id=user_id, conversation__deleted_at__isnull=False, trace_id__isnull=False
    )
    found = RecallTrace.objects.filter(user_id=user_id).exclude(id__in=deleted.values("trace_id"))
    last = waiting(user_id).filter(scope="everything").order_by("-at").first()
    return found.exclude(without_reply=True, at__lte=last.at) if last else found


def erase_old_recalls(user_id: UUID, now: datetime) -> None:
    """Erase recalls without a reply that are older than 90 days, or than the chats their owner keeps."""
    days = preferences_of(user_id).retention_days
    kept = min(RECALLS_KEPT_FOR, timedelta(days=days)) if days else RECALLS_KEPT_FOR
    recalls_without_reply(user_id).filter(at__lt=now - kept).delete()


def _columns_with(trace: RecallTrace, words: Words) -> list[str]:
    return [column for column in ("trace", "hits") if words.are_in(as_text(getattr(trace, column)))]
