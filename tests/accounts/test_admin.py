"""What staff see and change in the admin: accounts, jobs and figures, but no user's words."""

import re
from itertools import product
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from allauth.idp.oidc.models import Client as App
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, Permission
from django.core import mail
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from accounts.demo import create_demo
from accounts.models import ApiToken, User
from accounts.owned import Operational, Owned
from accounts.tenancy import operator, tenant
from accounts.tokens import issue_token
from chat.models import Agent, Conversation, Generation, Message
from memory.models import (
    ActivityEvent,
    MemoryPreferences,
    MiningProgress,
    Palace,
)
from memory.models.vectors import ChunkVector
from tests.accounts.conftest import sign_in
from tests.conftest import create_user
from tests.conftest import signed_in as signed_in_browser
from tests.memory.palaces import Spot, file, learn, relate
from transfer.models import ImportRun, RefusedEntry

pytestmark = pytest.mark.django_db
TOKENS = "/admin/accounts/apitoken/"
USERS = "/admin/accounts/user/"
GROUPS = "/admin/auth/group/"
APPS = "/admin/allauth_idp_oidc/client/"


def token_of(user, name="Laptop"):
    with tenant(user.id):
        issue_token(user.id, name, timezone.now())
        return ApiToken.objects.get()


def act(browser, address, action, *rows):
    """Apply an action of the list to rows."""
    chosen = {"action": action, "_selected_action": [str(row.pk) for row in rows], "post": "yes"}
    return browser.post(address, chosen, follow=True)


@pytest.fixture
def clerk(db):
    """A member of staff with every permission who is not a superuser."""
    clerk = create_user("clerk", is_staff=True)
    with operator():
        clerk.user_permissions.set(Permission.objects.all())
    return clerk


@pytest.fixture
def clerk_client(clerk):
    return signed_in_browser(clerk)


def test_only_staff_see_the_admin_and_nobody_deletes_users_or_sees_demos(
    client, alice_client, carol_client, alice
):
    for browser in (client, alice_client):
        assert browser.get(USERS).status_code == 302
    assert b"Palace administration" in carol_client.get("/admin/").content
    act(carol_client, USERS, "delete_selected", alice)
    assert User.objects.filter(pk=alice.pk).exists()
    demo, _ = create_demo(alice, "Demo", timezone.now())
    assert demo.email not in carol_client.get(USERS).content.decode()
    assert carol_client.get(f"{USERS}{demo.pk}/change/").status_code == 302


def test_staff_add_users_who_set_their_password_by_email_and_change_quotas(clerk_client, alice, sends_mail):
    assert b'type="password"' not in clerk_client.get(f"{USERS}add/").content
    given = {"email": "Dan@Example.org", "usable_password": "true", "is_staff": "on", "is_superuser": "on"}
    given |= {"password": "x", "password1": "a phrase to keep", "password2": "a phrase to keep"}
    assert clerk_client.post(f"{USERS}add/", given).status_code == 302
    dan = User.objects.get(email="dan@example.org")
    assert (dan.has_usable_password(), dan.is_staff, dan.is_superuser) == (False, False, False)
    assert b"already exists" in clerk_client.post(f"{USERS}add/", given).content
    Client().post("/accounts/password/forgotten/", {"email": dan.email})
    link = re.search(r"http://testserver(\S+)", str(mail.outbox[0].body))
    browser = Client()
    form = browser.get(link[1], follow=True).request["PATH_INFO"]
    browser.post(form, {"password1": "alice-password-1", "password2": "alice-password-1"})
    assert sign_in(dan.email).get("/accounts/").status_code == 200
    assert b"alice@example.org" in clerk_client.get(USERS, {"q": "alice"}).content
    page = f"{USERS}{alice.pk}/change/"
    assert b'name="drawer_quota"' in clerk_client.get(page).content
    assert clerk_client.post(page, {"is_active": "on", "drawer_quota": "5000"}).status_code == 302
    assert User.objects.get(pk=alice.pk).drawer_quota == 5000


