"""Names and quotations of a question, looked up in what was found."""

import pytest

from memory.inspecting import naming, quoting
from memory.models import Drawer
from memory.recall.arms import namings
from tests.memory.recall.arms.story import ask, bring, tell

TOLD = (
    "Anna Berg and José met at Café Größenwahn.",
    "Anna sings; the berg is far.",
    "The sign said: mind the gap between us.",
    "王敏喜欢喝茶。",
)


@pytest.fixture
def known(as_alice):
    tell(as_alice, *TOLD)
    return as_alice


def marked(user, message):
    def search(asked, most):
        return namings.mark(asked, list(Drawer.objects.values_list("id", flat=True)))

    return {text: dict(found.signals) for text, found in bring(search, user, message).items()}


def test_every_drawer_has_its_share_of_the_names(known):
    found = marked(known, "Did Anna Berg meet Jose?")
    assert found[TOLD[0]] == {"name": 1.0}
    assert found[TOLD[1]] == {"name": 0.5}
    assert TOLD[2] not in found


def test_a_quotation_is_found_as_it_stands_but_for_capitals(known):
    found = marked(known, "Where did I read “mind THE gap between us”?")
    assert found == {TOLD[2]: {"phrase": 1.0}}
    assert marked(known, "Where did I read “mind the us gap”?") == {}
    assert marked(known, "谁「喜欢喝茶」？") == {TOLD[3]: {"phrase": 1.0}}


def test_a_quotation_lifts_its_drawer_and_the_reason_says_so(known):
    found = ask(known, "Which sign did I mean with “mind the gap”?")
    assert found.hits[0].text == TOLD[2]
    assert found.hits[0].scores["phrase"] == 1.0


def test_without_names_nothing_is_asked(known, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert naming(known.id, [], []) == quoting(known.id, [], []) == []
    assert "names" not in ask(known, "what did i say about tea?").trace.arms


def test_names_made_of_signs_alone_are_no_trouble(known):
    ids = list(Drawer.objects.values_list("id", flat=True))
    assert naming(known.id, ["!!!", "the", "' & |"], ids) == []


def test_another_persons_drawers_have_no_names(known, bob):
    ids = list(Drawer.objects.values_list("id", flat=True))
    assert naming(bob.id, ["anna"], ids) == quoting(bob.id, ["anna"], ids) == []
