"""Rules for every URL of a page: sign-in, ownership, methods, CSRF token, and valid markup."""

import re
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.urls import get_resolver, reverse

from accounts.owned import Operational, Owned
from accounts.tenancy import tenant
from api.models import Webhook
from memory.forgetting import requests
from memory.forgetting.scopes import ForgetRequest
from memory.models import Drawer, MiningProgress
from tests.api.furnishing import NOW, furnish
from tests.html import check_fragment, check_page
from tests.memory.pages.forms import HTMX

OWNED = [model for model in apps.get_models() if issubclass(model, Owned | Operational)]
URLS = {
    "memory": "memory.urls",
    "forget": "memory.pages.forget",
    "chat": "chat.urls",
    "webhooks": "api.webhooks.views",
    "accounts": "accounts.urls",
}
READ = {
    "memory": "palace wing room closet drawer pointer trash deletion search facts fact review profile skills"
    " timeline days day graph paths entity activity changes consolidation consolidation_run cost health"
    " wing_list room_list closet_list drawer_list room_preview waiting_drawers points setting_example",
    "forget": "wizard receipt",
    "chat": "chat conversation message trace stream remembered waiting deleted recalls recall reply_of agents"
    " model_options import_run import_state transfer transfer_state fetch_export",
    "webhooks": "webhook",
    "accounts": "welcome",
}
READ_AND_CHANGED = {
    "memory": "add_fact edit_fact skill move_drawer change_place delete_wing delete_room delete_closet"
    " note settings consent",
    "forget": "preview",
    "chat": "new edit rename delete wrong agent new_agent delete_agent models import exports demo",
    "webhooks": "webhooks remove_webhook",
    "accounts": "account tokens revoke_token",
}
CHANGED = {
    "memory": "pin sensitive secrets annotate delete_drawer delete_selected undo end_fact delete_fact approve"
    " reject keep_both merge reconsider decide use_again hide_value show_value own_words use_words"
    " erase_words publish_skill reject_skill reconsider_skill use_skill_text dismiss_insight restore_insight"
    " rename_entity retype_entity name_entity unname_entity detail_entity merge_entity split_entity preview"
    " drop_plan apply_plan retry discard reextract mine_now resume use_zone reset_setting answer_ending",
    "forget": "erase",
    "chat": "send show stop retry pin title undelete close switches presence remember_now try_again"
    " undo_mining restore fits always right forget make_default restore_agent choose_models test_endpoint"
    " remove_endpoint import_memories import_choose import_begin import_cancel restore_export transfer_begin"
    " transfer_delete demo_leave demo_remove",
    "webhooks": "try_webhook",
    "accounts": "choose_look disconnect end_session",
}
ALLOWED = {
    f"{area}:{name}": methods
    for methods, listed in (({"GET"}, READ), ({"GET", "POST"}, READ_AND_CHANGED), ({"POST"}, CHANGED))
    for area, names in listed.items()
    for name in names.split()
}
"""The methods of each URL; GET includes HEAD."""

OPEN = {"chat:demo_leave"}
"""URLs open to visitors: they only change the session."""

HIDDEN = {"chat:new", "chat:stream", "chat:fetch_export", "chat:trace", "chat:reply_of"}
SHOWN = [
    name
    for name, methods in ALLOWED.items()
    if "GET" in methods and name not in HIDDEN and not name.startswith("accounts:")
]
"""URLs of pages and fragments that `objects` has something for."""

FRAGMENTS = {"wing_list", "waiting_drawers", "setting_example", "points"}
WORDS_OF_ALICE = ("starter", "in Porto", "Bakery", "Jonas", "I bake.", "Slowly")


def names_in(area):
    """The URL names of an area with their parameters."""
    found = get_resolver(URLS[area]).reverse_dict
    return {f"{area}:{name}": found[name][0][0][1] for name in found if isinstance(name, str)}


PARAMETERS = {name: parameters for area in URLS for name, parameters in names_in(area).items()}
WITH_IDS = [name for name, parameters in PARAMETERS.items() if set(parameters) - {"day", "name"}]
PAGES = [
    name
    for name, methods in ALLOWED.items()
    if "GET" in methods and name.startswith("memory:") and not PARAMETERS[name]
    if name.partition(":")[2] not in FRAGMENTS
]


@pytest.fixture
def objects(as_alice, uploads, embedder):
    """Ids of Alice's objects of every kind, by area and URL parameter."""
    return objects_of(as_alice)


def objects_of(owner):
    """The same of any user, who is the tenant."""
    ids = furnish(owner).ids
    drawer = Drawer.objects.get(id=ids["drawer_id"])
    receipt = requests.forget(owner.id, ForgetRequest("drawer", drawer_beside(ids)), NOW)
    webhook = Webhook.objects.create(user_id=owner.id, url="https://example.org/hook", events=[], salt="1")
    ids |= {
        "wing": drawer.pointer_wing,
        "room": drawer.pointer_room,
        "drawer": drawer.pointer_drawer,
        "number": 1,
        "sequence": 1,
        "scope": "room",
        "place_id": drawer.room_id,
        "words_id": ids["text_id"],
        "name_id": ids["alias_id"],
        "batch_id": ids["change_id"],
        "change_id": ids["run_change_id"],
        "receipt_id": receipt.id,
        "transfer_id": ids["export_id"],
        "webhook_id": webhook.id,
        "client_id": "none",
        "session_id": 1,
        "day": drawer.said_at.date(),
        "name": "auto_mine",
    }
    return dict.fromkeys(URLS, ids) | {"chat": ids | {"run_id": ids["import_id"]}}


