"""Looking in a part of a palace finds what lies there, however much lies elsewhere."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from accounts.tenancy import tenant
from llm import current
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from memory.forgetting import trash
from memory.models import Drawer
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest, RecallSettings
from memory.search import scope
from memory.search.index import space_for
from memory.search.queries import Reach, id_array, matching, nearest
from memory.search.scope import EVERYWHERE, WHOLE_PALACE, Part, Within, part_of
from memory.text.tokenization import query_words
from tests.memory.palaces import MONDAY, Spot, file

QUESTION = "What did I say about the green canoe?"
ELSEWHERE = [f"The green canoe, I did say about it, number {number}." for number in range(260)]
HERE = [
    "A canoe leaks.",
    "Somebody painted the canoe.",
    "The canoe is far.",
    "Nothing of the kind.",
]
LONG_AGO = MONDAY - timedelta(days=400)
DAYS = Within(since=LONG_AGO - timedelta(days=1), until=LONG_AGO + timedelta(days=1))


@pytest.fixture
def embedder():
    fake = FakeEmbedder()
    with current.using(embedder=fake):
        yield fake


@pytest.fixture
def small(as_alice, embedder):
    """A small wing of long ago beside one that answers the question far better."""
    file(as_alice.id, ELSEWHERE, Spot(room="Boats"))
    return file(as_alice.id, HERE, Spot(wing="Attic", kind="topic", start=LONG_AGO), role="note")


def parts(small):
    return (
        Within(wing_id=small[0].wing_id),
        Within(wing_kind="topic"),
        Within(role="note"),
        DAYS,
        Within(wing_id=small[0].wing_id, wing_kind="topic", role="note", until=MONDAY),
    )


@pytest.fixture(params=[scope.FEW, 2], ids=["few", "many"])
def either(request, monkeypatch):
    """As a part that holds few drawers is searched, and as one that holds many."""
    monkeypatch.setattr(scope, "FEW", request.param)
    return request.param


def search(user, within, **changes):
    settings = RecallSettings(time_limit_ms=20_000, top_k=20, similarity_floor=0.0)
    request = RecallRequest(
        user.id, QUESTION, MONDAY, settings=settings, asked=True, within=within, **changes
    )
    return recall(request)


def found(user, within):
    return {hit.text for hit in search(user, within).hits}


def test_everything_that_fits_in_a_small_part_is_found(as_alice, small, either):
    for within in parts(small):
        assert set(HERE[:3]) <= found(as_alice, within) <= set(HERE)


def test_it_is_found_by_words_alone(as_alice, small, embedder, either):
    embedder.fail_with(EmbedderUnavailable("Away."))
    for within in parts(small):
        assert set(HERE[:3]) <= found(as_alice, within) <= set(HERE)


def test_it_is_found_by_meaning_alone(as_alice, small, embedder, either):
    vector = embedder.embed_query(QUESTION).vectors[0]
    space = space_for(embedder.model)
    for within in parts(small):
        reach = Reach(part_of(as_alice.id, within))
        near = [each.drawer_id for each in nearest(as_alice.id, space, vector, 4, reach)]
        assert sorted(near) == sorted(drawer.id for drawer in small)


def test_the_order_is_that_of_all_drawers_without_the_others(as_alice, small, embedder, either):
    vector = embedder.embed_query(QUESTION).vectors[0]
    space = space_for(embedder.model)
    here = {drawer.id for drawer in small}
    for within in parts(small):
        part = part_of(as_alice.id, within)
        everywhere = nearest(as_alice.id, space, vector, 1_000)
        near = nearest(as_alice.id, space, vector, 4, Reach(part))
        assert near == [each for each in everywhere if each.drawer_id in here]
        words = query_words(QUESTION)
        everywhere = matching(as_alice.id, words, 1_000)
        near = matching(as_alice.id, words, 4, part)
        assert near == [each for each in everywhere if each.drawer_id in here]
        assert len(near) == 3


def test_what_was_said_beside_a_hit_but_elsewhere_stays_out(as_alice, embedder, either):
    asked, answered = file(as_alice.id, ["My rye starter is sour.", "Then feed it with water."])
    question = RecallRequest(
        as_alice.id,
        "rye starter",
        MONDAY + timedelta(days=3),
        settings=RecallSettings(time_limit_ms=20_000),
    )
    assert [hit.drawer_id for hit in recall(question).hits] == [asked.id, answered.id]
    within_the_minute = Within(until=asked.said_at + timedelta(seconds=30))
    narrowed = replace(question, within=within_the_minute)
    assert [hit.drawer_id for hit in recall(narrowed).hits] == [asked.id]


def test_what_lies_elsewhere_or_is_in_the_trash_is_not_found(as_alice, small, either):
    trash.delete(as_alice.id, "drawer", small[0].id, MONDAY)
    for within in parts(small):
        assert set(HERE[1:3]) <= found(as_alice, within) <= set(HERE[1:])
    assert found(as_alice, Within(wing_kind="person")) == set()
    assert found(as_alice, Within(since=MONDAY + timedelta(days=9))) == set()


def test_a_part_says_which_drawers_lie_in_it_where_there_are_few(as_alice, small, monkeypatch):
    few = part_of(as_alice.id, DAYS).few
    assert sorted(few.strip("{}").split(",")) == sorted(str(drawer.id) for drawer in small)
    assert part_of(as_alice.id, Within(wing_kind="person")).few == "{}"
    monkeypatch.setattr(scope, "FEW", 3)
    assert part_of(as_alice.id, DAYS) == Part(DAYS, None)


def test_the_whole_palace_asks_for_nothing(as_alice, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert part_of(as_alice.id, EVERYWHERE) is WHOLE_PALACE


def test_nobody_finds_anothers_drawers_by_naming_their_wing(as_alice, bob, small, either):
    theirs = Part(Within(wing_id=small[0].wing_id), id_array(drawer.id for drawer in small))
    vector = np.asarray(current.embedder().embed_query(QUESTION).vectors[0])
    space = space_for(current.embedder().model)
    with tenant(bob.id):
        file(bob.id, ["My green canoe."])
        assert part_of(bob.id, theirs.within).few == "{}"
        assert matching(bob.id, query_words("green canoe"), 5, theirs) == []
        assert matching(as_alice.id, query_words("green canoe"), 5, theirs) == []
        assert nearest(as_alice.id, space, vector, 5, Reach(theirs)) == []
    assert Drawer.objects.filter(user_id=as_alice.id).count() == len(ELSEWHERE) + len(HERE)
