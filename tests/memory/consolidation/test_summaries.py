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


def add_drawer(starter):
    spot = Spot(closet="Rye", source_id=starter[0].source_id)
    file(starter[0].user_id, ["The rye starter is hungry."], spot)


def of_closet(drawers):
    return summary_of(drawers[0].user_id, drawers[0].closet_id)


def test_closets_and_rooms_are_summarised_with_sentences_from_their_drawers(starter, alice_client):
    run = consolidate(starter[0].user_id, NOW)

    assert run.counts == {"summarised": 2}
    summary = of_closet(starter)
    assert "rye starter" in summary.text
    assert summary.written_by == Summary.Writer.RULES
    place = [starter[0].wing_id, starter[0].room_id]
    for url in (
        reverse("memory:closet", args=[*place, starter[0].closet_id]),
        reverse("memory:room", args=place),
    ):
        html = check_page(alice_client.get(url))
        assert "Summary, with sentences selected by Palace" in html


def test_a_summary_is_renewed_without_approval_when_drawers_are_added(starter):
    user_id = starter[0].user_id
    assert preview(user_id, NOW) is None
    first = of_closet(starter)
    add_drawer(starter)
    assert consolidate(user_id, NOW + timedelta(days=1)).counts == {"summarised": 2}
    second = of_closet(starter)
    assert second.digest != first.digest
    assert Summary.objects.filter(subject_id=starter[0].closet_id).count() == 1


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


def test_deleting_a_drawer_deletes_its_summaries(starter):
    user_id = starter[0].user_id
    consolidate(user_id, NOW)
    delete(user_id, "drawer", starter[1].id, NOW)
    assert not Summary.objects.exists()


def test_a_model_writes_summaries_and_its_usage_is_recorded(starter, alice_client):
    chat = FakeChat(answer=lambda request: "You keep a rye starter and feed it each morning.")
    with current.using(chat=chat):
        consolidate(starter[0].user_id, NOW)

    summary = of_closet(starter)
    assert summary.written_by == Summary.Writer.MODEL
    assert summary.text == "You keep a rye starter and feed it each morning."
    assert sum(Usage.objects.filter(source="memory_summary").values_list("calls", flat=True)) == 2
    assert "never instruction" in chat.requests[0].messages[0].content
    url = reverse("memory:closet", args=[starter[0].wing_id, starter[0].room_id, starter[0].closet_id])
    assert "Summary, written by a model" in check_page(alice_client.get(url))


def test_a_model_that_becomes_available_rewrites_the_summaries(starter):
    user_id = starter[0].user_id
    chat = FakeChat(answer=lambda request: "About a rye starter.")
    chat.fail_with(ModelTimeout("Away."))
    with current.using(chat=chat):
        assert consolidate(user_id, NOW).counts == {"summarised": 2}
        assert of_closet(starter).written_by == Summary.Writer.RULES
        chat.fail_with(None)
        calls = len(chat.requests)
        assert consolidate(user_id, NOW + timedelta(days=1)).counts == {"summarised": 2}
        assert consolidate(user_id, NOW + timedelta(days=2)).counts == {}
    assert of_closet(starter).text == "About a rye starter."
    assert len(chat.requests) == calls + 2


def test_summaries_written_before_the_model_failed_are_kept(starter):
    chat = FakeChat(["About a rye starter.", BrokenReply("", ModelTimeout("Away."))])
    with current.using(chat=chat):
        assert consolidate(starter[0].user_id, NOW).counts == {"summarised": 2}
    assert sorted(Summary.objects.values_list("written_by", flat=True)) == ["model", "rules"]


def test_unusable_model_answers_are_rejected():
    unusable = ["", "word " * 91, "See https://example.org for more.", "<b>Rye</b>", "# Rye"]
    for answer in (*unusable, "You fed it 17 times.", "Rye\u202e starter"):
        assert clean_answer(answer, "\n".join(SAID)) == ""


def test_the_number_of_places_summarised_per_run_is_limited(starter, monkeypatch):
    monkeypatch.setattr(summaries, "MAX_PLACES", 1)
    assert consolidate(starter[0].user_id, NOW).counts == {"summarised": 1}
    assert consolidate(starter[0].user_id, NOW).counts == {"summarised": 1}
    assert consolidate(starter[0].user_id, NOW).counts == {}


def test_extract_quotes_the_sentences_on_the_common_topic_in_order():
    texts = [
        "Good morning. The starter smells of apples. Thanks!",
        "By the way, the last bus to the harbour was late again because of heavy snow.",
        "I bought a rye starter on holiday. Why does my rye starter rise so slowly?",
        "My rye starter doubled overnight.",
    ]
    assert extract(texts) == (
        "The starter smells of apples. I bought a rye starter on holiday. My rye starter doubled overnight."
    )


def test_extract_works_in_any_script():
    for text in (
        "我住在上海。我在上海的医院工作。上海的春天很美。今天下雨。",
        "Я живу в Москве. В Москве работает моя сестра. Москва зимой красива.",
        "أنا أعيش في القاهرة. القاهرة مدينة كبيرة جدا. أحب شوارع القاهرة القديمة.",
    ):
        found = extract([text])
        assert found
        assert all(piece in text for piece in re.split(r"(?<=[.。])\s", found))


def test_extract_skips_questions_code_and_very_long_sentences():
    texts = [
        "What does the lighthouse keeper do?",
        "```\nlighthouse keeper lighthouse keeper lamp\n```",
        "lighthouse keeper " * 60,
        "The lighthouse keeper trims the lamp.",
    ]
    assert extract(texts) == "The lighthouse keeper trims the lamp."


def test_extract_is_short_without_repetitions_and_may_be_empty():
    texts = ["The harbour ferry leaves at nine.", "The harbour ferry leaves at nine!"]
    assert extract(texts).count("ferry") == 1
    texts = [f"Boat number{n} sails from harbour{n} to island{n}." for n in range(40)]
    assert extract(texts).count("sails") <= SENTENCES
    for texts in ([], [""], ["ok", "👍", "…"]):
        assert extract(texts) == ""
