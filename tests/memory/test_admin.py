from decimal import Decimal
from uuid import uuid4

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import NoReverseMatch, reverse

from accounts.models import User
from accounts.owned import Owned
from accounts.tenancy import operator, tenant
from memory.models import Drawer, EmbeddingSpace, MemoryPreferences, MiningProgress, Palace, Usage
from memory.models.vectors import ChunkVector
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import Spot, file, learn, relate

SECRET = "unmistakable-lighthouse"


@pytest.fixture
def alices_palace(as_alice: User, embedder: FakeEmbedder) -> Drawer:
    spot = Spot(wing=f"{SECRET} w", room=f"{SECRET} r", closet=f"{SECRET} c")
    drawer = file(as_alice.id, [f"My {SECRET} is blue."], spot)[0]
    learn(drawer, SECRET, f"Has a {SECRET}.")
    relate(drawer, f"{SECRET} a", "near", f"{SECRET} b")
    return drawer


def job(user: User, state: str) -> MiningProgress:
    with tenant(user.id):
        return MiningProgress.objects.create(
            user_id=user.id,
            source_kind="conversation",
            source_id=uuid4(),
            state=state,
            attempts=4,
            error="ModelTimeout",
        )


def states(*jobs: MiningProgress) -> list[str]:
    with operator():
        return [MiningProgress.objects.get(id=each.id).state for each in jobs]


def test_no_table_with_words_is_registered():
    holding_words = [
        model
        for model in apps.get_models()
        if issubclass(model, (Owned, ChunkVector, Palace, MemoryPreferences))
        or model._meta.db_table == "memory_lexeme"
    ]
    assert holding_words
    assert not set(holding_words) & set(admin.site._registry)
    with pytest.raises(NoReverseMatch):
        reverse("admin:memory_drawer_changelist")


def test_staff_see_none_of_alices_words(carol_client, alice_client, alices_palace, alice):
    job(alice, MiningProgress.State.DEAD)
    for model, _ in admin.site._registry.items():
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        response = carol_client.get(reverse(f"{base}_changelist"))
        assert response.status_code == 200
        assert SECRET not in response.content.decode()
        assert alice_client.get(reverse(f"{base}_changelist")).status_code in (302, 404)
        with operator():
            found = model._default_manager.first()
        if found is not None:
            page = carol_client.get(reverse(f"{base}_change", args=[found.pk]), follow=True)
            assert SECRET not in page.content.decode()
    url = reverse("memory:drawer", args=[alices_palace.id])
    assert carol_client.get(url).status_code == 404
    assert SECRET not in carol_client.get(reverse("memory:palace")).content.decode()


def test_operators_see_jobs_and_can_only_retry_or_discard_dead_ones(carol_client, alice, bob):
    jobs = retried, discarded, ready = job(alice, "dead"), job(bob, "dead"), job(alice, "ready")
    base = "admin:memory_miningprogress"
    url = reverse(f"{base}_changelist")
    html = carol_client.get(url).content.decode()
    for words in (alice.email, bob.email, "ModelTimeout", *(str(each.source_id) for each in jobs)):
        assert words in html
    assert carol_client.get(reverse(f"{base}_add")).status_code == 403
    assert carol_client.post(reverse(f"{base}_delete", args=[retried.id])).status_code == 403
    change = reverse(f"{base}_change", args=[retried.id])
    assert carol_client.post(change, {"state": "ready"}).status_code == 403
    assert states(retried) == ["dead"]

    carol_client.post(url, {"action": "retry", "_selected_action": [str(retried.id)]})
    both = [str(discarded.id), str(ready.id)]
    carol_client.post(url, {"action": "discard", "_selected_action": both})
    assert states(*jobs) == ["ready", "discarded", "ready"]
    with operator():
        assert MiningProgress.objects.get(id=retried.id).attempts == 0
        assert MiningProgress.objects.get(id=discarded.id).user_id == bob.id


def test_usage_is_summed_over_what_is_chosen(carol_client: Client, alice: User, bob: User):
    for user, source, tokens in ((alice, "chat", 1000), (bob, "memory_embed", 234)):
        with tenant(user.id):
            Usage.objects.create(
                user_id=user.id, source=source, model="m", input_tokens=tokens, cost_usd=Decimal("0.5")
            )
    url = reverse("admin:memory_usage_changelist")

    every = carol_client.get(url).content.decode()
    chosen = carol_client.get(url, {"source__exact": "chat"}).content.decode()

    assert "1,234 tokens in" in every
    assert "1.0000 USD" in every
    assert "1,000 tokens in" in chosen


def test_embedding_models_are_read_only(carol_client: Client, alices_palace: Drawer):
    space = EmbeddingSpace.objects.get()
    base = "admin:memory_embeddingspace"

    html = carol_client.get(reverse(f"{base}_changelist")).content.decode()

    assert space.name in html
    assert carol_client.post(reverse(f"{base}_delete", args=[space.pk])).status_code == 403
