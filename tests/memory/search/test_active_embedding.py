"""Which embedding models answer queries before, during and after a switch."""

from datetime import timedelta

import pytest

from llm import current
from llm.configuration import LlmConfiguration
from llm.embedding_models import E5_SMALL
from llm.errors import EmbedderUnavailable
from memory.models import DrawerVector, FactVector, MemoryPreferences, Usage, WideVector
from memory.preferences import change_preferences, preferences_of
from memory.recall.retrieval import PARTIAL_MEANING
from memory.search.active_embedding import active_space_of, model_spaces
from memory.search.embedding_backfill import STALE_AFTER, backfill, removal_is_due, remove_stale_vectors
from memory.usage.records import Purpose
from tests.drills.ledger import NOW, remember
from tests.drills.rows import rows_of
from tests.fake_gateway import FakeEmbedder
from tests.memory.recall.asking import ask

SAID = ("I met a heron.", "Where?", "By the lake.", "And then?", "It flew away.", "A pity.")


def choose(user, name):
    MemoryPreferences.objects.update_or_create(user_id=user.id, defaults={"embedding_model": name})


@pytest.fixture
def switching(as_alice, wide):
    """Alice, whose new model has embedded two of six drawers."""
    remember(as_alice.id, *SAID)
    choose(as_alice, "wide")
    backfill(as_alice.id, 2, NOW)
    return as_alice


def query_models(user, chosen):
    purpose = Purpose(user.id, Usage.Source.EMBED, NOW)
    return [(each.embedder.model.name, each.answers) for each in model_spaces(chosen, purpose)]


def recall_trace(user):
    chosen = {"embedding_model": "wide", "similarity_floor": 0.0}
    return ask(user, "Which bird did I meet?", settings=chosen).trace


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
    ("said", "model"),
    [
        (ENGLISH * 5 + GERMAN[:2], ""),
        (ENGLISH + GERMAN, E5_SMALL.name),
        (CZECH, E5_SMALL.name),
        (ENGLISH + TERSE, ""),
    ],
)
def test_mining_selects_the_model_by_the_users_languages(as_alice, english_and_multilingual, said, model):
    remember(as_alice.id, *(each for text in said for each in (text, "Sure.")))
    assert preferences_of(as_alice.id).embedding_model == model


def test_an_explicitly_chosen_model_is_never_changed(as_alice, english_and_multilingual):
    for choice in (E5_SMALL.name, ""):
        change_preferences(as_alice.id, {"embedding_model": choice}, NOW)
    remember(as_alice.id, *(each for text in GERMAN for each in (text, "Ja.")))
    assert preferences_of(as_alice.id).embedding_model == ""


def test_the_chosen_model_answers_before_there_are_any_vectors(as_alice, embedder, wide):
    assert active_space_of(as_alice.id).space is None
    assert query_models(as_alice, "") == [(embedder.model.name, True)]
    assert query_models(as_alice, "wide") == [("wide", True)]


def test_the_previous_model_answers_until_the_chosen_one_has_embedded_everything(switching, embedder, wide):
    assert query_models(switching, "gone") == [(embedder.model.name, True)]
    assert query_models(switching, "wide") == [(embedder.model.name, True), ("wide", False)]
    trace = recall_trace(switching)
    assert trace.retrievers["vectors"].found == 6
    assert not trace.degraded
    backfill(switching.id, 100, NOW)
    assert query_models(switching, "wide") == [("wide", True)]
    assert recall_trace(switching).retrievers["vectors"].found == 6


def test_queries_use_the_remaining_models_when_some_are_unavailable(switching, embedder, wide):
    embedder.fail_with(EmbedderUnavailable("The endpoint is given a rest."))
    trace = recall_trace(switching)
    assert trace.retrievers["vectors"].found == 2
    assert [each.words for each in trace.degraded] == [PARTIAL_MEANING]
    wide.fail_with(EmbedderUnavailable("Away."))
    trace = recall_trace(switching)
    assert "vectors" not in trace.retrievers
    (degradation,) = trace.degraded
    assert "given a rest" in degradation.words


def test_an_earlier_model_of_the_endpoint_can_still_be_used():
    before = current.configuration()
    try:
        current.configure(
            LlmConfiguration(
                base_url="http://127.0.0.1:9/v1",
                embedding_model="nomic-embed-text",
                other_embedding_models=("bge-m3",),
            )
        )
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


LATER = NOW + STALE_AFTER + timedelta(seconds=1)


@pytest.fixture
def user(as_alice, wide):
    remember(as_alice.id, "I live in Tartu.", "Nice.", "I love herons.", "Why?")
    return as_alice


def spaces():
    found = set()
    for model in (DrawerVector, WideVector, FactVector):
        found |= set(model.objects.values_list("space__name", flat=True))
    return found


def test_no_vectors_are_removed_with_one_model_or_while_the_chosen_one_is_missing(user):
    assert not removal_is_due(user.id, LATER)
    assert remove_stale_vectors(user.id, LATER) == 0
    choose(user, "wide")
    backfill(user.id, 2, NOW)
    choose(user, "gone")
    assert not removal_is_due(user.id, LATER)


def test_old_vectors_are_removed_some_time_after_a_switch(user, embedder):
    assert FactVector.objects.exists()
    choose(user, "wide")
    backfill(user.id, 2, NOW)
    assert not removal_is_due(user.id, LATER)
    backfill(user.id, 100, NOW)
    assert not removal_is_due(user.id, NOW)
    assert spaces() == {"wide", embedder.model.name}
    assert removal_is_due(user.id, LATER)
    before = rows_of(user.id)
    assert remove_stale_vectors(user.id, LATER) >= 4
    assert spaces() == {"wide"}
    assert not removal_is_due(user.id, LATER)
    vectors = {name: [] for name in ("vectors", "fact vectors")}
    assert before | vectors == rows_of(user.id) | vectors


def test_vectors_of_a_reverted_switch_are_removed_too(user, embedder):
    choose(user, "wide")
    backfill(user.id, 2, NOW)
    choose(user, "")
    assert active_space_of(user.id).mixed
    assert remove_stale_vectors(user.id, LATER) >= 2
    assert spaces() == {embedder.model.name}
    assert not active_space_of(user.id).mixed