def test_accounts_are_listed_with_their_drawers_and_quota_and_new_staff_read_what_they_lack(
    carol_client, alice, embedder, settings
):
    with tenant(alice.id):
        file(alice.id, ["The boat leaks.", "And the mast?"])
    with operator():
        User.objects.filter(pk=alice.pk).update(drawer_quota=4321)
    settings.DRAWER_QUOTA = 8765
    html = carol_client.get(USERS).content.decode()
    assert re.findall(r'field-drawers">(.*?)<.*?field-drawer_limit">(.*?)<', html) == [
        ("2", "4321"),
        ("0", "8765"),
    ]
    dan = signed_in_browser(create_user("dan", is_staff=True))
    assert b"A superuser can put you into a group" in dan.get("/admin/").content
    assert b"A superuser can put you into a group" not in carol_client.get("/admin/").content


def test_admin_cannot_set_passwords_or_change_addresses(carol_client, carol, alice, signed_in):
    page = f"{USERS}{alice.pk}/change/"
    html = carol_client.get(page).content.decode()
    assert "alice@example.org" in html
    assert 'name="email"' not in html
    assert "password/" not in html.replace("password_change/", "")
    new = {"password1": "a phrase to keep", "password2": "a phrase to keep"}
    forged = new | {"password": make_password("a phrase to keep"), "usable_password": "true"}
    forged |= {"email": "mallory@example.org", "name": "Mallory", "is_active": "on", "set-password": "x"}
    for address in (page, f"{USERS}{alice.pk}/password/", f"{USERS}{alice.pk}/password/change/"):
        carol_client.post(address, forged, follow=True)
    with pytest.raises(NoReverseMatch):
        reverse("admin:auth_user_password_change", args=[alice.pk])
    after = User.objects.get(pk=alice.pk)
    assert (after.email, after.name, after.password) == (alice.email, "Alice", alice.password)
    assert list(EmailAddress.objects.values_list("email", flat=True)) == ["alice@example.org"]
    assert signed_in.get("/accounts/").status_code == 200
    given = {"old_password": "carol-password-1", "new_password1": "a phrase", "new_password2": "a phrase"}
    for send in (carol_client.get, carol_client.post):
        assert send("/admin/password_change/", given).headers["Location"] == "/accounts/password/"
    carol.refresh_from_db()
    assert carol.check_password("carol-password-1")


def test_only_superusers_change_rights(clerk_client, carol_client, clerk, alice):
    with operator():
        group = Group.objects.create(name="Helpers")
    rights = {"is_staff": "on", "is_superuser": "on", "groups": [group.pk]}
    rights |= {"user_permissions": [Permission.objects.all()[0].pk]}
    permissions = Permission.objects.count()
    for user in (alice, clerk):
        page = f"{USERS}{user.pk}/change/"
        assert 'name="is_s' not in clerk_client.get(page).content.decode()
        assert clerk_client.post(page, {"is_active": "on", "drawer_quota": "7"} | rights).status_code == 302
        after = User.objects.get(pk=user.pk)
        assert (after.drawer_quota, after.is_staff, after.is_superuser) == (7, user.is_staff, False)
        with tenant(user.pk):
            assert not after.groups.exists()
            assert after.user_permissions.count() == (permissions if user == clerk else 0)
    for address in (f"{GROUPS}add/", f"{GROUPS}{group.pk}/change/", f"{GROUPS}{group.pk}/delete/"):
        assert clerk_client.post(address, {"name": "Mine", "post": "yes"}).status_code == 403
    assert clerk_client.get(GROUPS).status_code == 200
    carol_client.post(f"{USERS}{alice.pk}/change/", {"is_active": "on"} | rights)
    carol_client.post(f"{GROUPS}{group.pk}/change/", {"name": "Renamed"})
    after = User.objects.get(pk=alice.pk)
    assert (after.is_staff, after.is_superuser) == (True, True)
    with tenant(alice.pk):
        assert [each.name for each in after.groups.all()] == ["Renamed"]
        assert not after.user_permissions.exists()


