"""What the replies of a chat took: tokens, and money where prices are known."""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db.models import Count, Q, Sum

from chat.branches import messages_of
from chat.models import MEMORY_ONLY, Agent, Conversation, Message
from llm import current

MOST_MODELS = 20


@dataclass(frozen=True, slots=True)
class Spent:
    """The replies of models in all branches of a chat. `cost_usd` is None when no price is known,
    and `unpriced` counts the replies that are not in it."""

    replies: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal | None
    unpriced: int


def spent_in(conversation: Conversation) -> Spent:
    """What the replies of a chat took together."""
    counted = messages_of(conversation).filter(
        role=Message.Role.ASSISTANT, input_tokens__isnull=False
    )
    sums = counted.aggregate(
        replies=Count("sequence"),
        read=Sum("input_tokens", default=0),
        written=Sum("output_tokens", default=0),
        cost=Sum("cost_usd"),
        unpriced=Count("sequence", filter=Q(cost_usd=None)),
    )
    return Spent(sums["replies"], sums["read"], sums["written"], sums["cost"], sums["unpriced"])


def known_models(user_id: UUID) -> tuple[str, ...]:
    """Names of models to choose from: the usual one, and those of the person's agents and chats."""
    agents = Agent.objects.filter(user_id=user_id).exclude(model="")
    chats = Conversation.objects.filter(user_id=user_id).exclude(model="")
    usual = current.configuration().chat_model if current.has_chat() else ""
    names = [
        usual,
        *agents.order_by("model").values_list("model", flat=True).distinct()[:MOST_MODELS],
        *chats.order_by("model").values_list("model", flat=True).distinct()[:MOST_MODELS],
    ]
    return tuple(dict.fromkeys(name for name in names if name and name != MEMORY_ONLY))
