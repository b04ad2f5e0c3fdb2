import threading

import pytest
from django.db import connection

from accounts.tenancy import tenant
from llm import current
from llm.errors import EmbedderUnavailable, ModelRefused
from memory.models import ActivityEvent, Drawer, DrawerVector, MemoryPreferences, SentenceVectors, WideVector
from memory.search.active_embedding import active_space_of
from memory.search.embedding_backfill import backfill, has_work, not_embedded, waiting
from tests.drills.ledger import NOW, converse, mine, remember
from tests.drills.rows import differences, rows_of
from tests.fake_gateway import FakeEmbedder
from tests.memory.search.test_active_embedding import choose

pytestmark = pytest.mark.usefixtures("embedder")


def active_model(user):
    return active_space_of(user.id).space.name


def test_backfill_adds_vectors_missed_in_an_outage_and_changes_nothing_else(as_alice, embedder):
    words = [f"The lake has heron number {n}." for n in range(40)]
    converse(as_alice.id, *words)
    embedder.fail_with(EmbedderUnavailable("Away."))
    mine(as_alice.id)
    assert not DrawerVector.objects.exists()
    notes = ActivityEvent.objects.filter(kind="memory_mined").first().details["notes"]
    assert any("by meaning" in note for note in notes)
    before = rows_of(as_alice.id)
    with pytest.raises(EmbedderUnavailable):
        backfill(as_alice.id, 10, NOW)
    embedder.fail_with(None)
    assert waiting(as_alice.id) == 40
    assert backfill(as_alice.id, 33, NOW) == 33
    assert backfill(as_alice.id, 100, NOW) == 7
    assert backfill(as_alice.id, 100, NOW) == waiting(as_alice.id) == 0
    after = rows_of(as_alice.id)
    assert len(after.pop("vectors")) == 40
    before.pop("vectors")
    assert differences(before, after) == []


def test_drawers_too_long_for_their_window_are_embedded_by_the_backfill(as_alice):
    remember(as_alice.id, *(f"Heron {number}. {'The lake is wide. ' * 1_500}" for number in range(4)))
    assert waiting(as_alice.id) == 2, "the window had room for two"
    assert [backfill(as_alice.id, 10, NOW) for _ in range(2)] == [2, 0]
    remember(as_alice.id, "The lake is wider. " * 5_000)
    assert [backfill(as_alice.id, 10, NOW) for _ in range(2)] == [1, 0], "also one beyond the limit"
    assert waiting(as_alice.id) == 0


def mined_without_vectors(user, embedder, *words):
    converse(user.id, *words)
    embedder.fail_with(EmbedderUnavailable("Away."))
    mine(user.id)
    embedder.fail_with(None)


def test_backfilled_vectors_equal_those_of_mining(alice, bob, embedder):
    said = ("I met a heron.", "A long story. " * 100)
    with tenant(alice.id):
        remember(alice.id, *said)
        early = rows_of(alice.id)["vectors"]
    with tenant(bob.id):
        mined_without_vectors(bob, embedder, *said)
        backfill(bob.id, 100, NOW)
        assert rows_of(bob.id)["vectors"] == early != []


def test_deleted_drawers_get_no_vectors_even_if_deleted_meanwhile(as_alice, embedder):
    mined_without_vectors(as_alice, embedder, "I met a heron.", "And?", "An otter.", "Where?")
    Drawer.objects.filter(content="Where?").update(deleted_at=NOW)
    assert waiting(as_alice.id) == 3
    made = embedder.embed_documents

    def slow(texts):
        Drawer.objects.filter(content="And?").update(deleted_at=NOW)
        return made(texts)

    embedder.embed_documents = slow
    backfill(as_alice.id, 10, NOW)
    assert DrawerVector.objects.count() == 2


