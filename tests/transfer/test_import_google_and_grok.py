"""The exports of Google and xAI in the ledger: everything once, with its branches."""

from pathlib import Path

import pytest
from django.utils import timezone

from chat.models import Conversation, Message
from transfer.imports import counts_of, import_file, run_of_file

FIXTURES = Path(__file__).parents[1] / "fixtures"


def imported(user_id, path):
    with run_of_file(user_id, path, timezone.now()) as run:
        return counts_of(import_file(run, path, timezone.now))


@pytest.mark.parametrize(
    ("product", "counts"),
    [
        # conversations, grown, duplicates, empty ones, messages, refused entries
        ("gemini", (4, 0, 0, 0, 19, 2)),
        ("gemini_page", (2, 0, 0, 0, 4, 1)),
        ("gemini_workspace", (1, 0, 0, 0, 2, 0)),
        ("grok", (2, 0, 0, 1, 13, 1)),
        ("ai_studio", (1, 1, 0, 0, 12, 0)),
    ],
)
def test_a_second_import_adds_nothing(as_alice, product, counts):
    assert tuple(imported(as_alice.id, FIXTURES / product).values()) == counts
    before = list(Message.objects.order_by("id").values_list("external_id", "parent_sequence", "content"))
    assert len(before) == counts[4]
    again = imported(as_alice.id, FIXTURES / product)
    assert (again["conversations"], again["grown"], again["messages"]) == (0, 0, 0)
    assert Message.objects.count() == len(before)
    assert Conversation.objects.count() == counts[0]
