"""What holds for every page of memory: sign-in, owner, method, sound markup."""

import re
from dataclasses import dataclass
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from accounts.models import User
from memory.models import Drawer
from tests.html import check_fragment, check_page
from tests.memory.pages.possessions import possessions

PAGES = (
    "palace",
    "trash",
    "search",
    "facts",
    "add_fact",
    "review",
    "graph",
    "insights",
    "paths",
    "profile",
    "skills",
    "timeline",
    "activity",
    "calendar",
    "consent",
    "consolidation",
    "cost",
    "diary",
    "health",
    "note",
    "sandbox",
    "settings",
)
FILES = ("cost_export",)
FRAGMENTS = ("wing_list", "waiting_drawers", "setting_example")
OF_A_DAY = ("day",)
OF_A_SETTING = ("reset_setting",)
OWNED = {
    "wing": ("GET", ("wing_id",)),
    "room_list": ("GET", ("wing_id",)),
    "delete_wing": ("GET POST", ("wing_id",)),
    "room": ("GET", ("wing_id", "room_id")),
    "closet_list": ("GET", ("wing_id", "room_id")),
    "delete_room": ("GET POST", ("wing_id", "room_id")),
    "closet": ("GET", ("wing_id", "room_id", "closet_id")),
    "drawer_list": ("GET", ("wing_id", "room_id", "closet_id")),
    "delete_closet": ("GET POST", ("wing_id", "room_id", "closet_id")),
    "change_place": ("GET POST", ("scope", "place_id")),
    "undo_arranging": ("POST", ("batch_id",)),
    "drop_search": ("POST", ("search_id",)),
    "restore_search": ("POST", ("search_id",)),
    "drawer": ("GET", ("drawer_id",)),
    "pin": ("POST", ("drawer_id",)),
    "sensitive": ("POST", ("drawer_id",)),
    "annotate": ("POST", ("drawer_id",)),
    "delete_drawer": ("POST", ("drawer_id",)),
    "pointer": ("GET", ("wing", "room", "drawer")),
    "deletion": ("GET", ("deletion_id",)),
    "undo": ("POST", ("deletion_id",)),
    "fact": ("GET", ("fact_id",)),
    "edit_fact": ("GET POST", ("fact_id",)),
    "end_fact": ("POST", ("fact_id",)),
    "delete_fact": ("POST", ("fact_id",)),
    "keep_both": ("POST", ("fact_id",)),
    "merge": ("POST", ("fact_id",)),
    "undo_decision": ("POST", ("decision_id",)),
    "approve": ("POST", ("fact_id",)),
    "reject": ("POST", ("fact_id",)),
    "reconsider": ("POST", ("fact_id",)),
    "use_again": ("POST", ("fact_id",)),
    "entity": ("GET", ("entity_id",)),
    "rename_entity": ("POST", ("entity_id",)),
    "retype_entity": ("POST", ("entity_id",)),
    "name_entity": ("POST", ("entity_id",)),
    "unname_entity": ("POST", ("entity_id", "name_id")),
    "detail_entity": ("POST", ("entity_id",)),
    "merge_entity": ("POST", ("entity_id",)),
    "split_entity": ("POST", ("entity_id",)),
    "undo_edit": ("POST", ("edit_id",)),
    "consolidation_run": ("GET", ("run_id",)),
    "apply_plan": ("POST", ("run_id",)),
    "undo_run": ("POST", ("run_id",)),
    "undo_change": ("POST", ("run_id", "change_id")),
    "take_back": ("POST", ("event_id",)),
    "take_back_reading": ("POST", ("event_id",)),
    "skill": ("GET POST", ("skill_id",)),
    "publish_skill": ("POST", ("skill_id",)),
    "reject_skill": ("POST", ("skill_id",)),
    "reconsider_skill": ("POST", ("skill_id",)),
    "use_skill_text": ("POST", ("skill_id", "number")),
    "dismiss_insight": ("POST", ("insight_id",)),
    "restore_insight": ("POST", ("insight_id",)),
    "hide_value": ("POST", ("fact_id",)),
    "show_value": ("POST", ("fact_id",)),
    "use_words": ("POST", ("words_id",)),
    "erase_words": ("POST", ("words_id",)),
    "undo_settings": ("POST", ("settings_id",)),
    "take_up": ("POST", ("progress_id",)),
}
POSTED = (
    *("retry", "discard", "read_again", "preview", "drop_plan", "own_words", "decide"),
    *("selected", "keep_search"),
)


EVERYTHING = [*PAGES, *FILES, *FRAGMENTS, *OF_A_SETTING, *POSTED, *OWNED]


