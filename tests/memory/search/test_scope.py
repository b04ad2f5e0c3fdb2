"""A search within a part of a palace finds what is there, however much there is elsewhere."""

from datetime import timedelta

import numpy as np
import pytest

from accounts.tenancy import tenant
from llm import current
from llm.errors import EmbedderUnavailable
from memory.forgetting import trash
from memory.models import Drawer
from memory.search import queries
from memory.search.index import space_for
from memory.search.queries import (
    EVERYWHERE,
    WHOLE_PALACE,
    SearchFilters,
    SearchScope,
    id_array,
    matching,
    nearest,
    scope_of,
)
from memory.text.tokenization import query_words
from tests.conftest import create_user
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import MONDAY, Spot, file
from tests.memory.recall.asking import ask, texts

QUESTION = "What did I say about the green canoe?"
ELSEWHERE = [f"The green canoe, I did say about it, number {number}." for number in range(260)]
HERE = ["A canoe leaks.", "Somebody painted the canoe.", "The canoe is far.", "Nothing of the kind."]
LONG_AGO = MONDAY - timedelta(days=400)
DAYS = SearchFilters(since=LONG_AGO - timedelta(days=1), until=LONG_AGO + timedelta(days=1))


@pytest.fixture(scope="module")
def palace(world):
    """Alice, and her drawers in a small old wing; those in another wing match the question much better."""
    alice = create_user("alice")
    with tenant(alice.id), current.using(embedder=FakeEmbedder()):
        file(alice.id, ELSEWHERE, Spot(room="Boats"))
        return alice, file(alice.id, HERE, Spot(wing="Attic", kind="topic", start=LONG_AGO), role="note")


@pytest.fixture
def alice(palace, db):
    return palace[0]


@pytest.fixture
def small(palace):
    """The drawers of the small wing."""
    return palace[1]


def parts(small):
    return (
        SearchFilters(wing_id=small[0].wing_id),
        SearchFilters(wing_kind="topic"),
        SearchFilters(role="note"),
        DAYS,
        SearchFilters(wing_id=small[0].wing_id, wing_kind="topic", role="note", until=MONDAY),
    )


@pytest.fixture(params=[queries.MAX_EXACT_DRAWERS, 2], ids=["few", "many"])
def scope_size(request, monkeypatch):
    """Search a part as if it had few drawers, and as if it had many."""
    monkeypatch.setattr(queries, "MAX_EXACT_DRAWERS", request.param)
    return request.param


def found(user, within):
    chosen = {"time_limit_ms": 20_000, "top_k": 20, "similarity_floor": 0.0}
    return set(texts(ask(user, QUESTION, now=MONDAY, settings=chosen, explicit=True, within=within)))


def test_results_within_a_part_are_ranked_as_in_the_whole_palace(as_alice, small, embedder, scope_size):
    vector, words = embedder.embed_query(QUESTION).vectors[0], query_words(QUESTION)
    space = space_for(embedder.model)
    here = {drawer.id for drawer in small}
    everywhere = nearest(as_alice.id, space, vector, 1_000)
    matching_everywhere = matching(as_alice.id, words, 1_000)
    for within in parts(small):
        selected = scope_of(as_alice.id, within)
        near = nearest(as_alice.id, space, vector, 4, selected)
        assert {each.drawer_id for each in near} == here
        assert near == [each for each in everywhere if each.drawer_id in here]
        matched = matching(as_alice.id, words, 4, selected)
        assert matched == [each for each in matching_everywhere if each.drawer_id in here]
        assert len(matched) == 3


def test_a_deleted_drawer_is_found_in_no_part(as_alice, small, embedder, scope_size):
    vector, words = embedder.embed_query(QUESTION).vectors[0], query_words(QUESTION)
    space = space_for(embedder.model)
    deleted_id = small[0].id
    trash.delete(as_alice.id, "drawer", deleted_id, MONDAY)
    for selected in (scope_of(as_alice.id, within) for within in (EVERYWHERE, *parts(small))):
        near = nearest(as_alice.id, space, vector, 1_000, selected)
        found_by_words = matching(as_alice.id, words, 1_000, selected)
        assert deleted_id not in {each.drawer_id for each in (*near, *found_by_words)}
        assert str(deleted_id) not in (selected.drawer_ids or "")


def test_recall_within_a_small_part_finds_all_matches_by_meaning_or_words(
    as_alice, small, embedder, scope_size
):
    for error in (None, EmbedderUnavailable("Away.")):
        embedder.fail_with(error)
        for within in parts(small):
            assert set(HERE[:3]) <= found(as_alice, within) <= set(HERE)
    assert found(as_alice, SearchFilters(wing_kind="person")) == set()
    assert found(as_alice, SearchFilters(since=MONDAY + timedelta(days=9))) == set()


def test_neighbouring_drawers_outside_the_part_are_left_out(as_alice, embedder, scope_size):
    question, reply = file(as_alice.id, ["My rye starter is sour.", "Then feed it with water."])
    chosen = {"now": MONDAY + timedelta(days=3), "settings": {"time_limit_ms": 20_000}}
    assert texts(ask(as_alice, "rye starter", **chosen)) == [question.content, reply.content]
    within_the_minute = SearchFilters(until=question.said_at + timedelta(seconds=30))
    assert texts(ask(as_alice, "rye starter", **chosen, within=within_the_minute)) == [question.content]


def test_a_scope_lists_its_drawers_only_if_there_are_few(
    as_alice, small, monkeypatch, django_assert_num_queries
):
    listed = scope_of(as_alice.id, DAYS).drawer_ids
    assert sorted(listed.strip("{}").split(",")) == sorted(str(drawer.id) for drawer in small)
    assert scope_of(as_alice.id, SearchFilters(wing_kind="person")).drawer_ids == "{}"
    monkeypatch.setattr(queries, "MAX_EXACT_DRAWERS", 3)
    assert scope_of(as_alice.id, DAYS) == SearchScope(DAYS, None)
    with django_assert_num_queries(0):
        assert scope_of(as_alice.id, EVERYWHERE) is WHOLE_PALACE


def test_drawers_of_another_user_are_not_found_by_the_id_of_their_wing(as_alice, bob, small, scope_size):
    theirs = SearchScope(SearchFilters(wing_id=small[0].wing_id), id_array(drawer.id for drawer in small))
    vector = np.asarray(current.embedder().embed_query(QUESTION).vectors[0])
    space = space_for(current.embedder().model)
    with tenant(bob.id):
        file(bob.id, ["My green canoe."])
        assert scope_of(bob.id, theirs.within).drawer_ids == "{}"
        assert matching(bob.id, query_words("green canoe"), 5, theirs) == []
        assert matching(as_alice.id, query_words("green canoe"), 5, theirs) == []
        assert nearest(as_alice.id, space, vector, 5, theirs) == []
    assert Drawer.objects.filter(user_id=as_alice.id).count() == len(ELSEWHERE) + len(HERE)
