"""What holds for every page of memory: sign-in, owner, method, sound markup."""

import re
from dataclasses import dataclass
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from accounts.models import User
from memory.models import Drawer, MiningProgress
from tests.api.furnishing import furnish
from tests.html import check_fragment, check_page
from tests.memory.pages.forms import HTMX

PAGES = (
    *("palace", "trash", "search", "facts", "add_fact", "review", "graph", "paths", "profile"),
    *("skills", "timeline", "activity", "changes", "calendar", "consent", "consolidation", "cost", "health"),
    *("note", "settings"),
)
FRAGMENTS = ("wing_list", "waiting_drawers", "setting_example", "points")
OF_A_DAY = ("day",)
OF_A_SETTING = ("reset_setting",)
OF_A_THING = {
    "wing_id": ("wing room_list", "delete_wing", ""),
    "wing_id room_id": ("room closet_list room_preview", "delete_room", ""),
    "wing_id room_id closet_id": ("closet drawer_list", "delete_closet", ""),
    "scope place_id": ("", "change_place", ""),
    "change_id": ("", "", "undo"),
    "drawer_id": ("drawer", "move_drawer", "pin sensitive secrets annotate delete_drawer"),
    "wing room drawer": ("pointer", "", ""),
    "deletion_id": ("deletion", "", ""),
    "fact_id": (
        "fact",
        "edit_fact",
        "end_fact delete_fact keep_both merge approve reject reconsider use_again hide_value show_value",
    ),
    "entity_id": (
        "entity",
        "",
        "rename_entity retype_entity name_entity detail_entity merge_entity split_entity",
    ),
    "entity_id name_id": ("", "", "unname_entity"),
    "run_id": ("consolidation_run", "", "apply_plan"),
    "skill_id": ("", "skill", "publish_skill reject_skill reconsider_skill"),
    "skill_id number": ("", "", "use_skill_text"),
    "insight_id": ("", "", "dismiss_insight restore_insight"),
    "words_id": ("", "", "use_words erase_words"),
}
"""By the ids in their addresses: what is only read, what is read and changed, what is only changed."""
OWNED = {
    name: (methods, tuple(ids.split()))
    for ids, kinds in OF_A_THING.items()
    for methods, names in zip(("GET", "GET POST", "POST"), kinds, strict=True)
    for name in names.split()
}
POSTED = (
    *("retry", "discard", "read_again", "mine_now", "resume", "preview", "drop_plan", "own_words", "decide"),
    *("delete_selected", "use_zone"),
)


WORDS_OF_ALICE = ("starter", "in Porto", "Bakery", "Jonas", "I bake.", "Slowly")
EVERYTHING = [*PAGES, *FRAGMENTS, *OF_A_SETTING, *POSTED, *OWNED]


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
def owned(as_alice: User, uploads: object) -> Owned:
    """Ids of Alice's things of every sort, by the names they have in addresses."""
    ids = furnish(as_alice).ids
    drawer = Drawer.objects.get(id=ids["drawer_id"])
    given = {"source_kind": "conversation", "source_id": uuid4(), "state": MiningProgress.State.DISCARDED}
    return Owned(
        ids
        | {
            "wing": drawer.pointer_wing,
            "room": drawer.pointer_room,
            "drawer": drawer.pointer_drawer,
            "number": 1,
            "scope": "room",
            "place_id": drawer.room_id,
            "words_id": ids["text_id"],
            "name_id": ids["alias_id"],
            "batch_id": ids["change_id"],
            "change_id": ids["run_change_id"],
            "settings_id": ids["settings_event_id"],
            "progress_id": MiningProgress.objects.create(user_id=as_alice.id, **given).id,
        }
    )


def address(owned: Owned, name: str) -> str:
    if name in OWNED:
        return owned.url(name)
    return reverse(f"memory:{name}", args=["auto_mine"] if name in OF_A_SETTING else [])


def plain(html: bytes) -> str:
    """A page without what differs from one request to the next."""
    return re.sub(r'X-CSRFToken": "\w+"|value="\w{64}"|/memory/[^"]*', "", html.decode())


