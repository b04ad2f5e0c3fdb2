"""What staff can ask the administration: nothing beyond what its lists show."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.options import ModelAdmin
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.test import Client
from django.urls import reverse

from accounts.models import ApiToken, User
from accounts.owned import Operational
from accounts.tenancy import tenant

ENDINGS = (
    "", "__exact", "__iexact", "__startswith", "__istartswith", "__endswith", "__contains", "__icontains",
    "__regex", "__iregex", "__gt", "__gte", "__lt", "__lte", "__in", "__range", "__isnull", "__length",
)  # fmt: skip
# Columns that say which kind, state or model a row is of; everything else could hold words or secrets.
FILTERED = {
    "allauth_idp_oidc.Client": {"type", "skip_consent", "allow_uri_wildcards"},
    "memory.MiningProgress": {"state", "error"},
    "memory.Usage": {"source", "estimated", "model", "at"},
    "accounts.User": {"is_staff", "is_active"},
    "transfer.ImportRun": {"state", "format"},
    "transfer.Transfer": {"direction", "state"},
}
SHOWN_WORDS = {
    ("accounts.User", "email"), ("accounts.User", "name"), ("allauth_idp_oidc.Client", "name"),
    ("allauth_idp_oidc.Client", "id"), ("auth.Group", "name"), ("memory.EmbeddingSpace", "name"),
    ("memory.EmbeddingSpace", "version"), ("accounts.ApiToken", "scopes"),
}  # fmt: skip
SAID = "unmistakable-lighthouse"


def registered() -> Iterator[tuple[str, type[models.Model], "ModelAdmin[Any]"]]:
    for model, model_admin in admin.site._registry.items():
        yield model._meta.label, model, model_admin


def paths(model: type[models.Model], depth: int = 2) -> Iterator[str]:
    """Every field of a model and of what it refers to or is referred to by."""
    for field in model._meta.get_fields():
        name = field.name
        if name.endswith("+"):
            continue
        yield name
        if field.is_relation and field.related_model is not None and depth > 1:
            yield from (f"{name}__{rest}" for rest in paths(field.related_model, depth - 1))


def test_no_column_can_be_guessed_letter_by_letter() -> None:
    checked, allowed = 0, set()
    for label, model, model_admin in registered():
        for path in paths(model):
            for ending in ENDINGS:
                checked += 1
                if model_admin.lookup_allowed(path + ending, "a", None):
                    allowed.add((label, path, ending))
    assert checked > 5_000
    unexpected = {each for each in allowed if each[1] not in FILTERED.get(each[0], ()) and not is_id(*each)}
    assert unexpected == set()
    assert {ending for _, _, ending in allowed} <= {"", "__exact", "__isnull", "__gte", "__lt"}


def test_lists_searches_and_orders_use_columns_without_words() -> None:
    """A list is sorted by what it shows, so what it shows decides."""
    for label, model, model_admin in registered():
        searched = {name.lstrip("^=@") for name in model_admin.search_fields}
        filtered = {name for name in model_admin.list_filter if isinstance(name, str)}
        assert not model_admin.autocomplete_fields
        for name in {*map(str, model_admin.list_display), *searched, *filtered}:
            assert is_harmless(label, model, name), (label, name)


def is_id(label: str, path: str, ending: str) -> bool:
    field = apps.get_model(label)._meta.get_field(path) if "__" not in path else None
    return isinstance(field, models.UUIDField) and ending == ""


def is_harmless(label: str, model: type[models.Model], name: str) -> bool:
    if name in {"user__email", "user"} or name in FILTERED.get(label, ()) or (label, name) in SHOWN_WORDS:
        return True
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        return True  # computed: cannot be searched, and is checked by what the page shows
    return bool(field.choices) or not isinstance(
        field, (models.TextField, models.JSONField, models.CharField)
    )


def test_staff_get_no_further_by_any_address(carol_client: Client, alice: User) -> None:
    with tenant(alice.id):
        token = ApiToken.objects.create(user_id=alice.id, name=SAID, digest="abc")
        agents = apps.get_model("chat", "Agent")
        agents.objects.create(user_id=alice.id, name=SAID, instructions=SAID)
    for label, model, _ in registered():
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for name in [field.name for field in model._meta.concrete_fields][-2:]:
            refused = carol_client.get(address, {f"{name}__startswith": "a"})
            assert refused.status_code in {302, 400}, (label, name)  # 302: as if nothing was asked
        for asked in ({"q": "lighthouse"}, {"o": "1.-2.3"}, {"_facets": "True"}, {"o": "99"}, {"all": ""}):
            answer = carol_client.get(address, asked)
            assert answer.status_code == 200, (label, asked)
            assert SAID not in answer.content.decode(), (label, asked)
    tokens = reverse("admin:accounts_apitoken_changelist")
    for asked in ({"q": SAID[:5]}, {"q": "abc"}):
        assert str(token.id) not in carol_client.get(tokens, asked).content.decode()
    for page in ("change", "history"):
        html = carol_client.get(reverse(f"admin:accounts_apitoken_{page}", args=[token.id])).content.decode()
        assert SAID not in html
    asked = {"app_label": "accounts", "model_name": "apitoken", "field_name": "user", "term": "lighthouse"}
    assert carol_client.get(reverse("admin:autocomplete"), asked).json()["results"] == []
    assert not admin.site.is_registered(agents)
    assert issubclass(agents, Operational)


def test_the_filters_that_a_list_offers_still_work(carol_client: Client, alice: User) -> None:
    people = reverse("admin:accounts_user_changelist")
    staff = carol_client.get(people, {"is_staff__exact": "1"}).content.decode()
    assert "carol@example.org" in staff
    assert "alice@example.org" not in staff
    usage = reverse("admin:memory_usage_changelist")
    for asked in ({"at__year": "2026", "at__month": "1"}, {"model": "m"}, {"source__exact": "chat"}):
        assert carol_client.get(usage, asked).status_code == 200
