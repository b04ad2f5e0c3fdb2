"""The chats in an upload, and which of them its owner has chosen to import."""

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from uuid import UUID

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce, NullIf

from chat.models import Conversation, Message
from memory.changes.activity_queries import NamedChat, Names
from memory.models import Fact, FactSource
from transfer.filing import Outcome, fit_column, title_of
from transfer.importing.threads import BrokenEntry, Entry, ImportedConversation
from transfer.models import ImportedChat, ImportRun

BATCH_SIZE = 500
LONG_AGO = datetime.min.replace(tzinfo=UTC)

IS_NEW = Q(is_deleted=False, messages__gt=F("known"))


def month_start(name: str, zone: tzinfo, offset: int = 0) -> datetime:
    """The beginning of a month, or of one `offset` months later. Raises ValueError."""
    year, _, month = name.partition("-")
    months = int(year) * 12 + int(month) - 1 + offset
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=zone)


def imported_chats(user_id: UUID) -> "QuerySet[Conversation]":
    """Every imported chat of a user."""
    return Conversation.objects.filter(user_id=user_id, source=Conversation.Source.IMPORT)


def added_chats(user_id: UUID, run_id: UUID) -> "QuerySet[Conversation]":
    """The chats that an import added and that are still kept."""
    added = ImportedChat.objects.filter(user_id=user_id, run_id=run_id, outcome=Outcome.NEW)
    return imported_chats(user_id).filter(id__in=added.values("conversation_id"), deleted_at=None)


def matching_chats(
    run: ImportRun, zone: tzinfo, words: str, first: str, last: str, *, new: bool
) -> "QuerySet[ImportedChat]":
    """The chats of an upload with these words in `title_now`, which is their title or that of their
    conversation, within a range of months (each `2026-03` or empty), and with `new` only those with new
    messages. Raises ValueError if a month is invalid."""
    kept = Conversation.objects.filter(user_id=run.user_id, id=OuterRef("conversation_id"), deleted_at=None)
    title = Coalesce(NullIf("title", Value("")), Subquery(kept.values("title")), Value(""))
    found = run.chats.annotate(title_now=title).filter(title_now__icontains=words)
    if first:
        found = found.filter(last_said_at__gte=month_start(first, zone))
    if last:
        found = found.filter(last_said_at__lt=month_start(last, zone, offset=1))
    return found.filter(IS_NEW) if new else found


def months_of(run: ImportRun, zone: tzinfo) -> list[datetime]:
    """The months in which chats of a file were last active, oldest first."""
    return list(run.chats.datetimes("last_said_at", "month", tzinfo=zone))


def chosen_counts(run: ImportRun) -> dict[str, int]:
    """The number of chosen `chats`, their `fresh` messages and about how many `characters` these have,
    `skipped` chats, and `tool_results` in all chats of the file."""
    chosen, fresh = Q(chosen=True), F("messages") - F("known")
    found = run.chats.aggregate(
        every=Count("id"),
        chats=Count("id", filter=chosen),
        fresh=Sum(fresh, filter=chosen, default=0),
        characters=Sum(F("characters") * fresh / NullIf(F("messages"), 0), filter=chosen, default=0),
        skipped=Count("id", filter=~IS_NEW),
        tool_results=Sum("tool_results", default=0),
    )
    return {name: max(0, count) for name, count in found.items()}


def choose(run: ImportRun, wanted: "QuerySet[ImportedChat]") -> None:
    """Choose exactly these chats, except those without new messages."""
    run.chats.exclude(id__in=wanted.values("id")).update(chosen=False)
    wanted.update(chosen=IS_NEW)


def set_chosen(run: ImportRun, shown: Collection[UUID], ticked: Collection[UUID]) -> None:
    """Of the chats `shown`, choose those that were `ticked`; others do not change."""
    found = run.chats.filter(id__in=shown)
    found.filter(id__in=ticked).filter(IS_NEW).update(chosen=True)
    found.exclude(id__in=ticked).update(chosen=False)


def excluded_ids(run: ImportRun) -> frozenset[str]:
    """The ids, in the product, of chats that are not to be imported."""
    return frozenset(run.chats.filter(chosen=False).values_list("external_id", flat=True))


def is_excluded(entry: Entry, ids: Collection[str]) -> bool:
    """Whether an entry is one of these chats."""
    return not isinstance(entry, BrokenEntry) and _key(entry) in ids


