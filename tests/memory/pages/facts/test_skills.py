import pytest
from django.urls import reverse

from accounts.models import User
from memory.models import Drawer, Skill
from memory.projections.proposing import propose_skills
from tests.html import check_fragment, check_page
from tests.memory.pages.forms import HTMX, page
from tests.memory.palaces import MONDAY
from tests.memory.projections.toolchats import SAID, chat

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
def test_a_decision_holds_is_logged_and_can_be_undone(alice_client, skill, name, status):
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