def test_a_chosen_model_is_activated_once_it_has_embedded_everything(as_alice, embedder, wide):
    remember(as_alice.id, *(f"I met heron number {n}." for n in range(40)))
    choose(as_alice, "wide")
    assert (waiting(as_alice.id), not_embedded(as_alice.id, 100)) == (0, 40)
    assert backfill(as_alice.id, 33, NOW) == 33
    assert active_model(as_alice) == embedder.model.name
    assert not_embedded(as_alice.id, 100) == 7
    assert backfill(as_alice.id, 33, NOW) == 7
    assert active_model(as_alice) == "wide"
    assert not has_work(as_alice.id)
    assert DrawerVector.objects.count() == 80
    assert WideVector.objects.count() == 40
    (event,) = ActivityEvent.objects.filter(kind=ActivityEvent.Kind.REEMBEDDED)
    assert event.details == {"model": "wide", "before": embedder.model.name}


def test_drawers_filed_during_a_switch_are_embedded_by_both_models(as_alice, wide):
    remember(as_alice.id, *(f"I met heron number {n}." for n in range(4)))
    choose(as_alice, "wide")
    backfill(as_alice.id, 2, NOW)
    remember(as_alice.id, "I met an otter.", "Where?")
    assert waiting(as_alice.id) == 0
    backfill(as_alice.id, 100, NOW)
    assert active_model(as_alice) == "wide"
    assert waiting(as_alice.id) == not_embedded(as_alice.id, 10) == 0
    remember(as_alice.id, "I met a badger.", "Where?")
    assert not_embedded(as_alice.id, 10) == 0


def test_a_switch_can_be_reverted_in_the_middle(as_alice, embedder, wide):
    remember(as_alice.id, "I met a heron.", "And?")
    choose(as_alice, "wide")
    backfill(as_alice.id, 1, NOW)
    MemoryPreferences.objects.filter(user_id=as_alice.id).update(embedding_model="")
    assert not has_work(as_alice.id)
    assert backfill(as_alice.id, 100, NOW) == 0
    assert active_model(as_alice) == embedder.model.name
    MemoryPreferences.objects.filter(user_id=as_alice.id).update(embedding_model="wide")
    assert backfill(as_alice.id, 100, NOW) == 1
    assert active_model(as_alice) == "wide"


def test_an_outage_in_the_middle_of_a_switch_loses_nothing(as_alice, embedder, wide):
    remember(as_alice.id, *(f"I met heron number {n}." for n in range(40)))
    choose(as_alice, "wide")
    backfill(as_alice.id, 32, NOW)
    wide.fail_with(EmbedderUnavailable("Away."))
    with pytest.raises(EmbedderUnavailable):
        backfill(as_alice.id, 32, NOW)
    assert active_model(as_alice) == embedder.model.name
    assert (waiting(as_alice.id), not_embedded(as_alice.id, 100)) == (0, 8)
    wide.fail_with(None)
    embedder.fail_with(EmbedderUnavailable("Gone."))
    backfill(as_alice.id, 32, NOW)
    assert active_model(as_alice) == "wide"


def test_drawers_without_vectors_come_first_and_an_unavailable_model_blocks_none(as_alice, embedder, wide):
    remember(as_alice.id, "I met a heron.", "And?")
    choose(as_alice, "wide")
    embedder.fail_with(EmbedderUnavailable("Away."))
    wide.fail_with(EmbedderUnavailable("Away."))
    remember(as_alice.id, "I met an otter.", "Where?")
    assert waiting(as_alice.id) == 2
    wide.fail_with(None)
    with pytest.raises(EmbedderUnavailable):
        backfill(as_alice.id, 1, NOW)
    assert not_embedded(as_alice.id, 10) == 3
    embedder.fail_with(None)
    assert backfill(as_alice.id, 2, NOW) == 2
    assert (waiting(as_alice.id), not_embedded(as_alice.id, 10)) == (0, 3)