def drawer_beside(ids):
    """A drawer that no other id refers to."""
    return Drawer.objects.get(closet_id=ids["other_closet_id"]).id


def address(name, objects):
    ids = objects[name.partition(":")[0]]
    return reverse(name, kwargs={key: ids[key] for key in PARAMETERS[name]})


def unknown_address(name, objects):
    """The same URL with unknown ids."""
    ids = objects[name.partition(":")[0]]
    missing = {key: uuid4() if isinstance(ids[key], UUID) else 999 for key in PARAMETERS[name]}
    return reverse(name, kwargs=missing | ({"scope": "room"} if "scope" in missing else {}))


def digests_of(user):
    """A digest of the rows of a user in each table."""
    selects = [
        f"SELECT '{name}', md5(string_agg(kept::text, '' ORDER BY kept::text)) FROM {name} kept"
        " WHERE user_id = %s"
        for name in (model._meta.db_table for model in OWNED)
    ]
    with tenant(user.id), connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(selects), [user.id] * len(selects))
        return cursor.fetchall()


def plain(html):
    """A page without the parts that differ between requests."""
    return re.sub(r'X-CSRFToken": "\w+"|value="\w{64}"|/(memory|chat|accounts)/[^"]*', "", html.decode())


def test_every_url_refuses_visitors_other_methods_and_posts_without_a_token(
    alice_client, alice, objects, subtests
):
    assert set(ALLOWED) == set(PARAMETERS)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(reverse("usersessions_list")).status_code == 403
    for name, allowed in ALLOWED.items():
        url = address(name, objects)
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE"):
            with subtests.test(name, method=method):
                answer = Client().generic(method, url)
                if answer.status_code != 405 or (method in allowed and name not in OPEN):
                    assert answer.status_code == 302
                    assert answer["Location"].startswith(reverse("account_login")) or name in OPEN
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - allowed:
            with subtests.test(name, method=method):
                assert alice_client.generic(method, url).status_code == 405
        with subtests.test(name):
            assert "POST" not in allowed or strict.post(url).status_code == 403


def test_foreign_ids_look_like_unknown_ones_and_change_nothing(bob_client, as_alice, objects, subtests):
    given = {"source_kind": "conversation", "source_id": uuid4(), "state": MiningProgress.State.DISCARDED}
    progress = MiningProgress.objects.create(user_id=as_alice.id, **given)
    before = digests_of(as_alice)
    written = {"on": "1", "annotation": "x", "content": "x"}
    for name, method in ((each, method) for each in WITH_IDS for method in ALLOWED[each]):
        with subtests.test(name, method=method):
            foreign, unknown = address(name, objects), unknown_address(name, objects)
            answers = [
                getattr(bob_client, method.lower())(url, written, headers=headers)
                for url, headers in ((foreign, {}), (foreign, HTMX), (unknown, {}))
            ]
            assert {each.status_code for each in answers} == {404}
            assert len({plain(each.content) for each in answers}) == 1
    undoable = ("batch_id", "change_id", "deletion_id", "decision_id", "edit_id", "chat_edit_id", "event_id")
    ids = [objects["memory"][name] for name in (*undoable, "run_id", "settings_event_id", "receipt_id")]
    for each in (*ids, progress.id):
        assert bob_client.post(reverse("memory:undo", args=[each])).status_code == 404, each
    assert digests_of(as_alice) == before


def test_forged_cursors_and_unknown_messages_and_changes_are_not_found(alice_client, objects):
    lists = "palace trash facts review activity changes consolidation profile wing_list"
    for name in lists.split():
        assert alice_client.get(reverse(f"memory:{name}"), {"after": "no"}).status_code == 404
    assert alice_client.get(reverse("memory:graph"), {"view": "table", "after": "no"}).status_code == 404
    ids = objects["chat"]
    for name in ("message", "edit", "trace", "show", "retry", "undo_mining", "restore"):
        last = uuid4() if name in ("undo_mining", "restore") else 99
        url = reverse(f"chat:{name}", args=(ids["conversation_id"], last))
        send = alice_client.get if "GET" in ALLOWED[f"chat:{name}"] else alice_client.post
        assert send(url).status_code == 404, name


def test_every_page_is_valid_empty_and_full_without_data_of_others(
    alice_client, bob_client, objects, subtests
):
    shown = set()
    for name in PAGES:
        with subtests.test(name):
            mine, theirs = (check_page(client.get(reverse(name))) for client in (alice_client, bob_client))
            shown |= {words for words in WORDS_OF_ALICE if words in mine}
            assert [words for words in WORDS_OF_ALICE if words in theirs] == []
    assert shown == set(WORDS_OF_ALICE)
    for name in WITH_IDS:
        if "GET" in ALLOWED[name] and name.startswith(("memory:", "forget:")):
            with subtests.test(name):
                answer = alice_client.get(address(name, objects))
                if name == "memory:pointer":
                    assert answer.status_code == 302
                else:
                    (check_fragment if name.endswith(("_list", "_preview")) else check_page)(answer)
