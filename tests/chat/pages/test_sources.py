"""What a person says of the drawers recalled for a reply, and taking it back."""

from uuid import uuid4

import pytest
from django.test import Client

from accounts.models import User
from chat.agents import default_agent
from chat.conversations import Choices, start
from chat.models import Conversation, Message
from llm.fake_gateway import FakeChat
from memory.models import ChangeSet, Drawer, Fact, Misfit
from memory.organize.recording import undo
from tests.chat.conftest import NOW
from tests.chat.replying import CAT, asked, remembered
from tests.html import check_fragment, check_page

HTMX = {"HX-Request": "true"}


@pytest.fixture
def answered(as_alice: User, model: FakeChat) -> Message:
    """A reply for which what was said of the cat in another chat was recalled."""
    remembered(as_alice, CAT)
    chat = start(as_alice.id, Choices(agent=default_agent(as_alice.id)), NOW)
    model.script("Minka.")
    return asked(chat)


def address(reply: Message, action: str) -> str:
    drawer = Drawer.objects.get()
    return f"/chat/{reply.conversation_id}/recalls/{reply.trace_id}/drawers/{drawer.id}/{action}/"


def thread(client: Client, reply: Message) -> str:
    return check_page(client.get(f"/chat/{reply.conversation_id}/")).split('<ol id="thread">')[1]


def test_a_source_offers_four_things_to_do(answered: Message, alice_client: Client) -> None:
    html = thread(alice_client, answered)
    for action in ("fits", "wrong", "forget", "always"):
        assert address(answered, action) in html


def test_not_relevant_is_kept_for_this_message_and_taken_back(
    answered: Message, alice_client: Client
) -> None:
    path = address(answered, "fits")
    html = check_fragment(alice_client.post(path, {"on": "0"}, headers=HTMX))
    assert "Not relevant: it comes later" in html
    check_fragment(alice_client.post(path, {"on": "0"}, headers=HTMX))
    assert Misfit.objects.get().trace_id == answered.trace_id
    assert "Not relevant: it comes later" in thread(alice_client, answered)
    html = check_fragment(alice_client.post(path, {"on": "1"}, headers=HTMX))
    assert "it comes later" not in html
    assert not Misfit.objects.exists()


def test_only_what_was_recalled_can_be_called_not_relevant(answered: Message, alice_client: Client) -> None:
    drawer = Drawer.objects.get()
    for trace, other in ((uuid4(), drawer.id), (answered.trace_id, uuid4())):
        path = f"/chat/{answered.conversation_id}/recalls/{trace}/drawers/{other}/fits/"
        assert alice_client.post(path, {"on": "0"}).status_code == 404


def test_always_use_pins_and_unpins(answered: Message, alice_client: Client) -> None:
    path = address(answered, "always")
    html = check_fragment(alice_client.post(path, {"on": "1"}, headers=HTMX))
    assert "Always used" in html
    assert Drawer.objects.get().pinned
    assert alice_client.post(path, {"on": "0"}).url.endswith(f"#m{answered.sequence}")
    assert not Drawer.objects.get().pinned


def test_pinning_is_in_the_journal_and_undone_there(
    answered: Message, as_alice: User, alice_client: Client
) -> None:
    for _ in range(2):  # a second click changes nothing
        alice_client.post(address(answered, "always"), {"on": "1"})
    edit = ChangeSet.objects.get()
    assert (edit.kind, edit.subject_id) == ("pinned", Drawer.objects.get().id)
    undo(as_alice.id, edit.id, NOW)
    assert not Drawer.objects.get().pinned


def test_only_what_was_recalled_is_pinned_here(answered: Message, alice_client: Client) -> None:
    drawer = Drawer.objects.get()
    path = f"/chat/{answered.conversation_id}/recalls/{uuid4()}/drawers/{drawer.id}/always/"
    assert alice_client.post(path, {"on": "1"}).status_code == 404
    assert not Drawer.objects.get().pinned


