import pytest
from django.test import Client
from django.urls import reverse

from memory.models import Drawer, Fact, OwnWords
from memory.projections.profile import refresh_profile
from tests.html import check_fragment, check_page
from tests.memory.pages.forms import HTMX, page
from tests.memory.palaces import MONDAY, learn


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
