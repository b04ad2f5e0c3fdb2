"""The backfill of missing vectors, and which models answer queries before, during and after a switch."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from accounts.tenancy import tenant
from llm import current
from llm.configuration import LlmConfiguration
from llm.embedding_models import E5_SMALL
from llm.errors import EmbedderUnavailable, ModelRefused
from memory.mining.wings import EXAMPLES
from memory.models import (
    ActivityEvent,
    Drawer,
    DrawerVector,
    FactVector,
    MemoryPreferences,
    Room,
    SentenceVectors,
    Usage,
    WideVector,
    Wing,
)
from memory.preferences import change_preferences, preferences_of
from memory.recall.retrieval import PARTIAL_MEANING
from memory.search.active_embedding import active_space_of, model_spaces
from memory.search.embedding_backfill import (
    STALE_AFTER,
    backfill,
    has_work,
    not_embedded,
    removal_is_due,
    remove_stale_vectors,
    waiting,
)
from memory.usage.records import Purpose
from tests.drills.ledger import NOW, converse, mine, remember
from tests.drills.rows import differences, rows_of
from tests.fake_gateway import FakeEmbedder
from tests.memory.recall.asking import ask

SAID = ("I met a heron.", "Where?", "By the lake.", "And then?", "It flew away.", "A pity.")
HERONS = [f"I met heron number {number}." for number in range(40)]
AWAY = EmbedderUnavailable("Away.")
LATER = NOW + STALE_AFTER + timedelta(seconds=1)

pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def wide(embedder):
    """A second model that users can choose, with longer vectors."""
    fake = FakeEmbedder(name="wide", dimensions=1536)
    with current.using(other_embedders=[fake]):
        yield fake


@pytest.fixture
def switching(as_alice, wide):
    """Alice, whose new model has embedded two of six drawers."""
    remember(as_alice.id, *SAID)
    choose(as_alice, "wide")
    backfill(as_alice.id, 2, NOW)
    return as_alice


def choose(user, name):
    MemoryPreferences.objects.update_or_create(user_id=user.id, defaults={"embedding_model": name})


def active_model(user):
    return active_space_of(user.id).space.name


def left(user):
    """How many drawers have no vector at all, and how many none of the chosen model."""
    return waiting(user.id), not_embedded(user.id, 100)


def query_models(user, chosen):
    purpose = Purpose(user.id, Usage.Source.EMBED, NOW)
    return [(each.embedder.model.name, each.answers) for each in model_spaces(chosen, purpose)]


def recall_trace(user):
    chosen = {"embedding_model": "wide", "similarity_floor": 0.0}
    return ask(user, "Which bird did I meet?", settings=chosen).trace


def mined_without_vectors(user, embedder, *words):
    converse(user.id, *words)
    embedder.fail_with(AWAY)
    mine(user.id)
    embedder.fail_with(None)


def intercept(embedder, before):
    """Call `before` with the texts of every request for vectors."""
    made = embedder.embed_documents

    def embed(texts):
        before(texts)
        return made(texts)

    embedder.embed_documents = embed


def test_backfill_adds_the_same_vectors_missed_in_an_outage_and_changes_nothing_else(alice, bob, embedder):
    words = [*HERONS[:39], "A long story. " * 100]
    with tenant(alice.id):
        remember(alice.id, *words)
        early = rows_of(alice.id)["vectors"]
    with tenant(bob.id):
        mined_without_vectors(bob, embedder, *words)
        assert not DrawerVector.objects.exists()
        notes = ActivityEvent.objects.filter(kind="memory_mined").first().details["notes"]
        assert any("by meaning" in note for note in notes)
        before = rows_of(bob.id)
        embedder.fail_with(AWAY)
        with pytest.raises(EmbedderUnavailable):
            backfill(bob.id, 10, NOW)
        embedder.fail_with(None)
        assert waiting(bob.id) == 40
        assert [backfill(bob.id, most, NOW) for most in (33, 100, 100)] == [33, 7, 0]
        assert waiting(bob.id) == 0
        after = rows_of(bob.id)
        assert after.pop("vectors") == early != []
        before.pop("vectors")
        assert differences(before, after) == []


def test_drawers_too_long_for_their_window_are_embedded_by_the_backfill(as_alice):
    remember(as_alice.id, *(f"Heron {number}. {'The lake is wide. ' * 1_500}" for number in range(4)))
    assert waiting(as_alice.id) == 2, "the window had room for two"
    assert [backfill(as_alice.id, 10, NOW) for _ in range(2)] == [2, 0]
    remember(as_alice.id, "The lake is wider. " * 5_000)
    assert [backfill(as_alice.id, 10, NOW) for _ in range(2)] == [1, 0], "also one beyond the limit"
    assert waiting(as_alice.id) == 0


def test_deleted_drawers_get_no_vectors_even_if_deleted_meanwhile(as_alice, embedder):
    mined_without_vectors(as_alice, embedder, "I met a heron.", "And?", "An otter.", "Where?")
    Drawer.objects.filter(content="Where?").update(deleted_at=NOW)
    assert waiting(as_alice.id) == 3
    intercept(embedder, lambda _: Drawer.objects.filter(content="And?").update(deleted_at=NOW))
    backfill(as_alice.id, 10, NOW)
    assert DrawerVector.objects.count() == 2


def test_the_previous_model_answers_until_the_chosen_one_has_embedded_everything(switching, embedder, wide):
    assert left(switching) == (0, 4)
    assert active_model(switching) == embedder.model.name
    assert query_models(switching, "gone") == [(embedder.model.name, True)]
    assert query_models(switching, "wide") == [(embedder.model.name, True), ("wide", False)]
    trace = recall_trace(switching)
    assert trace.retrievers["vectors"].found == 6
    assert not trace.degraded
    embedder.fail_with(EmbedderUnavailable("The endpoint is given a rest."))
    trace = recall_trace(switching)
    assert trace.retrievers["vectors"].found == 2, "the vectors of the new model"
    assert [each.words for each in trace.degraded] == [PARTIAL_MEANING]
    wide.fail_with(AWAY)
    trace = recall_trace(switching)
    assert "vectors" not in trace.retrievers
    assert ["given a rest" in each.words for each in trace.degraded] == [True]
    for model in (embedder, wide):
        model.fail_with(None)
    assert backfill(switching.id, 100, NOW) == 4
    assert active_model(switching) == "wide"
    assert not has_work(switching.id)
    assert (DrawerVector.objects.count(), WideVector.objects.count()) == (12, 6)
    (event,) = ActivityEvent.objects.filter(kind=ActivityEvent.Kind.REEMBEDDED)
    assert event.details == {"model": "wide", "before": embedder.model.name}
    assert query_models(switching, "wide") == [("wide", True)]
    assert recall_trace(switching).retrievers["vectors"].found == 6


def test_a_switch_can_be_reverted_and_resumed_and_drawers_are_filed_meanwhile(switching, embedder):
    choose(switching, "")
    assert not has_work(switching.id)
    assert backfill(switching.id, 100, NOW) == 0
    assert active_model(switching) == embedder.model.name
    assert active_space_of(switching.id).mixed
    assert remove_stale_vectors(switching.id, LATER) >= 2
    assert spaces() == {embedder.model.name}
    assert not active_space_of(switching.id).mixed

    choose(switching, "wide")
    backfill(switching.id, 2, NOW)
    remember(switching.id, "I met an otter.", "Where?")
    assert left(switching) == (0, 6)
    assert backfill(switching.id, 100, NOW) == 6
    assert active_model(switching) == "wide"
    remember(switching.id, "I met a badger.", "Where?")
    assert left(switching) == (0, 0)


def test_an_outage_in_the_middle_of_a_switch_loses_nothing(as_alice, embedder, wide):
    remember(as_alice.id, *HERONS)
    choose(as_alice, "wide")
    assert left(as_alice) == (0, 40)
    backfill(as_alice.id, 32, NOW)
    wide.fail_with(AWAY)
    with pytest.raises(EmbedderUnavailable):
        backfill(as_alice.id, 32, NOW)
    assert active_model(as_alice) == embedder.model.name
    assert left(as_alice) == (0, 8)
    wide.fail_with(None)
    embedder.fail_with(EmbedderUnavailable("Gone."))
    backfill(as_alice.id, 32, NOW)
    assert active_model(as_alice) == "wide"


def test_drawers_without_vectors_come_first_and_an_unavailable_model_blocks_none(as_alice, embedder, wide):
    remember(as_alice.id, "I met a heron.", "And?")
    choose(as_alice, "wide")
    embedder.fail_with(AWAY)
    wide.fail_with(AWAY)
    remember(as_alice.id, "I met an otter.", "Where?")
    assert waiting(as_alice.id) == 2
    wide.fail_with(None)
    with pytest.raises(EmbedderUnavailable):
        backfill(as_alice.id, 1, NOW)
    assert not_embedded(as_alice.id, 10) == 3
    embedder.fail_with(None)
    assert backfill(as_alice.id, 2, NOW) == 2
    assert left(as_alice) == (0, 3)


def test_a_window_embedded_before_the_switch_is_embedded_again(as_alice, embedder, wide):
    remember(as_alice.id, "I met a heron.", "And?")
    converse(as_alice.id, "I met an otter.", "Where?")
    choose(as_alice, "wide")
    original = embedder.embed_documents

    def switch(_):
        embedder.embed_documents = original
        backfill(as_alice.id, 10, NOW)

    intercept(embedder, switch)
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

    def refuse(texts):
        if any("Unspeakable" in text for text in texts):
            raise ModelRefused("No.", status=400)

    intercept(wide, refuse)
    assert backfill(as_alice.id, 10, NOW) == 4
    assert active_model(as_alice) == "wide"


@pytest.mark.django_db(transaction=True)
def test_concurrent_backfills_embed_each_drawer_once(alice, embedder):
    with tenant(alice.id):
        mined_without_vectors(alice, embedder, "I met a heron.", "And?")
    started, resume, results = threading.Event(), threading.Event(), []

    def wait(_):
        started.set()
        assert resume.wait(60)

    def work():
        with tenant(alice.id):
            results.append(backfill(alice.id, 10, NOW))
        connection.close()

    intercept(embedder, wait)
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


def test_missing_sentence_vectors_are_backfilled_once_for_a_limited_number_of_drawers(as_alice):
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

        remember(as_alice.id, f"{LONG} That was a letter of this week.")
        SentenceVectors.objects.all().delete()
        backfill(as_alice.id, 2, NOW)
        assert len(sentence_rows(as_alice)) == 2
        assert has_work(as_alice.id)
        backfill(as_alice.id, 2, NOW)
        assert not has_work(as_alice.id)


@pytest.fixture
def english_and_multilingual():
    english = FakeEmbedder(languages=("en",))
    with current.using(embedder=english, other_embedders=[FakeEmbedder(name=E5_SMALL.name)]):
        yield


ENGLISH = ["I live near the river.", "My sister is a nurse.", "What should we cook tonight?"]
GERMAN = [
    "Ich wohne am Fluss und arbeite in der Stadt.",
    "Meine Schwester ist bei uns.",
    "Was sollen wir denn kochen?",
]
CZECH = ["Bydlím v Praze u řeky.", "Pracuji na poště jako úředník.", "Děti si dnes hrály na dvoře."]
TERSE = ["Café Zürich", "Renée, Zoë, Chloë", "Piñata!"]


@pytest.mark.parametrize(
    ("said", "chosen", "model"),
    [
        (ENGLISH * 5 + GERMAN[:2], (), ""),
        (ENGLISH + GERMAN, (), E5_SMALL.name),
        (CZECH, (), E5_SMALL.name),
        (ENGLISH + TERSE, (), ""),
        (GERMAN, (E5_SMALL.name, ""), ""),
    ],
    ids=["mostly English", "German too", "Czech", "accents", "explicitly chosen"],
)
def test_mining_selects_the_model_by_the_users_languages_unless_one_was_chosen(
    as_alice, english_and_multilingual, said, chosen, model
):
    for name in chosen:
        change_preferences(as_alice.id, {"embedding_model": name}, NOW)
    remember(as_alice.id, *(each for text in said for each in (text, "Sure.")))
    assert preferences_of(as_alice.id).embedding_model == model
    first = DrawerVector.objects.values_list("space__name", flat=True).distinct()
    assert list(first) == [model or "fake-bag-of-words"], "chosen before the first window is embedded"


def test_a_chat_gets_its_subject_from_the_chosen_model_once(as_alice, embedder):
    remember(as_alice.id, "How long does the dough have to rest before I bake it?", "An hour.")
    assert Room.objects.get().wing.name == "Food and cooking"
    asked = len(embedder.embedded)
    remember(as_alice.id, "Which hotel should we book?", "The cheap one.")
    assert sorted(Wing.objects.values_list("name", flat=True)) == ["Food and cooking", "Travel"]
    assert not set(embedder.embedded[asked:]) & set(EXAMPLES["Money"]), "examples are embedded once"
    embedder.fail_with(EmbedderUnavailable("down"))
    remember(as_alice.id, "Which flight should we book?", "The early one.")
    assert Wing.objects.filter(name="General").exists()


def test_an_earlier_model_of_the_endpoint_can_still_be_used():
    before = current.configuration()
    endpoint = {"base_url": "http://127.0.0.1:9/v1", "embedding_model": "nomic-embed-text"}
    try:
        current.configure(LlmConfiguration(**endpoint, other_embedding_models=("bge-m3",)))
        offered = [model.name for model in current.available_embedding_models()]
        assert offered == ["nomic-embed-text", "bge-small-en-v1.5-int8", E5_SMALL.name, "bge-m3"]
        assert current.earlier_embedder("mxbai-embed-large", "1").model.dimensions == 1024
        with pytest.raises(EmbedderUnavailable):
            current.embedder("mxbai-embed-large")
        for name, version in (("mxbai-embed-large", "2"), ("a-model-nobody-knows", "1")):
            with pytest.raises(EmbedderUnavailable):
                current.earlier_embedder(name, version)
    finally:
        current.configure(before)


def spaces():
    found = set()
    for model in (DrawerVector, WideVector, FactVector):
        found |= set(model.objects.values_list("space__name", flat=True))
    return found


def test_old_vectors_are_removed_some_time_after_a_switch(as_alice, embedder, wide):
    assert active_space_of(as_alice.id).space is None
    for chosen, name in (("", embedder.model.name), ("wide", "wide")):
        assert query_models(as_alice, chosen) == [(name, True)], "before there are any vectors"
    remember(as_alice.id, "I live in Tartu.", "Nice.", "I love herons.", "Why?")
    assert FactVector.objects.exists()
    assert not removal_is_due(as_alice.id, LATER)
    assert remove_stale_vectors(as_alice.id, LATER) == 0
    choose(as_alice, "wide")
    backfill(as_alice.id, 2, NOW)
    assert not removal_is_due(as_alice.id, LATER)
    choose(as_alice, "gone")
    assert not removal_is_due(as_alice.id, LATER)
    choose(as_alice, "wide")
    backfill(as_alice.id, 100, NOW)
    assert not removal_is_due(as_alice.id, NOW)
    assert spaces() == {"wide", embedder.model.name}
    assert removal_is_due(as_alice.id, LATER)
    before = rows_of(as_alice.id)
    assert remove_stale_vectors(as_alice.id, LATER) >= 4
    assert spaces() == {"wide"}
    assert not removal_is_due(as_alice.id, LATER)
    vectors = {name: [] for name in ("vectors", "fact vectors")}
    assert before | vectors == rows_of(as_alice.id) | vectors
