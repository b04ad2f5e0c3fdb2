"""The project of a chat: choosing, showing and changing it, and its preference in recall."""

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.conversations import NewMessage, append
from chat.models import Conversation
from chat.projects import change_project, projects_of
from chat.replies.generation import prepare
from chat.replies.jobs import send_message
from chat.replies.tools import RECALL, execute_tool
from llm.types import ToolCall
from memory.models import Drawer, RecallTrace, Room, Wing
from memory.organize.arranging import rename
from memory.organize.places import Target
from tests.chat.conftest import NOW
from tests.chat.replying import add_mined_chat, mine_chat, page_of
from tests.html import check_page
from tests.memory.pages.forms import HTMX, undo_in

ON = {"recall_memory": "on", "mine": "on"}
LAMP = "The lamp of the {} has to be replaced in spring."


@pytest.fixture
def lighthouse(as_alice):
    """A mined chat of a project."""
    return add_mined_chat(as_alice, LAMP.format("lighthouse"), project="Lighthouse")


@pytest.fixture
def choose(alice_client):
    """Submit the settings of a chat."""

    def submit(conversation, headers=None, **given):
        form = {"agent": conversation.agent_id, **ON, **given}
        answer = alice_client.post(f"/chat/{conversation.id}/switches/", form, headers=headers)
        conversation.refresh_from_db()
        return answer

    return submit


def test_project_of_a_new_chat_is_matched_by_normalised_name(as_alice, lighthouse, alice_client, model):
    assert '<option value="Lighthouse">' in check_page(alice_client.get("/chat/"))
    for typed, kept in (("lighthouse", "Lighthouse"), ("  Bell\n tower ", "Bell tower"), ("", "")):
        alice_client.post("/chat/new/", ON | {"content": "Hello", "project": typed}, headers=HTMX)
        assert Conversation.objects.latest("id").project == kept
    assert projects_of(as_alice.id) == ("Bell tower", "Lighthouse")
    assert 'value="Lighthouse"' in check_page(alice_client.get("/chat/?project=Lighthouse"))
    assert "composer-project" not in check_page(alice_client.get("/chat/?incognito=1"))


def test_page_shows_the_project_and_links_to_its_wing(as_alice, alice_client, conversation, choose):
    assert "chip-project" not in page_of(alice_client, conversation)
    choose(conversation, project="Lighthouse")
    html = page_of(alice_client, conversation)
    assert '<span class="chip chip-project" title="Project">' in html
    assert 'name="project" value="Lighthouse"' in html

    add_mined_chat(as_alice, LAMP.format("lighthouse"), project="Lighthouse")
    wing = Wing.objects.get()
    link = reverse("memory:wing", args=[wing.id])
    assert f'<a class="chip chip-project" href="{link}"' in page_of(alice_client, conversation)
    rename(as_alice.id, Target("wing", wing.id), "Old lighthouse", NOW)
    assert "<bdi>Old lighthouse</bdi>" in page_of(alice_client, conversation)


def test_changing_the_project_moves_drawers_and_can_be_undone(lighthouse, alice_client, choose):
    answer = choose(lighthouse, HTMX, project="Bell tower")
    assert (answer.status_code, lighthouse.project) == (200, "Bell tower")
    html = answer.content.decode()
    assert 'id="chat-project" hx-swap-oob="true"' in html
    assert "is now in the project’s wing" in html
    assert Drawer.objects.get().wing.name == "Bell tower"

    append(lighthouse, NewMessage("user", LAMP.format("tower")), timezone.now())
    mine_chat(lighthouse)
    assert {each.wing.name for each in Drawer.objects.select_related("wing")} == {"Bell tower"}
    alice_client.post(undo_in(html))
    assert Room.objects.get().wing.name == "Lighthouse"


def test_unchanged_project_moves_nothing(as_alice, lighthouse, alice_client, choose):
    assert choose(lighthouse, HTMX, project="lighthouse").status_code == 204
    assert change_project(lighthouse, "", NOW) is None
    assert (lighthouse.project, Room.objects.get().wing.name) == ("", "Lighthouse")
    assert change_project(lighthouse, "Lighthouse", NOW) is None, "it is there already"
    assert choose(lighthouse, HTMX).status_code == 204
    assert lighthouse.project == "Lighthouse", "a form without the field leaves it as it is"
    rename(as_alice.id, Target("wing", Wing.objects.get().id), "Old lighthouse", NOW)
    assert choose(lighthouse, HTMX, project="Lighthouse", recall_memory="").status_code == 204
    assert (lighthouse.recall_memory, lighthouse.project) == (False, "Lighthouse")
    assert choose(lighthouse, project="Bell tower").url == f"/chat/{lighthouse.id}/"
    assert "is now in the project’s wing" in page_of(alice_client, lighthouse)


@pytest.mark.parametrize("project", ["Lighthouse", "Bell tower"])
def test_recall_prefers_the_project(as_alice, conversation, model, project):
    for name in ("Lighthouse", "Bell tower"):
        add_mined_chat(as_alice, f"{name}: {LAMP.format('building')}", project=name)
    change_project(conversation, project, NOW)
    message, _ = send_message(conversation, "When is the lamp of the building to be replaced?", NOW)
    prepared = prepare(conversation, message, NOW)
    assert prepared.recalled.hits[0].wing == project
    assert len(prepared.recalled.hits) == 2, "a preference is no filter"
    call = ToolCall("1", RECALL, '{"query": "When is the lamp of the building to be replaced?"}')
    found = execute_tool(prepared.tool_context, call, NOW)
    assert RecallTrace.objects.get(id=found.trace_id).hits[0]["wing"] == project
