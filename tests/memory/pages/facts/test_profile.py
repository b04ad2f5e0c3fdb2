import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from memory.models import Drawer, Fact, OwnWords
from memory.projections.profile import refresh_profile
from tests.html import check_fragment, check_page
from tests.memory.palaces import MONDAY, learn

HTMX = {"HX-Request": "true"}


@pytest.fixture
def oven(bread: list[Drawer]) -> Fact:
    return learn(bread[2], "too hot", "The user dislikes hot ovens.", predicate="dislikes")


def page(client: Client) -> str:
    return check_page(client.get(reverse("memory:profile")))


def test_values_stand_with_a_link_to_their_words(alice_client: Client, bread: list[Drawer]):
    html = page(alice_client)

    assert "Feeds a rye starter every morning." in html
    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert "Written by Palace" in html


def test_a_single_value_is_told_by_its_key(alice_client: Client, bread: list[Drawer]):
    learn(
        bread[1],
        "Porto",
        "The user lives in Porto.",
        key="home_city",
        predicate="lives_in",
        kind="identity",
        single_valued=True,
        object="Porto",
    )

    html = page(alice_client)

    assert '<span class="value-label">home city</span> Porto' in html
    assert "The user lives in Porto." in html


def test_own_words_take_the_place_of_the_prose(alice_client: Client, oven: Fact, as_alice: User):
    url = reverse("memory:own_words")
    response = alice_client.post(url, {"text": "I bake.\r\n<i>Daily</i>."}, follow=True)

    html = check_page(response)
    assert "I bake.\n&lt;i&gt;Daily&lt;/i&gt;." in html
    assert "Written by Palace" not in html

    alice_client.post(url, {"text": "I bake twice."})
    first, second = OwnWords.objects.filter(user_id=as_alice.id).order_by("written_at")
    alice_client.post(reverse("memory:use_words", args=[first.id]))
    assert page(alice_client).count("I bake.\n") > 1
    alice_client.post(reverse("memory:erase_words", args=[second.id]))
    assert "I bake twice." not in page(alice_client)
    alice_client.post(url, {"text": ""})
    assert "Written by Palace" in page(alice_client)


def test_words_that_are_too_long_are_refused_and_kept_in_the_field(alice_client: Client):
    response = alice_client.post(reverse("memory:own_words"), {"text": "bread " * 600})

    assert "at most 3000 characters" in check_page(response, 422)
    assert not OwnWords.objects.exists()


def test_a_value_is_left_out_and_taken_back_in(alice_client: Client, oven: Fact):
    hide = reverse("memory:hide_value", args=[oven.id])
    show = reverse("memory:show_value", args=[oven.id])
    assert hide in page(alice_client)

    response = alice_client.post(hide)
    assert response["Location"] == reverse("memory:profile")
    html = page(alice_client)
    assert "1 value you left out" in html
    assert show in html
    assert hide not in html

    alice_client.post(show)
    assert hide in page(alice_client)


def test_by_script_the_profile_is_swapped_and_undo_offered(alice_client: Client, oven: Fact):
    response = alice_client.post(reverse("memory:hide_value", args=[oven.id]), headers=HTMX)

    html = check_fragment(response)
    assert html.strip().startswith('<div class="stack" id="profile">')
    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert html.count(reverse("memory:show_value", args=[oven.id])) == 4


def test_many_values_take_few_queries(
    alice_client: Client, bread: list[Drawer], django_assert_max_num_queries: DjangoAssertNumQueries
):
    for number in range(30):
        learn(bread[0], "rye", f"The user likes rye bread number {number}.", predicate="likes")
    with django_assert_max_num_queries(20):
        page(alice_client)


def test_activity_tells_of_the_profile(alice_client: Client, as_alice: User, oven: Fact):
    refresh_profile(as_alice.id, MONDAY)
    alice_client.post(reverse("memory:hide_value", args=[oven.id]))

    html = check_page(alice_client.get(reverse("memory:activity")))

    assert "because what holds of you had changed" in html
    assert "a value was left out" in html


def test_a_value_can_be_corrected_and_the_profile_follows(alice_client: Client, oven: Fact):
    edit = reverse("memory:edit_fact", args=[oven.id])
    assert edit in page(alice_client)

    given = {"statement": "The user likes hot ovens.", "kind": "preference", "value": "hot ovens"}
    response = alice_client.post(edit, given | {"since": "2024-05-06"})

    assert response.status_code == 302
    html = page(alice_client)
    assert "dislikes hot ovens" not in html
    assert "likes hot ovens" in html


def test_what_was_said_of_oneself_is_undone_from_the_toast(alice_client: Client, alice: User):
    url = reverse("memory:own_words")
    html = check_page(alice_client.post(url, {"text": "I bake."}, follow=True))
    assert html.count(f'action="{url}"') == 3

    alice_client.post(url)
    assert "I bake." not in page(alice_client).split("<details>")[0]