def record_outcome(run: ImportRun, entry: ImportedConversation, outcome: str, chat_id: UUID | None) -> None:
    """Record the outcome of a chat, and drop the title, which the chat itself has now.

    A further part of the same chat does not change the outcome.
    """
    found = run.chats.filter(external_id=_key(entry))
    if entry.continues or outcome == Outcome.DUPLICATE:
        found = found.filter(outcome="")
    found.update(outcome=outcome, conversation_id=chat_id, title="")


def facts_by_chat(
    user_id: UUID, chat_ids: Collection[UUID], status: str = Fact.Status.ACTIVE
) -> dict[UUID | None, int]:
    """How many facts of this status, by default current ones, were extracted from each of these chats."""
    said = _facts_of(user_id, status).filter(drawer__source_id__in=chat_ids)
    counted = said.values_list("drawer__source_id").annotate(Count("fact_id", distinct=True))
    return dict(counted.values_list("drawer__source_id", "fact_id__count"))


def count_for_review(run: ImportRun) -> int:
    """How many facts of the imported chats wait for review."""
    said = _facts_of(run.user_id, Fact.Status.PENDING)
    found = said.filter(drawer__source_id__in=run.chats.values("conversation_id"))
    return found.values("fact_id").distinct().count()


def _facts_of(user_id: UUID, status: str) -> "QuerySet[FactSource]":
    return FactSource.objects.filter(user_id=user_id, fact__status=status, fact__deleted_at=None)


class ChatCollector:
    """Collects the chats of a file while its entries are read."""

    def __init__(self, run: ImportRun) -> None:
        self.run = run
        self._chats: dict[str, ImportedChat] = {}

    def collect(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Pass the entries through, collecting their chats."""
        for entry in entries:
            if not isinstance(entry, BrokenEntry):
                self._add(entry)
            yield entry

    def chats(self) -> list[ImportedChat]:
        """The chats, latest first, marked with what is already in the ledger."""
        found = sorted(self._chats.values(), key=lambda chat: chat.last_said_at or LONG_AGO, reverse=True)
        for start in range(0, len(found), BATCH_SIZE):
            _mark_known(self.run.user_id, found[start : start + BATCH_SIZE])
        return found

    def save(self) -> None:
        """Replace the stored chats of the run. Runs in a transaction."""
        self.run.chats.all().delete()
        ImportedChat.objects.bulk_create(self.chats(), batch_size=BATCH_SIZE)

    def _add(self, entry: ImportedConversation) -> None:
        said = [message for message in entry.messages if message.has_content]
        if not said:
            return
        key, title = _key(entry), fit_column(ImportedChat, "title", title_of(entry))
        new = ImportedChat(user_id=self.run.user_id, run_id=self.run.id, external_id=key, title=title)
        chat = self._chats.setdefault(key, new)
        chat.messages += len(said)
        chat.tool_results += sum(message.role == "tool" for message in said)
        chat.characters += sum(len(message.content) + len(message.tool_arguments) for message in said)
        moments = [each for each in (chat.last_said_at, *(m.said_at for m in said)) if each]
        chat.last_said_at = max(moments, default=entry.updated_at or entry.created_at)


def _key(entry: ImportedConversation) -> str:
    return fit_column(ImportedChat, "external_id", entry.external_id)


def _mark_known(user_id: UUID, chats: Collection[ImportedChat]) -> None:
    """Set how many messages of each chat are in the ledger, and whether its owner deleted it."""
    here = imported_chats(user_id).filter(external_id__in=[chat.external_id for chat in chats])
    found = {each.external_id: each for each in here}
    ids = [each.id for each in found.values()]
    imported = Message.objects.filter(user_id=user_id, conversation_id__in=ids).exclude(external_id="")
    counts = dict(imported.values_list("conversation_id").annotate(Count("id")))
    for chat in chats:
        conversation = found.get(chat.external_id)
        if conversation is not None:
            chat.known = counts.get(conversation.id, 0)
            chat.is_deleted = conversation.deleted_at is not None
            chat.chosen = chat.fresh > 0


def names_of(user_id: UUID, ids: Collection[UUID]) -> Names:
    """The names of these chats and imports, as far as they still exist, and the imports of the chats."""
    imported = ImportedChat.objects.filter(
        user_id=user_id, conversation_id__in=ids, outcome__in=(Outcome.NEW, Outcome.GROWN)
    )
    runs = dict(imported.order_by("id").values_list("conversation_id", "run_id"))
    chats = Conversation.objects.filter(user_id=user_id, id__in=ids, deleted_at=None)
    imports = ImportRun.objects.filter(user_id=user_id, id__in={*ids, *runs.values()})
    return Names(
        {chat.id: NamedChat(chat.title, chat.last_sequence, runs.get(chat.id)) for chat in chats},
        dict(imports.values_list("id", "format")),
    )