def test_what_is_wrong_gets_a_remark_and_its_facts_go_to_review(
    as_alice: User, model: FakeChat, alice_client: Client
) -> None:
    remembered(as_alice, "I live in Zürich with my cat Minka.")
    model.script("In Zürich.")
    reply = asked(start(as_alice.id, Choices(), NOW), "Where do I live with my cat?")
    before = set(Fact.objects.filter(status="active").values_list("id", flat=True))
    assert before
    path = address(reply, "wrong")
    html = check_page(alice_client.get(path))
    assert "I live in Zürich" in html
    assert 'class="understood"' in html
    assert alice_client.post(path, {"remark": "It is Basel."}).status_code == 302
    drawer = Drawer.objects.get()
    assert (drawer.content, drawer.annotation) == (
        "I live in Zürich with my cat Minka.",
        "It is Basel.",
    )
    assert not Fact.objects.filter(status="active").exists()
    html = thread(alice_client, reply)
    assert "You said that this is wrong." in html
    assert "It is Basel." in html
    undo = html.split(f'action="{path}')[1].split('"')[0]
    check_fragment(alice_client.post(f"{path}{undo}", headers=HTMX))
    assert Drawer.objects.get().annotation == ""
    assert set(Fact.objects.filter(status="active").values_list("id", flat=True)) == before
    assert alice_client.post(f"{path}{undo}").status_code == 404


def test_a_remark_that_was_changed_since_is_left_alone(answered: Message, alice_client: Client) -> None:
    Drawer.objects.update(annotation="An older remark.")
    path = address(answered, "wrong")
    alice_client.post(path, {"remark": "She is called Mona."})
    drawer = Drawer.objects.get()
    assert drawer.annotation == "An older remark.\n\nShe is called Mona."
    undo = thread(alice_client, answered).split(f'action="{path}')[1].split('"')[0]
    Drawer.objects.update(annotation="A new remark.")
    assert alice_client.post(f"{path}{undo}").status_code == 302
    assert Drawer.objects.get().annotation == "A new remark."


def test_a_remark_that_is_too_long_is_refused(answered: Message, alice_client: Client) -> None:
    answer = alice_client.post(address(answered, "wrong"), {"remark": "a" * 10_001})
    assert answer.status_code == 422
    assert Drawer.objects.get().annotation == ""


def test_a_source_is_forgotten_and_restored(answered: Message, alice_client: Client) -> None:
    path = address(answered, "forget")
    html = check_fragment(alice_client.post(path, headers=HTMX))
    drawer = Drawer.objects.get()
    assert drawer.deleted_at is not None
    back = f"/chat/{answered.conversation_id}/deletions/{drawer.deletion_id}/undo/"
    assert back in html
    page = thread(alice_client, answered)
    assert CAT not in page
    assert back in page
    assert alice_client.post(path).status_code == 404
    assert "Restored." in alice_client.post(back, headers=HTMX).content.decode()
    assert CAT in thread(alice_client, answered)


def test_forgetting_works_without_scripts(answered: Message, alice_client: Client) -> None:
    assert alice_client.post(address(answered, "forget")).status_code == 302
    assert not Drawer.objects.live().exists()


@pytest.mark.parametrize("action", ["fits", "always", "forget", "wrong"])
def test_the_sources_of_somebody_else_are_not_there(
    answered: Message, bob_client: Client, action: str
) -> None:
    assert bob_client.post(address(answered, action), {"on": "1"}).status_code == 404
    assert Client().post(address(answered, action)).status_code == 302
    if action != "wrong":
        assert bob_client.get(address(answered, action)).status_code == 405


def test_a_citation_that_the_model_made_up_is_no_link(
    as_alice: User, conversation: Conversation, model: FakeChat, alice_client: Client
) -> None:
    remembered(as_alice, CAT)
    model.script("Minka, § W-001/R-01/D-001 and § W-077/R-01/D-009.")
    html = thread(alice_client, asked(conversation))
    assert 'href="/memory/p/W-1/R-1/D-1/"' in html
    assert "W-77" not in html
    assert "§ W-077/R-01/D-009 (unknown)</span>" in html
