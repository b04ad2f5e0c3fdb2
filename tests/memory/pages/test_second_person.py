"""Pages speak to their owner: nothing stored in the third person is shown as it is stored."""

from datetime import timedelta

import pytest
from django.urls import reverse

from memory.models import ActivityEvent, Fact, Relation
from tests.html import check_page
from tests.memory.palaces import MONDAY, Spot, file, learn, relate

SAID = (
    "I teach at a small music school in Alfama, and I live in Leeds.",
    "My friend Beatriz plays viola. I carry an adrenaline pen.",
    "I have an audition on 3 May. I like how independent cats are.",
    "Now I live in Porto.",
)
LIKED, CATS = "I like how independent cats are", "cats because they are independent"
HOME = {"key": "home_city", "single_valued": True}
LATER = MONDAY + timedelta(days=9)
BROKEN = ("You lives", "You works", "You friend", "You has", "you lives", "The user", "the user")
PAGES = (
    "facts",
    "profile",
    "graph",
    "timeline",
    "review",
    "activity",
    "paths",
    "palace",
)


def add_fact(drawer, words, statement, what, **given):
    predicate, _, value = what.partition(" ")
    return learn(drawer, words, statement, predicate=predicate, value=value, object=value, **given)


@pytest.fixture
def palace_drawers(as_alice):
    """Four messages with facts by the built-in reader and by a model, one of them ended."""
    drawers = file(as_alice.id, list(SAID), Spot())
    first, second, third, last = drawers
    facts = [
        add_fact(first, SAID[0], "The user works as teach.", "works_as teach", key="occupation"),
        add_fact(first, SAID[0], "The user lives in Leeds.", "lives_in Leeds", **HOME),
        add_fact(second, "My friend Beatriz", "Beatriz is the user's friend.", "friend_of Beatriz"),
        add_fact(second, "an adrenaline pen", "The user has adrenaline pen.", "has adrenaline pen"),
        add_fact(third, "I have an audition", "On the user's calendar: audition.", "has_event audition"),
        add_fact(third, LIKED, f"The user likes {CATS}.", "likes cats", mined_by="model"),
        add_fact(third, "cats", "The user keeps cats.", "keeps cats", review_reason="Unsure."),
        add_fact(last, SAID[3], "The user lives in Porto.", "lives_in Porto", valid_from=LATER, **HOME),
    ]
    relate(second, "user", "studied_with", "Beatriz")
    relate(second, "user", "teaches", "Leo")
    ActivityEvent.objects.create(
        user_id=as_alice.id,
        kind=ActivityEvent.Kind.MINED,
        details={
            "drawers": [str(each.id) for each in drawers],
            "facts": [str(each.id) for each in facts],
            "relations": [],
            "refused": [],
        },
    )
    return drawers


def addresses(drawers):
    entities = Relation.objects.values_list("subject_id", "object_id")
    past = f"{reverse('memory:facts')}?status=superseded"
    return [
        *(reverse(f"memory:{name}") for name in PAGES),
        past,
        *(reverse("memory:drawer", args=[each.id]) for each in drawers),
        *(reverse("memory:fact", args=[each.id]) for each in Fact.objects.all()),
        *(reverse("memory:entity", args=[key]) for key in {key for ends in entities for key in ends}),
    ]


def test_no_page_speaks_of_the_user_in_the_third_person(alice_client, palace_drawers, subtests):
    for url in addresses(palace_drawers):
        with subtests.test(url):
            html = check_page(alice_client.get(url))
            assert [words for words in BROKEN if words in html] == []
    html = check_page(alice_client.get(reverse("memory:facts")))
    for sentence in (
        "You said: “I teach at a small music school in Alfama, and I live in Leeds.”",
        "You live in Porto.",
        "Beatriz is your friend.",
        "You have an adrenaline pen.",
        "On your calendar: an audition.",
        "You said: “I like how independent cats are”",
    ):
        assert sentence in html
    assert "You used to live in Leeds." in check_page(
        alice_client.get(f"{reverse('memory:facts')}?status=superseded")
    )


def test_a_list_of_facts_reads_their_sources_in_few_queries(
    alice_client, palace_drawers, django_assert_max_num_queries
):
    with django_assert_max_num_queries(25):
        alice_client.get(reverse("memory:facts"))
