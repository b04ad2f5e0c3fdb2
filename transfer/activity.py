"""Names the chats and imports that activity events refer to."""

from collections.abc import Collection
from uuid import UUID

from chat.models import Conversation
from memory.changes.activity_queries import NamedChat, Names
from transfer.filing import Outcome
from transfer.models import ImportedChat, ImportRun


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
