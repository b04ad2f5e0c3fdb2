"""Counts what is in a palace and its chats."""

from uuid import UUID

from chat.mining.drain import count_dead_jobs
from chat.mining.run import unmined_messages
from chat.models import Conversation, Message
from memory.models import Closet, Drawer, DrawerVector, Entity, Fact, Relation, Room, Wing


def statistics(user_id: UUID) -> dict[str, int]:
    """Counts by name. The trash and deleted conversations do not count."""
    conversations = Conversation.objects.filter(user_id=user_id, deleted_at=None, incognito=False)
    return {
        "wings": Wing.objects.filter(user_id=user_id).count(),
        "rooms": Room.objects.filter(user_id=user_id).count(),
        "closets": Closet.objects.filter(user_id=user_id).count(),
        "drawers": Drawer.objects.live().filter(user_id=user_id).count(),
        "vectors": DrawerVector.objects.filter(user_id=user_id, hidden=False).count(),
        "facts": Fact.objects.filter(user_id=user_id, deleted_at=None).count(),
        "entities": Entity.objects.filter(user_id=user_id, merged_into_id=None).count(),
        "relations": Relation.objects.filter(user_id=user_id, deleted_at=None).count(),
        "conversations": conversations.count(),
        "messages": Message.objects.filter(
            user_id=user_id, conversation__deleted_at=None, conversation__incognito=False
        ).count(),
        "unmined_messages": unmined_messages(user_id),
        "dead_jobs": count_dead_jobs(user_id),
    }
