"""The front door, and the answers to watchers."""

import json
from collections.abc import Iterator

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.models import User
from accounts.signing import agree
from llm import current
from llm.configuration import LlmConfiguration
from palace import health
from palace.queue import Depth

TOKEN = "0123456789abcdef"


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    health.model_parts.cache_clear()
    yield
    health.model_parts.cache_clear()


def states(client: Client) -> dict[str, str]:
    answer = client.get("/readyz", headers={"accept": "application/json"})
    return {part["name"]: part["state"] for part in json.loads(answer.content)["parts"]}


@pytest.mark.django_db
def test_the_very_first_visitor_is_asked_to_sign_up(client: Client) -> None:
    answer = client.get("/")
    assert answer.headers["Location"] == reverse("accounts:sign_up")


def test_later_visitors_are_asked_to_sign_in(client: Client, alice: User) -> None:
    answer = client.get("/")
    assert answer.headers["Location"] == reverse("accounts:sign_in")


def test_who_is_signed_in_agrees_and_then_goes_on_to_the_chats(
    alice_client: Client, alice: User
) -> None:
    User.objects.filter(pk=alice.pk).update(agreed_at=None)
    assert alice_client.get("/").headers["Location"] == reverse("memory:consent")
    agree(alice.id, timezone.now())
    assert alice_client.get("/").headers["Location"] == reverse("chat:chat")


def test_the_front_door_takes_no_posts(alice_client: Client) -> None:
    assert alice_client.post("/").status_code == 405


def test_healthz_asks_nothing(
    client: Client, alice_client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        for each in (client, alice_client):
            answer = each.get("/healthz")
            assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.django_db
def test_readyz_names_every_part_in_words(client: Client) -> None:
    answer = client.get("/readyz", headers={"accept": "application/json"})
    assert answer.status_code == 200
    told = json.loads(answer.content)
    assert told["ready"] is True
    assert [part["name"] for part in told["parts"]] == ["database", "broker", "embedder", "llm"]
    assert all(part["words"].endswith(".") for part in told["parts"])
    assert {part["state"] for part in told["parts"]} <= {"up", "degraded", "down"}


@pytest.mark.django_db
def test_readyz_is_a_page_for_browsers(client: Client) -> None:
    answer = client.get("/readyz", headers={"accept": "text/html"})
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "Palace is ready" in answer.content.decode()
    assert "Not configured" in answer.content.decode()


@pytest.mark.django_db
def test_no_model_is_degraded_and_an_unreachable_one_is_down(client: Client) -> None:
    before = current.configuration()
    assert states(client)["llm"] == "degraded"
    health.model_parts.cache_clear()
    current.configure(LlmConfiguration(base_url="http://127.0.0.1:9/v1", connect_timeout_s=0.5))
    try:
        assert states(client)["llm"] == "down"
        assert client.get("/readyz").status_code == 200
    finally:
        current.configure(before)


def test_without_its_database_palace_is_not_ready(
    alice_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def cursor(self) -> None:
            raise OperationalError("my sister is called Zoé")

    monkeypatch.setattr(health, "connection", Away())
    answer = alice_client.get("/readyz", headers={"accept": "application/json"})
    assert answer.status_code == 503
    assert json.loads(answer.content)["ready"] is False
    assert "sister" not in answer.content.decode()
    page = alice_client.get("/readyz", headers={"accept": "text/html"})
    assert page.status_code == 503
    assert "Palace is not ready" in page.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("found", "state"), [(None, "down"), (Depth(3, 0), "up"), (Depth(0, 2), "degraded")]
)
def test_the_queue_in_words(
    client: Client, monkeypatch: pytest.MonkeyPatch, found: Depth | None, state: str
) -> None:
    monkeypatch.setattr(health, "depth", lambda: found)
    assert states(client)["broker"] == state
    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
def test_models_are_asked_once_in_a_while_only(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def look() -> health.Part:
        asked.append(1)
        return health.Part("llm", "up", "It answers.")

    monkeypatch.setattr(health, "_language_model", look)
    for _ in range(20):
        client.get("/readyz")
    assert len(asked) <= 3


def test_metrics_are_for_staff(client: Client, alice_client: Client, carol_client: Client) -> None:
    assert client.get("/metrics").status_code == 403
    assert alice_client.get("/metrics").status_code == 403
    assert carol_client.get("/metrics").status_code == 200


def test_metrics_are_for_whoever_has_the_token(
    client: Client, db: None, settings: Settings
) -> None:
    assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 403
    settings.METRICS_TOKEN = TOKEN
    for refused in ("", "Bearer", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x"):
        assert client.get("/metrics", headers={"authorization": refused}).status_code == 403
    answer = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain")


def test_metrics_count_requests_by_route_and_never_by_person(
    alice_client: Client, carol_client: Client, alice: User
) -> None:
    alice_client.get("/healthz")
    alice_client.get(f"/nowhere/{alice.id}/my-sister")
    alice_client.generic("BREW", "/healthz")
    text = carol_client.get("/metrics").content.decode()
    assert 'palace_requests_total{method="GET",route="healthz",status="200"}' in text
    assert 'route="unknown"' in text
    assert 'method="other"' in text
    assert 'palace_jobs{state="waiting"}' in text
    for secret in (str(alice.id), alice.email, "my-sister", "BREW"):
        assert secret not in text


def test_every_answer_carries_the_id_of_its_request(client: Client) -> None:
    ids = {client.get("/healthz").headers["X-Request-ID"] for _ in range(2)}
    assert len(ids) == 2