@pytest.mark.parametrize("action", ["remove_second_factors", "close_accounts"])
def test_actions_on_accounts_need_permission_and_those_on_superusers_a_superuser(
    clerk, carol_client, carol, alice, action
):
    for user in (alice, carol):
        Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={})
    page = f"{USERS}{carol.pk}/change/"
    chosen = {"action": action, "_selected_action": [str(alice.pk), str(carol.pk)], "sure": "yes"}
    for codename, left in (("view_user", {alice.pk, carol.pk}), ("", {carol.pk})):
        with operator():
            clerk.user_permissions.set(Permission.objects.filter(codename__contains=codename))
        clerk_client = signed_in_browser(clerk)
        clerk_client.post(USERS, chosen)
        with operator():
            assert {each.user_id for each in Authenticator.objects.all()} == left
    assert 'name="is_active"' not in clerk_client.get(page).content.decode()
    assert clerk_client.post(page, {"drawer_quota": "7"}).status_code == 403
    after = User.objects.get(pk=carol.pk)
    assert (after.is_active, after.drawer_quota) == (True, carol.drawer_quota)
    assert carol_client.post(page, {"is_active": "on", "drawer_quota": "7"}).status_code == 302
    assert User.objects.get(pk=carol.pk).drawer_quota == 7


def test_apps_are_read_only_and_can_be_removed(carol_client, alice_client):
    app = App.objects.create(name="Vane", redirect_uris="https://app.example/callback", scopes="read")
    page = f"{APPS}{app.pk}/change/"
    html = carol_client.get(page).content.decode()
    assert "https://app.example/callback" in html
    assert app.secret not in html
    forged = {"name": "Vane", "redirect_uris": "https://evil.example/", "skip_consent": "on"}
    assert carol_client.post(page, forged).status_code == 403
    kept = App.objects.get()
    assert (kept.redirect_uris, kept.skip_consent) == ("https://app.example/callback", False)
    assert carol_client.post(f"{APPS}{app.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not App.objects.exists()


def test_staff_revoke_tokens_only_with_permission_and_not_those_of_superusers(
    clerk, clerk_client, carol, alice
):
    token, hers = token_of(alice), token_of(carol)
    for address in (TOKENS, f"{TOKENS}{token.pk}/change/"):
        html = clerk_client.get(address).content.decode()
        assert str(token.pk) in html
        assert "Laptop" not in html
        assert token.digest not in html
    for permission, revoked in (("view_apitoken", set()), ("_apitoken", {token.pk})):
        with operator():
            clerk.user_permissions.set(Permission.objects.filter(codename__endswith=permission))
        answer = act(clerk_client, TOKENS, "revoke", token, hers)
        assert (b"Revoked 1 token." in answer.content) is bool(revoked)
        with operator():
            found = ApiToken.objects.exclude(revoked_at=None)
            assert set(found.values_list("pk", flat=True)) == revoked
    with tenant(alice.id):
        assert ActivityEvent.objects.latest("id").details == {"change": "revoked", "name": "Laptop"}


SECRET = "unmistakable-lighthouse"


@pytest.fixture
def palace_with_secret(as_alice, embedder):
    spot = Spot(wing=f"{SECRET} w", room=f"{SECRET} r", closet=f"{SECRET} c")
    drawer = file(as_alice.id, [f"My {SECRET} is blue."], spot)[0]
    learn(drawer, SECRET, f"Has a {SECRET}.")
    relate(drawer, f"{SECRET} a", "near", f"{SECRET} b")
    return drawer


def job(user, state):
    with tenant(user.id):
        given = {"source_kind": "conversation", "source_id": uuid4(), "attempts": 4, "error": "ModelTimeout"}
        return MiningProgress.objects.create(user_id=user.id, state=state, **given)


def states(*jobs):
    with operator():
        return [MiningProgress.objects.get(id=each.id).state for each in jobs]


def test_no_table_with_user_text_is_registered():
    with_words = [
        model
        for model in apps.get_models()
        if issubclass(model, (Owned, ChunkVector, Palace, MemoryPreferences))
        or model._meta.db_table == "memory_lexeme"
    ]
    assert with_words
    assert issubclass(Agent, Operational)
    with_words += [Agent, Conversation, Message, Generation, RefusedEntry]
    assert not set(with_words) & set(admin.site._registry)
    with pytest.raises(NoReverseMatch):
        reverse("admin:memory_drawer_changelist")


def test_staff_who_may_change_jobs_can_only_retry_or_discard_dead_letters(alice, bob):
    jobs = retried, discarded, ready = job(alice, "dead"), job(bob, "dead"), job(alice, "ready")
    dan = create_user("dan", is_staff=True)
    url = reverse("admin:memory_miningprogress_changelist")
    for codename, after in (("view", ["dead", "dead", "ready"]), ("change", ["ready", "discarded", "ready"])):
        with operator():
            dan.user_permissions.add(Permission.objects.get(codename=f"{codename}_miningprogress"))
        browser = signed_in_browser(User.objects.get(id=dan.id))
        html = browser.get(url).content.decode()
        for words in (alice.email, bob.email, "ModelTimeout", *(str(each.source_id) for each in jobs)):
            assert words in html
        act(browser, url, "retry", retried)
        act(browser, url, "discard", discarded, ready)
        assert states(*jobs) == after
    with operator():
        assert MiningProgress.objects.get(id=retried.id).attempts == 0
        assert MiningProgress.objects.get(id=discarded.id).user_id == bob.id


ENDINGS = (
    "", "__exact", "__iexact", "__startswith", "__istartswith", "__endswith", "__contains", "__icontains",
    "__regex", "__iregex", "__gt", "__gte", "__lt", "__lte", "__in", "__range", "__isnull", "__length",
)  # fmt: skip
# Columns with the kind, state or model of a row; any other could contain words or secrets.
FILTERED = {
    "allauth_idp_oidc.Client": {"type", "skip_consent", "allow_uri_wildcards"},
    "memory.MiningProgress": {"state", "error"},
    "memory.Usage": {"source", "estimated", "model", "at"},
    "accounts.User": {"is_staff", "is_active"},
    "transfer.ImportRun": {"state", "format"},
    "transfer.Transfer": {"direction", "state"},
}
ALLOWED_TEXT = {
    ("accounts.User", "email"), ("accounts.User", "name"), ("allauth_idp_oidc.Client", "name"),
    ("allauth_idp_oidc.Client", "id"), ("auth.Group", "name"), ("memory.EmbeddingSpace", "name"),
    ("memory.EmbeddingSpace", "version"), ("accounts.ApiToken", "scopes"),
}  # fmt: skip


EDITED = {"accounts.User", "auth.Group"}
DELETED = {"allauth_idp_oidc.Client", "auth.Group", "transfer.ImportRun", "transfer.Transfer"}


def registered():
    for model, model_admin in admin.site._registry.items():
        yield model._meta.label, model, model_admin


def paths(model, depth=2):
    """Every field of a model and of related models."""
    for field in model._meta.get_fields():
        name = field.name
        if name.endswith("+"):
            continue
        yield name
        if field.is_relation and field.related_model is not None and depth > 1:
            yield from (f"{name}__{rest}" for rest in paths(field.related_model, depth - 1))


def test_lookups_cannot_be_used_to_guess_values():
    checked, allowed = 0, set()
    for label, model, model_admin in registered():
        for path, ending in product(paths(model), ENDINGS):
            checked += 1
            if model_admin.lookup_allowed(path + ending, "a", None):
                allowed.add((label, path, ending))
    assert checked > 5_000
    unexpected = {each for each in allowed if each[1] not in FILTERED.get(each[0], ()) and not is_id(*each)}
    assert unexpected == set()
    assert {ending for _, _, ending in allowed} <= {"", "__exact", "__isnull", "__gte", "__lt"}


def test_lists_sort_and_search_only_columns_without_user_text():
    for label, model, model_admin in registered():
        searched = {name.lstrip("^=@") for name in model_admin.search_fields}
        filtered = {name for name in model_admin.list_filter if isinstance(name, str)}
        assert not model_admin.autocomplete_fields
        for name in {*map(str, model_admin.list_display), *searched, *filtered}:
            assert is_harmless(label, model, name), (label, name)


def is_id(label, path, ending):
    field = apps.get_model(label)._meta.get_field(path) if "__" not in path else None
    return isinstance(field, models.UUIDField) and ending == ""


def is_harmless(label, model, name):
    if name in {"user__email", "user"} or name in FILTERED.get(label, ()) or (label, name) in ALLOWED_TEXT:
        return True
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        return True  # computed: cannot be searched; other tests check the page
    return bool(field.choices) or not isinstance(
        field, (models.TextField, models.JSONField, models.CharField)
    )


def test_no_page_or_search_of_the_admin_reveals_words(carol_client, alice_client, palace_with_secret, alice):
    job(alice, MiningProgress.State.DEAD)
    token = token_of(alice, SECRET)
    Agent.objects.create(user_id=alice.id, name=SECRET, instructions=SECRET)
    ImportRun.objects.create(user_id=alice.id, format="chatgpt", messages=12)
    everywhere = ({}, {"q": "lighthouse"}, {"o": "1.-2.3"}, {"_facets": "True"}, {"o": "99"}, {"all": ""})
    for label, model, _ in registered():
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        address = reverse(f"{base}_changelist")
        assert alice_client.get(address).status_code in (302, 404)
        for name in [field.name for field in model._meta.concrete_fields][-2:]:
            refused = carol_client.get(address, {f"{name}__startswith": "a"})
            assert refused.status_code in {302, 400}, (label, name)  # 302: the lookup is dropped
        shown = [carol_client.get(address, query) for query in everywhere]
        assert {page.status_code for page in shown} == {200}, label
        with operator():
            found = model._default_manager.first()
        if label not in EDITED:
            assert carol_client.post(reverse(f"{base}_add")).status_code == 403
        if found is not None:
            page = reverse(f"{base}_change", args=[found.pk])
            shown.append(carol_client.get(page, follow=True))
            assert label in EDITED or carol_client.post(page).status_code == 403
            assert label in DELETED or carol_client.post(page.replace("change", "delete")).status_code == 403
        assert not any(SECRET in page.content.decode() for page in shown), label
    tokens = reverse("admin:accounts_apitoken_changelist")
    for query in (SECRET[:5], token.digest[:9]):
        assert str(token.id) not in carol_client.get(tokens, {"q": query}).content.decode()
    history = carol_client.get(reverse("admin:accounts_apitoken_history", args=[token.id]))
    assert SECRET not in history.content.decode()
    query = {"app_label": "accounts", "model_name": "apitoken", "field_name": "user", "term": "lighthouse"}
    assert carol_client.get(reverse("admin:autocomplete"), query).json()["results"] == []
    assert carol_client.get(reverse("memory:drawer", args=[palace_with_secret.id])).status_code == 404
    assert SECRET not in carol_client.get(reverse("memory:palace")).content.decode()


def test_lists_link_and_filter(carol_client, alice):
    usage, users = reverse("admin:memory_usage_changelist"), reverse("admin:accounts_user_changelist")
    assert reverse("admin:memory_usage_month") in carol_client.get(usage).content.decode()
    for query in ({"at__year": "2026", "at__month": "1"}, {"model": "m"}, {"source__exact": "chat"}):
        assert carol_client.get(usage, query).status_code == 200
    staff = carol_client.get(users, {"is_staff__exact": "1"}).content.decode()
    assert "carol@example.org" in staff
    assert "alice@example.org" not in staff
