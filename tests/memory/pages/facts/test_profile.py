"""The pages of the profile and of skills: what they show, and how it is changed and reverted."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from memory.models import Fact, ProfileText, Skill
from memory.projections.profile import profile_of, prose_for_owner
from memory.projections.skills import propose_skills
from tests.html import check_page
from tests.memory.pages.forms import page
from tests.memory.palaces import MONDAY, learn
from tests.memory.projections.toolchats import SAID, chat

NAMES = ("facts", "profile")


@pytest.fixture
def oven(bread):
    return learn(bread[2], "too hot", "The user dislikes hot ovens.", predicate="dislikes")


def test_values_are_shown_in_sentences_linked_to_their_sources(
    alice_client, bread, django_assert_max_num_queries
):
    single = {"key": "home_city", "predicate": "lives_in", "kind": "identity", "single_valued": True}
    learn(bread[1], "Porto", "The user lives in Porto.", object="Porto", **single)
    for number in range(30):
        learn(bread[0], "rye", f"The user likes rye bread number {number}.", predicate="likes")
    with django_assert_max_num_queries(20):
        html = page(alice_client, "profile")
    assert "Feeds a rye starter every morning." in html
    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert "Written by Palace" in html
    assert "You live in Porto." in html
    assert reverse("memory:edit_fact", args=[Fact.objects.get(key="home_city").id]) in html


def test_facts_have_the_same_headings_as_in_the_list(alice_client, bread, oven):
    learn(bread[1], "Porto", "The user lives in Porto.", kind="identity")
    titles = {
        name: re.findall(r'"(?:group|section)-\d">([^<]+?)\s*<', page(alice_client, name)) for name in NAMES
    }
    assert titles["profile"] == titles["facts"]
    assert "About you" in titles["profile"]


def test_the_summary_leaves_out_facts_that_quote_their_owner(alice_client, bread):
    words = "gave it to me in Porto"
    fact = learn(bread[1], words, f"The user said: “{words}”.", predicate="habit", mined_by="reader")
    assert fact.sentence == f"You said: “{words}”"
    assert page(alice_client, "profile").count(f">{fact.sentence}<") == 1
    assert "You said" not in prose_for_owner(profile_of(fact.user_id, timezone.now())).text


def test_own_words_replace_the_prose_and_can_be_reverted(alice_client, oven, as_alice):
    url = reverse("memory:own_words")
    html = check_page(alice_client.post(url, {"text": "I bake.\r\n<i>Daily</i>."}, follow=True))
    assert "I bake.\n&lt;i&gt;Daily&lt;/i&gt;." in html
    assert "Written by Palace" not in html
    assert html.count(f'action="{url}"') == 3, "one of them in the toast"

    alice_client.post(url, {"text": "I bake twice."})
    first, second = ProfileText.objects.filter(user_id=as_alice.id).order_by("written_at")
    alice_client.post(reverse("memory:use_words", args=[first.id]))
    assert page(alice_client, "profile").count("I bake.\n") > 1
    alice_client.post(reverse("memory:erase_words", args=[second.id]))
    assert "I bake twice." not in page(alice_client, "profile")
    refused = alice_client.post(url, {"text": "bread " * 600})
    assert "at most 3000 characters" in check_page(refused, 422)
    alice_client.post(url, {"text": ""})
    html = page(alice_client, "profile")
    assert "Written by Palace" in html
    assert "I bake." not in html.split("<details>")[0]


@pytest.fixture
def chat_drawers(as_alice):
    return chat(as_alice)


@pytest.fixture
def skill(as_alice, chat_drawers):
    propose_skills(as_alice.id, None, MONDAY)
    return Skill.objects.get()


def test_proposed_skills_show_what_failed_and_what_worked(alice_client, skill):
    html = page(alice_client, "skills")
    assert SAID[0][1] in html
    assert "target host not found" in html
    assert "HOST=oven-2" in html
    assert page(alice_client, "skills", status="published").count(SAID[0][1]) == 0
    response = alice_client.get(reverse("memory:skills", query={"status": "nonsense"}))
    assert response.status_code == 404
