"""The project of a chat: choosing, showing and changing it, and its preference in recall."""

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.conversations import Choices, NewMessage, append, start
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
from tests.chat.replying import mine_chat
from tests.html import check_page
from tests.memory.pages.forms import HTMX

ON = {"recall_memory": "on", "mine": "on"}
LAMP = "The lamp of the {} has to be replaced in spring."


def in_project(user, project, words):
    chat = start(user.id, Choices(project=project), NOW)
    append(chat, NewMessage("user", words), NOW)
    mine_chat(chat)
    return chat


def shown(client, conversation):
    return check_page(client.get(f"/chat/{conversation.id}/"))


def choose(client, conversation, project, **headers):
    form = ON | {"agent": conversation.agent_id, "project": project}
    answer = client.post(f"/chat/{conversation.id}/switches/", form, **headers)
    conversation.refresh_from_db()
    return answer


def test_project_of_a_new_chat_is_matched_by_normalised_name(as_alice, alice_client, model):
    in_project(as_alice, "Lighthouse", LAMP.format("lighthouse"))
    html = check_page(alice_client.get("/chat/"))
    assert '<option value="Lighthouse">' in html
    for typed, kept in (("lighthouse", "Lighthouse"), ("  Bell\n tower ", "Bell tower"), ("", "")):
        alice_client.post("/chat/new/", ON | {"content": "Hello", "project": typed}, headers=HTMX)
        assert Conversation.objects.latest("id").project == kept
    assert projects_of(as_alice.id) == ("Bell tower", "Lighthouse")
    assert 'value="Lighthouse"' in check_page(alice_client.get("/chat/?project=Lighthouse"))
    assert "composer-project" not in check_page(alice_client.get("/chat/?incognito=1"))


def test_page_shows_the_project_and_links_to_its_wing(as_alice, alice_client, conversation):
    assert "chip-project" not in shown(alice_client, conversation)
    choose(alice_client, conversation, "Lighthouse")
    html = shown(alice_client, conversation)
    assert '<span class="chip chip-project" title="Project">' in html
    assert 'name="project" value="Lighthouse"' in html

    in_project(as_alice, "Lighthouse", LAMP.format("lighthouse"))
    wing = Wing.objects.get()
    link = reverse("memory:wing", args=[wing.id])
    assert f'<a class="chip chip-project" href="{link}"' in shown(alice_client, conversation)
    rename(as_alice.id, Target("wing", wing.id), "Old lighthouse", NOW)
    html = shown(alice_client, conversation)
    assert "<bdi>Old lighthouse</bdi>" in html


def test_changing_the_project_moves_drawers_and_can_be_undone(as_alice, alice_client):
    chat = in_project(as_alice, "Lighthouse", LAMP.format("lighthouse"))
    answer = choose(alice_client, chat, "Bell tower", headers=HTMX)
    assert (answer.status_code, chat.project) == (200, "Bell tower")
    html = answer.content.decode()
    assert 'id="chat-project" hx-swap-oob="true"' in html
    assert "is now in the project’s wing" in html
    assert Drawer.objects.get().wing.name == "Bell tower"

    append(chat, NewMessage("user", LAMP.format("tower")), timezone.now())
    mine_chat(chat)
    assert {each.wing.name for each in Drawer.objects.select_related("wing")} == {"Bell tower"}
    undo = html.partition('action="')[2].partition('"')[0]
    alice_client.post(undo)
    assert Room.objects.get().wing.name == "Lighthouse"


def test_unchanged_project_moves_nothing(as_alice, alice_client):
    chat = in_project(as_alice, "Lighthouse", LAMP.format("lighthouse"))
    assert choose(alice_client, chat, "lighthouse", headers=HTMX).status_code == 204
    assert change_project(chat, "", NOW) is None
    assert (chat.project, Room.objects.get().wing.name) == ("", "Lighthouse")
    assert change_project(chat, "Lighthouse", NOW) is None, "it is there already"
    form = ON | {"agent": chat.agent_id}
    assert alice_client.post(f"/chat/{chat.id}/switches/", form, headers=HTMX).status_code == 204
    chat.refresh_from_db()
    assert chat.project == "Lighthouse", "a form without the field leaves it as it is"
    answer = choose(alice_client, chat, "Bell tower")
    assert answer.url == f"/chat/{chat.id}/"
    assert "is now in the project’s wing" in shown(alice_client, chat)


def test_project_stays_when_another_setting_is_changed(as_alice, alice_client):
    chat = in_project(as_alice, "Lighthouse", LAMP.format("lighthouse"))
    rename(as_alice.id, Target("wing", Wing.objects.get().id), "Old lighthouse", NOW)
    form = {"agent": chat.agent_id, "mine": "on", "project": "Lighthouse"}
    assert alice_client.post(f"/chat/{chat.id}/switches/", form, headers=HTMX).status_code == 204
    chat.refresh_from_db()
    assert (chat.recall_memory, chat.project) == (False, "Lighthouse")


@pytest.mark.parametrize("project", ["Lighthouse", "Bell tower"])
def test_recall_prefers_the_project(as_alice, conversation, model, project):
    for name in ("Lighthouse", "Bell tower"):
        in_project(as_alice, name, f"{name}: {LAMP.format('building')}")
    change_project(conversation, project, NOW)
    message, _ = send_message(conversation, "When is the lamp of the building to be replaced?", NOW)

    prepared = prepare(conversation, message, NOW)

    assert prepared.hits[0].wing == project
    assert len(prepared.hits) == 2, "a preference is no filter"
    call = ToolCall("1", RECALL, '{"query": "When is the lamp of the building to be replaced?"}')
    found = execute_tool(prepared.tool_context, call, NOW)
    assert RecallTrace.objects.get(id=found.trace_id).hits[0]["wing"] == project