@dataclass
class Owned:
    ids: dict[str, object]

    def url(self, name: str) -> str:
        return reverse(f"memory:{name}", kwargs={key: self.ids[key] for key in OWNED[name][1]})

    def nowhere(self, name: str) -> str:
        missing = {
            key: 999 if key in ("wing", "room", "drawer", "number") else uuid4() for key in OWNED[name][1]
        }
        if "scope" in missing:
            missing["scope"] = self.ids["scope"]
        return reverse(f"memory:{name}", kwargs=missing)


@pytest.fixture
def owned(bread: list[Drawer]) -> Owned:
    """Ids of Alice's things of every sort."""
    return Owned(possessions(bread))


def address(owned: Owned, name: str) -> str:
    if name in OWNED:
        return owned.url(name)
    return reverse(f"memory:{name}", args=["auto_mine"] if name in OF_A_SETTING else [])


def plain(html: bytes) -> str:
    """A page without what differs from one request to the next."""
    return re.sub(r'X-CSRFToken": "\w+"|value="\w{64}"|/memory/[^"]*', "", html.decode())


def test_the_fences_know_every_address():
    names = {name for name in get_resolver("memory.urls").reverse_dict if isinstance(name, str)}

    assert names == {*PAGES, *FILES, *FRAGMENTS, *OF_A_DAY, *OF_A_SETTING, *OWNED, *POSTED}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_sound_empty_and_full(
    alice_client: Client, bob_client: Client, owned: Owned, name: str
):
    check_page(alice_client.get(reverse(f"memory:{name}")))
    check_page(bob_client.get(reverse(f"memory:{name}")))


@pytest.mark.parametrize("name", [name for name, (methods, _) in OWNED.items() if "GET" in methods])
def test_every_page_of_a_thing_is_sound(alice_client: Client, owned: Owned, name: str):
    response = alice_client.get(owned.url(name))

    if name == "pointer":
        assert response.status_code == 302
    elif name.endswith("_list"):
        check_fragment(response)
    else:
        check_page(response)


def test_visitors_are_sent_to_the_door(owned: Owned, subtests: pytest.Subtests):
    for name in EVERYTHING:
        for method in ("get", "post"):
            with subtests.test(name, method=method):
                response = getattr(Client(), method)(address(owned, name))
                assert response.status_code == 302
                assert response["Location"].startswith(reverse("account_login"))


def test_what_is_somebody_elses_is_not_there(bob_client: Client, owned: Owned, subtests: pytest.Subtests):
    for name, (methods, _) in OWNED.items():
        for method in methods.split():
            with subtests.test(name, method=method):
                for headers in ({}, {"HX-Request": "true"}):
                    theirs = bob_client.generic(method, owned.url(name), headers=headers)
                    nothing = bob_client.generic(method, owned.nowhere(name), headers=headers)
                    assert theirs.status_code == nothing.status_code == 404
                    assert plain(theirs.content) == plain(nothing.content)


def test_nothing_of_alice_changes_by_bob(bob_client: Client, owned: Owned, subtests: pytest.Subtests):
    before = sorted(Drawer.objects.values_list("id", "pinned", "sensitive", "deleted_at"))

    for name in OWNED:
        with subtests.test(name):
            bob_client.post(owned.url(name), {"on": "1", "annotation": "x"})

            after = sorted(Drawer.objects.values_list("id", "pinned", "sensitive", "deleted_at"))
            assert after == before


def allowed_at(name: str) -> set[str]:
    """The methods that an address answers."""
    if name in OWNED:
        return set(OWNED[name][0].split())
    if name in (*POSTED, *OF_A_SETTING):
        return {"POST"}
    both = {"note", "sandbox", "settings", "add_fact", "consent"}
    return {"GET", "POST"} if name in both else {"GET"}


def test_other_methods_are_refused(alice_client: Client, owned: Owned, subtests: pytest.Subtests):
    for name in EVERYTHING:
        url = address(owned, name)
        for method in {"GET", "POST", "PUT", "DELETE"} - allowed_at(name):
            with subtests.test(name, method=method):
                assert alice_client.generic(method, url).status_code == 405


@pytest.mark.parametrize(
    "name",
    [
        "palace",
        "trash",
        "facts",
        "review",
        "graph",
        "activity",
        "consolidation",
        "diary",
        "wing_list",
    ],
)
def test_a_made_up_place_in_a_list_is_not_there(alice_client: Client, owned: Owned, name: str):
    assert alice_client.get(reverse(f"memory:{name}"), {"after": "no"}).status_code == 404


def test_changing_needs_the_token(owned: Owned, alice: User, subtests: pytest.Subtests):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)

    for name in [name for name, (methods, _) in OWNED.items() if "POST" in methods]:
        with subtests.test(name):
            assert strict.post(owned.url(name)).status_code == 403