def test_a_window_embedded_before_the_switch_is_embedded_again(as_alice, embedder, wide):
    remember(as_alice.id, "I met a heron.", "And?")
    converse(as_alice.id, "I met an otter.", "Where?")
    made = embedder.embed_documents

    def slow(texts):
        embedder.embed_documents = made
        backfill(as_alice.id, 10, NOW)
        return made(texts)

    choose(as_alice, "wide")
    embedder.embed_documents = slow
    mine(as_alice.id)
    assert active_model(as_alice) == "wide"
    assert waiting(as_alice.id) == 0


def test_a_refused_text_is_skipped_but_a_model_that_refuses_all_is_never_activated(as_alice, embedder, wide):
    remember(as_alice.id, "I met a heron.", "And?", "Unspeakable.", "Yes.")
    choose(as_alice, "wide")
    for status in (400, 401, 404):
        wide.fail_with(ModelRefused("No.", status=status))
        with pytest.raises(ModelRefused):
            backfill(as_alice.id, 10, NOW)
        assert active_model(as_alice) == embedder.model.name
        assert not_embedded(as_alice.id, 10) == 4
    wide.fail_with(None)
    made = wide.embed_documents

    def choosy(texts):
        if any("Unspeakable" in text for text in texts):
            raise ModelRefused("No.", status=400)
        return made(texts)

    wide.embed_documents = choosy
    assert backfill(as_alice.id, 10, NOW) == 4
    assert active_model(as_alice) == "wide"


@pytest.mark.django_db(transaction=True)
def test_concurrent_backfills_embed_each_drawer_once(alice, embedder):
    with tenant(alice.id):
        mined_without_vectors(alice, embedder, "I met a heron.", "And?")
    started, resume = threading.Event(), threading.Event()
    made = embedder.embed_documents

    def slow(texts):
        started.set()
        assert resume.wait(60)
        return made(texts)

    def work():
        with tenant(alice.id):
            results.append(backfill(alice.id, 10, NOW))
        connection.close()

    embedder.embed_documents, results = slow, []
    first = threading.Thread(target=work)
    first.start()
    assert started.wait(60)
    with tenant(alice.id):
        assert backfill(alice.id, 10, NOW) == 0
    resume.set()
    first.join(60)
    assert results == [2]
    assert sorted(embedder.embedded)[:2] == ["And?", "I met a heron."]
    assert embedder.embedded.count("And?") == 1


LONG = (
    "Could you help me to write a letter to the tax office about form 17? "
    "By the way, my dog Bruno is afraid of thunder and hides in the bath."
)


def sentence_rows(user):
    rows = SentenceVectors.objects.filter(user_id=user.id).order_by("drawer_id")
    return [(drawer_id, bytes(kept)) for drawer_id, kept in rows.values_list("drawer_id", "kept")]


def test_missing_sentence_vectors_are_backfilled_once_for_each_drawer(as_alice):
    with current.using(embedder=FakeEmbedder(sentences=True)):
        converse(as_alice.id, LONG, LONG + " Never mind.")
        remember(as_alice.id, "My dog Bruno is a greyhound and hates thunder")
        made = sentence_rows(as_alice)
        assert [bool(kept) for _, kept in made].count(True) == 1, "only of the user's words"
        SentenceVectors.objects.all().delete()
        assert has_work(as_alice.id)
        backfill(as_alice.id, 100, NOW)
        assert [row for row in sentence_rows(as_alice) if row[1]] == [row for row in made if row[1]]
        assert b"" in dict(sentence_rows(as_alice)).values(), "a drawer without sentences is recorded as such"
        assert not has_work(as_alice.id)


def test_a_backfill_is_limited_in_the_drawers_it_splits_into_sentences(as_alice):
    with current.using(embedder=FakeEmbedder(sentences=True)):
        for number in range(3):
            converse(as_alice.id, f"{LONG} That was letter number {number} of this week.")
        mine(as_alice.id)
        SentenceVectors.objects.all().delete()
        backfill(as_alice.id, 2, NOW)
        assert len(sentence_rows(as_alice)) == 2
        assert has_work(as_alice.id)
        backfill(as_alice.id, 2, NOW)
        assert not has_work(as_alice.id)
