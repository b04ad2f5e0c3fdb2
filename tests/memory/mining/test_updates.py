"""What is another value now: the old one is kept with its time, and the newer one holds."""

from datetime import timedelta

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer, Fact
from tests.drills.ledger import NOW, converse, mine

FIRST, LATER = NOW - timedelta(days=60), NOW - timedelta(days=20)

UPDATES = [
    ("I've read 4 Nordic novels so far.", "I've now read 7 Nordic novels.", "4", "7"),
    ("I've added 15 enamel pins to my tin.", "That's 18 enamel pins since I started.", "15", "18"),
    (
        "I've managed to spot 27 different species so far.",
        "I saw a wren today, which brings my total species count to 32.",
        "27",
        "32",
    ),
    ("I just finished my third jigsaw.", "I just finished my fifth jigsaw.", "third", "fifth"),
    (
        "I've been reading \"Cold Rooms\" and I'm on page 200.",
        "I can't put \"Cold Rooms\" down, I'm now on page 220!",
        "200",
        "220",
    ),
    (
        "I've worn my hiking boots four times already.",
        "I've worn my hiking boots six times now.",
        "four",
        "six",
    ),
    (
        "My personal best in the 10K is 52:10.",
        "I just set a personal best in a 10K run with a time of 51:02.",
        "52:10",
        "51:02",
    ),
    (
        "I've been waking up at 8:30 am on Saturdays.",
        "I wake up at 7:30 am on Saturdays.",
        "8:30",
        "7:30",
    ),
    (
        "I spend an hour each day on chess puzzles.",
        "I've been spending about two hours each day on chess puzzles.",
        "an hour",
        "two hours",
    ),
    ("My commute is now 25 minutes.", "My commute is now 45 minutes.", "25", "45"),
    (
        "My budget for the garden is 300 euros.",
        "My budget for the garden is 450 euros.",
        "300",
        "450",
    ),
    (
        "Do you know any good Thai restaurants? I've tried three different ones recently.",
        "Any other Thai restaurants? I've tried four different ones so far.",
        "three",
        "four",
    ),
    (
        "By the way, I've worn my red Falcon Seven running shoes four times already.",
        "I just wore my red Falcon to the shop, so that's six times now that I've worn them.",
        "four",
        "six",
    ),
    (
        "I've recently completed a charity 5K run with a personal best time of 27 minutes and 45 seconds.",
        "Does my previous 5K run count? The one where I finished with a personal best time of 26 minutes?",
        "27 minutes",
        "26 minutes",
    ),
    (
        "I've been doing well in the chess league, we're 3-2 so far!",
        "our chess team, the Rooks, is doing fine with a 5-2 record.",
        "3-2",
        "5-2",
    ),
    (
        "We go to the gym on Tuesdays, Thursdays, and Saturdays.",
        "I've been consistent with my gym routine - four times a week, actually.",
        "Tuesdays",
        "four times a week",
    ),
    (
        "Could you remind me of my gym sessions, which I usually go to at 7:00 pm?",
        "I must be done before I head to the gym, which is usually at 6:00 pm.",
        "7:00 pm",
        "6:00 pm",
    ),
    (
        "I've been keeping my old skates under my bed.",
        "I've been storing my skates in a box in the attic.",
        "bed",
        "attic",
    ),
    (
        'I put down "Cold Rooms", it was too sad.',
        'I also recently finished "Cold Rooms" by Ann Lee, which was amazing.',
        "aside",
        "finished",
    ),
    (
        "I've accumulated enough points for a free night at any Grand property.",
        "I've accumulated enough points for two free nights at any Grand property.",
        "a free night",
        "two free nights",
    ),
    (
        "I just hit 1,300 followers on Instagram!",
        "I now have 1,450 followers on Instagram",
        "1,300",
        "1,450",
    ),
    (
        "We got pre-approved for $350,000 by our bank.",
        "We've been pre-approved for a mortgage of $400,000.",
        "$350,000",
        "$400,000",
    ),
    ("I said it's my hobby: I own three bikes.", "I own four bikes, one is new.", "three", "four"),
]


@pytest.fixture(autouse=True)
def embedder():
    with current.using(embedder=FakeEmbedder()):
        yield


@pytest.mark.parametrize(("first", "later", "old", "new"), UPDATES)
def test_the_newer_value_holds_and_the_older_keeps_its_time(as_alice, first, later, old, new):
    converse(as_alice.id, first, at=FIRST)
    converse(as_alice.id, later, at=LATER)
    mine(as_alice.id)
    before, now = Fact.objects.filter(user_id=as_alice.id).order_by("valid_from")
    assert old in before.value
    assert new in now.value
    assert before.status == Fact.Status.SUPERSEDED
    assert before.valid_to == now.valid_from == LATER
    assert now.status == Fact.Status.ACTIVE
    assert now.valid_to is None
    kept = Drawer.objects.filter(user_id=as_alice.id).values_list("content", flat=True)
    assert {first, later} <= set(kept)


def test_what_took_the_place_of_a_tool_ends_it(as_alice):
    converse(as_alice.id, "I use Spotify every day.", at=FIRST)
    converse(as_alice.id, "I've switched from Spotify to Tidal.", at=LATER)
    mine(as_alice.id)
    facts = Fact.objects.filter(user_id=as_alice.id)
    assert facts.get(object="Spotify").valid_to == LATER
    assert facts.get(object="Tidal").valid_to is None


def test_counts_of_other_things_end_nothing(as_alice):
    converse(as_alice.id, "I've read 4 Nordic novels so far.", at=FIRST)
    converse(as_alice.id, "I've read 12 short stories so far.", at=LATER)
    mine(as_alice.id)
    facts = Fact.objects.filter(user_id=as_alice.id)
    assert sorted(fact.status for fact in facts) == [Fact.Status.ACTIVE, Fact.Status.ACTIVE]
