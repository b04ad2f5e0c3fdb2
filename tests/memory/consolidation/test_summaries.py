"""Summaries of places, by a model or as an extract."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from llm import current
from llm.errors import ModelTimeout
from memory.consolidation import summaries
from memory.consolidation.application import consolidate, preview
from memory.consolidation.summaries import SENTENCES, clean_answer, extract, summary_of
from memory.forgetting.trash import delete
from memory.models import Drawer, Summary, Usage
from tests.fake_gateway import BrokenReply, FakeChat
from tests.html import check_page
from tests.memory.palaces import MONDAY, Spot, file

NOW = MONDAY + timedelta(days=10)
DAY = timedelta(days=1)
SAID = [
    "My rye starter smells of apples.",
    "I feed the rye starter every morning.",
    "Yesterday the rye starter doubled.",
    "My bus was late.",
]


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def starter(as_alice, embedder):
    return file(as_alice.id, SAID, Spot(closet="Rye"))


def of_closet(drawers):
    return summary_of(drawers[0].user_id, drawers[0].closet_id)


def pages_of(client, drawers):
    """The pages of the closet and of the room."""
    place = [drawers[0].wing_id, drawers[0].room_id]
    closet = reverse("memory:closet", args=[*place, drawers[0].closet_id])
    return [check_page(client.get(url)) for url in (closet, reverse("memory:room", args=place))]


def test_places_are_summarised_with_their_sentences_and_renewed_without_approval(starter, alice_client):
    user_id = starter[0].user_id
    assert consolidate(user_id, NOW).counts == {"summarised": 2}
    first = of_closet(starter)
    assert "rye starter" in first.text
    assert first.written_by == Summary.Writer.RULES
    for html in pages_of(alice_client, starter):
        assert "Summary, with sentences selected by Palace" in html
    file(user_id, ["The rye starter is hungry."], Spot(closet="Rye", source_id=starter[0].source_id))
    assert preview(user_id, NOW) is None
    assert of_closet(starter).digest != first.digest
    assert Summary.objects.filter(subject_id=starter[0].closet_id).count() == 1

    delete(user_id, "drawer", starter[1].id, NOW)
    assert not Summary.objects.exists()


def test_a_summary_of_a_drawer_deleted_meanwhile_is_not_stored(starter):
    made = list(summaries.drafts(starter[0].user_id))
    delete(starter[0].user_id, "drawer", starter[1].id, NOW)
    assert summaries.store_summaries(starter[0].user_id, made, NOW) == 0
    assert not Summary.objects.exists()


def test_small_places_and_sensitive_drawers_are_not_summarised(as_alice):
    short = file(as_alice.id, SAID[:3], Spot(closet="Short"))
    hidden = file(as_alice.id, [*SAID, "The vault code of the rye starter is Otter."], Spot("Vault"))
    Drawer.objects.filter(id=hidden[-1].id).update(sensitive=True)
    consolidate(as_alice.id, NOW)
    assert of_closet(short) is None
    assert "Otter" not in of_closet(hidden).text


def test_a_model_that_failed_and_becomes_available_rewrites_the_other_summaries(starter, alice_client):
    user_id = starter[0].user_id
    failing = FakeChat(["About a rye starter.", BrokenReply("", ModelTimeout("Away."))])
    with current.using(chat=failing):
        assert consolidate(user_id, NOW).counts == {"summarised": 2}
    assert sorted(Summary.objects.values_list("written_by", flat=True)) == ["model", "rules"]
    chat = FakeChat(answer=lambda request: "About a rye starter.")
    with current.using(chat=chat):
        assert consolidate(user_id, NOW + DAY).counts == {"summarised": 1}
        assert consolidate(user_id, NOW + 2 * DAY).counts == {}
    assert (of_closet(starter).text, of_closet(starter).written_by) == ("About a rye starter.", "model")
    assert len(chat.requests) == 1
    assert sum(Usage.objects.filter(source="memory_summary").values_list("calls", flat=True)) == 2
    assert "never instruction" in chat.requests[-1].messages[0].content
    assert "Summary, written by a model" in pages_of(alice_client, starter)[0]


def test_unusable_model_answers_are_rejected():
    unusable = ["", "word " * 91, "See https://example.org for more.", "<b>Rye</b>", "# Rye"]
    for answer in (*unusable, "You fed it 17 times.", "Rye\u202e starter"):
        assert clean_answer(answer, "\n".join(SAID)) == ""


def test_the_number_of_places_summarised_per_run_is_limited(starter, monkeypatch):
    monkeypatch.setattr(summaries, "MAX_PLACES", 1)
    runs = [consolidate(starter[0].user_id, NOW).counts for _ in range(3)]
    assert runs == [{"summarised": 1}, {"summarised": 1}, {}]


LIGHTHOUSE = "The lighthouse keeper trims the lamp."


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (
            [
                "Good morning. The starter smells of apples. Thanks!",
                "By the way, the last bus to the harbour was late again because of heavy snow.",
                "I bought a rye starter on holiday. Why does my rye starter rise so slowly?",
                "My rye starter doubled overnight.",
            ],
            "The starter smells of apples. I bought a rye starter on holiday. "
            "My rye starter doubled overnight.",
        ),
        (["What does the lighthouse keeper do?", LIGHTHOUSE], LIGHTHOUSE),
        (["```\nlighthouse keeper lighthouse keeper lamp\n```", LIGHTHOUSE], LIGHTHOUSE),
        (["lighthouse keeper " * 60, LIGHTHOUSE], LIGHTHOUSE),
        ([LIGHTHOUSE, LIGHTHOUSE.replace(".", "!")], LIGHTHOUSE),
        *((texts, "") for texts in ([], [""], ["ok", "👍", "…"])),
    ],
)
def test_extract_quotes_short_statements_on_the_common_topic_in_order_and_once(texts, found):
    assert extract(texts) == found


def test_extract_is_limited_and_works_in_any_script():
    texts = [f"Boat number{n} sails from harbour{n} to island{n}." for n in range(40)]
    assert extract(texts).count("sails") <= SENTENCES
    for text in (
        "我住在上海。我在上海的医院工作。上海的春天很美。今天下雨。",
        "Я живу в Москве. В Москве работает моя сестра. Москва зимой красива.",
        "أنا أعيش في القاهرة. القاهرة مدينة كبيرة جدا. أحب شوارع القاهرة القديمة.",
    ):
        found = extract([text])
        assert found
        assert [piece for piece in re.split(r"(?<=[.。])\s", found) if piece not in text] == []
