import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.models import Drawer, Skill
from memory.projections.proposing import propose_skills
from tests.html import check_fragment, check_page
from tests.memory.palaces import MONDAY
from tests.memory.projections.toolchats import SAID, chat

HTMX = {"HX-Request": "true"}
WORDING = {"goal": "Deploy", "worked": "Name the\r\nhost.", "failed": "", "applies": ""}


@pytest.fixture
def said(as_alice: User) -> list[Drawer]:
    return chat(as_alice)


@pytest.fixture
def skill(as_alice: User, said: list[Drawer]) -> Skill:
    propose_skills(as_alice.id, None, MONDAY)
    return Skill.objects.get()


def listed(client: Client, status: str = "proposed") -> str:
    return check_page(client.get(reverse("memory:skills", query={"status": status})))


def read(client: Client, skill: Skill) -> str:
    return check_page(client.get(reverse("memory:skill", args=[skill.id])))


def test_proposals_stand_with_what_failed_and_what_worked(alice_client: Client, skill: Skill):
    html = listed(alice_client)

    assert SAID[0][1] in html
    assert "target host not found" in html
    assert "HOST=oven-2" in html
    assert listed(alice_client, "published").count(SAID[0][1]) == 0


@pytest.mark.parametrize(("name", "status"), [("publish", "published"), ("reject", "rejected")])
def test_a_decision_holds_and_can_be_taken_back(alice_client: Client, skill: Skill, name: str, status: str):
    response = alice_client.post(reverse(f"memory:{name}_skill", args=[skill.id]))
    assert response["Location"].endswith(f"?status={status}#skill-{skill.id}")
    html = listed(alice_client, status)
    undo = reverse("memory:reconsider_skill", args=[skill.id])
    assert undo in html

    alice_client.post(undo)
    assert SAID[0][1] in listed(alice_client)


def test_a_decision_by_script_swaps_the_skill_and_offers_undo(alice_client: Client, skill: Skill):
    response = alice_client.post(reverse("memory:publish_skill", args=[skill.id]), headers=HTMX)

    html = check_fragment(response)
    assert f'<li id="skill-{skill.id}">' in html
    assert 'hx-swap-oob="beforeend:#toasts"' in html


def test_it_can_be_reworded_and_the_first_wording_stands_again(
    alice_client: Client, skill: Skill, said: list[Drawer]
):
    url = reverse("memory:skill", args=[skill.id])
    html = check_page(alice_client.post(url, WORDING, follow=True))
    assert "Name the<br>host." in html
    assert "2 versions" in html
    for drawer in said:
        assert reverse("memory:drawer", args=[drawer.id]) in html

    alice_client.post(reverse("memory:use_skill_text", args=[skill.id, 1]))
    assert SAID[0][1] in listed(alice_client)


def test_a_wording_without_a_goal_is_refused(alice_client: Client, skill: Skill):
    response = alice_client.post(reverse("memory:skill", args=[skill.id]), WORDING | {"goal": " "})
    check_page(response, 422)
    assert "2 versions" not in read(alice_client, skill)


def test_an_unknown_status_is_not_there(alice_client: Client, alice: User):
    response = alice_client.get(reverse("memory:skills", query={"status": "nonsense"}))
    assert response.status_code == 404


def test_activity_tells_of_proposals_and_decisions(alice_client: Client, skill: Skill):
    alice_client.post(reverse("memory:publish_skill", args=[skill.id]))

    html = check_page(alice_client.get(reverse("memory:activity")))

    assert "1 proposal" in html
    assert reverse("memory:skill", args=[skill.id]) in html
