"""The profile, its insights, and skills: what is shown, decided, and changed back."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.models import Drawer, Fact, OwnWords, Skill
from memory.projections.insights import InsightView, insights
from memory.projections.profile import refresh_profile
from memory.projections.proposing import propose_skills
from tests.html import check_fragment, check_page
from tests.memory.pages.forms import HTMX, page
from tests.memory.palaces import MONDAY, learn
from tests.memory.projections.toolchats import SAID, chat


@pytest.fixture
def oven(bread: list[Drawer]) -> Fact:
    return learn(bread[2], "too hot", "The user dislikes hot ovens.", predicate="dislikes")


def test_values_are_shown_in_sentences_with_a_link_to_their_words(
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


def test_own_words_replace_the_prose_and_can_be_changed_back(alice_client, oven, as_alice):
    url = reverse("memory:own_words")
    html = check_page(alice_client.post(url, {"text": "I bake.\r\n<i>Daily</i>."}, follow=True))
    assert "I bake.\n&lt;i&gt;Daily&lt;/i&gt;." in html
    assert "Written by Palace" not in html
    assert html.count(f'action="{url}"') == 3, "one of them in the toast"

    alice_client.post(url, {"text": "I bake twice."})
    first, second = OwnWords.objects.filter(user_id=as_alice.id).order_by("written_at")
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


def test_a_value_can_be_hidden_and_shown_again(alice_client, as_alice, oven):
    refresh_profile(as_alice.id, MONDAY)
    hide = reverse("memory:hide_value", args=[oven.id])
    show = reverse("memory:show_value", args=[oven.id])
    assert hide in page(alice_client, "profile")
    assert alice_client.post(hide)["Location"] == reverse("memory:profile")
    html = page(alice_client, "profile")
    assert "1 hidden value" in html
    assert show in html
    assert hide not in html
    activity = page(alice_client, "activity")
    assert "without a model" in activity
    assert "value hidden" in activity
    alice_client.post(show)
    assert hide in page(alice_client, "profile")

    html = check_fragment(alice_client.post(hide, headers=HTMX))
    assert html.strip().startswith('<div class="stack" id="profile">')
    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert html.count(show) == 4


def test_a_value_can_be_corrected_and_the_profile_follows(alice_client: Client, oven: Fact):
    edit = reverse("memory:edit_fact", args=[oven.id])
    assert edit in page(alice_client, "profile")

    given = {"statement": "The user likes hot ovens.", "kind": "preference", "value": "hot ovens"}
    response = alice_client.post(edit, given | {"since": "2024-05-06"})

    assert response.status_code == 302
    html = page(alice_client, "profile")
    assert "dislike hot ovens" not in html
    assert "You like hot ovens" in html


@pytest.fixture
def insight(as_alice: User, bread: list[Drawer]) -> InsightView:
    one = {"key": "home_city", "single_valued": True, "predicate": "lives_in"}
    learn(bread[1], "Porto", "The user lives in Porto.", value="Porto", **one)
    later = MONDAY + timedelta(days=9)
    learn(bread[2], "oven", "The user lives in Oslo.", **one, valid_from=later)
    as_alice.refresh_from_db()
    (found,) = insights(as_alice.id).items
    return found


def test_a_pattern_is_shown_with_its_facts_and_can_be_dismissed_and_restored(alice_client, insight, bread):
    html = page(alice_client, "profile")
    assert "Your home city changed once: Porto → oven." in html
    assert "Based on 2 facts" in html
    assert "You used to live in Porto." in html
    assert reverse("memory:drawer", args=[bread[1].id]) in html

    dismiss = reverse("memory:dismiss_insight", args=[insight.id])
    restore = reverse("memory:restore_insight", args=[insight.id])
    assert alice_client.post(dismiss)["Location"] == reverse("memory:profile", fragment="insights")
    assert "changed once" not in page(alice_client, "profile")
    assert "changed once" in page(alice_client, "profile", dismissed=1)
    activity = page(alice_client, "activity")
    assert "dismissed" in activity
    alice_client.post(restore)
    assert "changed once" in page(alice_client, "profile")

    html = check_fragment(alice_client.post(dismiss, headers=HTMX))
    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert restore in html


WORDING = {"goal": "Deploy", "worked": "Name the\r\nhost.", "failed": "", "applies": ""}


@pytest.fixture
def said(as_alice: User) -> list[Drawer]:
    return chat(as_alice)


@pytest.fixture
def skill(as_alice: User, said: list[Drawer]) -> Skill:
    propose_skills(as_alice.id, None, MONDAY)
    return Skill.objects.get()


def test_proposals_are_shown_with_what_failed_and_what_worked(alice_client, skill):
    html = page(alice_client, "skills")
    assert SAID[0][1] in html
    assert "target host not found" in html
    assert "HOST=oven-2" in html
    assert page(alice_client, "skills", status="published").count(SAID[0][1]) == 0
    response = alice_client.get(reverse("memory:skills", query={"status": "nonsense"}))
    assert response.status_code == 404


@pytest.mark.parametrize(("name", "status"), [("publish", "published"), ("reject", "rejected")])
def test_a_decision_about_a_skill_holds_is_logged_and_can_be_undone(alice_client, skill, name, status):
    decide = reverse(f"memory:{name}_skill", args=[skill.id])
    response = alice_client.post(decide)
    assert response["Location"].endswith(f"?status={status}#skill-{skill.id}")
    undo = reverse("memory:reconsider_skill", args=[skill.id])
    assert undo in page(alice_client, "skills", status=status)
    activity = page(alice_client, "activity")
    assert "1 proposal" in activity
    assert reverse("memory:skill", args=[skill.id]) in activity
    alice_client.post(undo)
    assert SAID[0][1] in page(alice_client, "skills")

    html = check_fragment(alice_client.post(decide, headers=HTMX))
    assert f'<li id="skill-{skill.id}">' in html
    assert 'hx-swap-oob="beforeend:#toasts"' in html


def test_a_skill_can_be_reworded_and_the_first_wording_restored(alice_client, skill, said):
    url = reverse("memory:skill", args=[skill.id])
    check_page(alice_client.post(url, WORDING | {"goal": " "}), 422)
    assert "2 versions" not in check_page(alice_client.get(url))
    html = check_page(alice_client.post(url, WORDING, follow=True))
    assert "Name the<br>host." in html
    assert "2 versions" in html
    for drawer in said:
        assert reverse("memory:drawer", args=[drawer.id]) in html
    alice_client.post(reverse("memory:use_skill_text", args=[skill.id, 1]))
    assert SAID[0][1] in page(alice_client, "skills")