def test_every_address_of_memory_is_listed_here():
    names = {name for name in get_resolver("memory.urls").reverse_dict if isinstance(name, str)}

    assert names == {*PAGES, *FRAGMENTS, *OF_A_DAY, *OF_A_SETTING, *OWNED, *POSTED}


def test_every_page_is_sound_empty_and_full_and_shows_nothing_of_others(
    alice_client: Client, bob_client: Client, owned: Owned, subtests: pytest.Subtests
):
    shown = set()
    for name in PAGES:
        with subtests.test(name):
            mine = check_page(alice_client.get(reverse(f"memory:{name}")))
            theirs = check_page(bob_client.get(reverse(f"memory:{name}")))
            shown |= {words for words in WORDS_OF_ALICE if words in mine}
            assert [words for words in WORDS_OF_ALICE if words in theirs] == []
    assert shown == set(WORDS_OF_ALICE)


def test_every_page_of_a_thing_is_sound(alice_client: Client, owned: Owned, subtests: pytest.Subtests):
    for name in [name for name, (methods, _) in OWNED.items() if "GET" in methods]:
        with subtests.test(name):
            response = alice_client.get(owned.url(name))
            if name == "pointer":
                assert response.status_code == 302
            else:
                (check_fragment if name.endswith(("_list", "_preview")) else check_page)(response)


def test_visitors_are_sent_to_sign_in(owned: Owned, subtests: pytest.Subtests):
    for name in EVERYTHING:
        for method in ("get", "post"):
            with subtests.test(name, method=method):
                response = getattr(Client(), method)(address(owned, name))
                assert response.status_code == 302
                assert response["Location"].startswith(reverse("account_login"))


def test_what_is_somebody_elses_looks_like_what_does_not_exist_and_stays(bob_client, owned, subtests):
    before = list(Drawer.objects.order_by("id").values())
    for name, (methods, _) in OWNED.items():
        for method in methods.split():
            with subtests.test(name, method=method):
                send = getattr(bob_client, method.lower())
                for headers in ({}, HTMX):
                    theirs, nothing = (
                        send(url, {"on": "1", "annotation": "x"}, headers=headers)
                        for url in (owned.url(name), owned.nowhere(name))
                    )
                    assert theirs.status_code == nothing.status_code == 404
                    assert plain(theirs.content) == plain(nothing.content)
    assert list(Drawer.objects.order_by("id").values()) == before


def allowed_at(name: str) -> set[str]:
    """The methods that an address answers."""
    if name in OWNED:
        return set(OWNED[name][0].split())
    if name in (*POSTED, *OF_A_SETTING):
        return {"POST"}
    both = {"note", "settings", "add_fact", "consent"}
    return {"GET", "POST"} if name in both else {"GET"}


def test_nobody_undoes_what_is_somebody_elses(bob_client: Client, owned: Owned, subtests: pytest.Subtests):
    undoable = ("batch_id", "change_id", "deletion_id", "decision_id", "edit_id", "event_id", "progress_id")
    for name in (*undoable, "run_id", "settings_id"):
        with subtests.test(name):
            assert bob_client.post(reverse("memory:undo", args=[owned.ids[name]])).status_code == 404


def test_other_methods_are_refused(alice_client: Client, owned: Owned, subtests: pytest.Subtests):
    for name in EVERYTHING:
        url = address(owned, name)
        for method in {"GET", "POST", "PUT", "DELETE"} - allowed_at(name):
            with subtests.test(name, method=method):
                assert alice_client.generic(method, url).status_code == 405


def test_a_forged_cursor_is_not_found(alice_client: Client, owned: Owned):
    lists = "palace trash facts review activity changes consolidation profile wing_list"
    for name in lists.split():
        assert alice_client.get(reverse(f"memory:{name}"), {"after": "no"}).status_code == 404
    assert alice_client.get(reverse("memory:graph"), {"view": "table", "after": "no"}).status_code == 404


def test_changes_need_the_csrf_token(owned: Owned, alice: User, subtests: pytest.Subtests):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)

    for name in [name for name, (methods, _) in OWNED.items() if "POST" in methods]:
        with subtests.test(name):
            assert strict.post(owned.url(name)).status_code == 403
