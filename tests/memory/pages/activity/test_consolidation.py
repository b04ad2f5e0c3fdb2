from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from memory.consolidation import journal
from memory.consolidation.application import consolidate
from memory.models import ChangeSet, ConsolidationRun, Drawer, Fact
from tests.html import check_page, parse
from tests.memory.consolidation.facts import add
from tests.memory.page_sizes import shorten


@pytest.fixture
def repeated(bread: list[Drawer]) -> list[Drawer]:
    add(bread[0], "Likes <tea>.")
    add(bread[1], "likes the <tea>")
    return bread


def actions(html: str) -> list[str]:
    return [e.attributes["action"] for e in parse(html).elements if "action" in e.attributes]


def digest(html: str) -> str:
    return next(e.attributes["value"] for e in parse(html).elements if e.attributes.get("name") == "digest")


def plan_page(client: Client) -> str:
    return check_page(client.post(reverse("memory:preview"), follow=True))


def test_it_shows_what_would_change_does_it_and_takes_it_back(alice_client: Client, repeated: list[Drawer]):
    assert "Look at what would change" in check_page(alice_client.get(reverse("memory:consolidation")))
    html = plan_page(alice_client)
    assert "1 fact takes in others that say the same" in html
    assert "Likes &lt;tea&gt;." in html
    assert "likes the &lt;tea&gt;" in html
    assert Fact.objects.filter(status="active").count() == 3

    run = ConsolidationRun.objects.get()
    url = reverse("memory:apply_plan", args=[run.id])
    done = check_page(alice_client.post(url, {"digest": digest(html)}, follow=True))
    assert Fact.objects.filter(status="active").count() == 2

    undo = reverse("memory:undo_run", args=[run.id])
    assert undo in actions(done)
    back = check_page(alice_client.post(undo, follow=True))
    assert Fact.objects.filter(status="active").count() == 3
    assert undo not in actions(back)
    assert "taken back" in back


def test_a_second_click_shows_what_the_first_one_did(
    alice_client: Client, bob_client: Client, repeated: list[Drawer]
):
    shown = {"digest": digest(plan_page(alice_client))}
    run = ConsolidationRun.objects.get()
    url = reverse("memory:apply_plan", args=[run.id])
    first = alice_client.post(url, shown)
    second = alice_client.post(url, shown)
    assert second.url == first.url == reverse("memory:consolidation_run", args=[run.id])
    assert Fact.objects.filter(status="active").count() == 2
    assert alice_client.post(url, {"digest": "0" * 64}).status_code == 404
    assert bob_client.post(url, shown).status_code == 404

    alice_client.post(reverse("memory:undo_run", args=[run.id]))
    assert alice_client.post(url, shown).status_code == 404
    assert Fact.objects.filter(status="active").count() == 3


def test_one_change_is_taken_back(alice_client: Client, repeated: list[Drawer], alice: User):
    run = consolidate(alice.id, timezone.now())
    change = ChangeSet.objects.get(area="consolidation")
    url = reverse("memory:undo_change", args=[run.id, change.id])
    page = check_page(alice_client.get(reverse("memory:consolidation_run", args=[run.id])))
    assert url in actions(page)
    check_page(alice_client.post(url, follow=True))
    assert Fact.objects.filter(status="active").count() == 3
    assert alice_client.post(url).status_code == 404


def test_facts_that_changed_since_are_planned_anew(alice_client: Client, repeated: list[Drawer]):
    html = plan_page(alice_client)
    add(repeated[2], "Likes milk.")
    old = ConsolidationRun.objects.get()
    url = reverse("memory:apply_plan", args=[old.id])
    again = check_page(alice_client.post(url, {"digest": digest(html)}, follow=True))

    assert "Facts have changed since, so nothing was done." in again
    assert Fact.objects.filter(status="active").count() == 4
    assert ConsolidationRun.objects.get().id != old.id


def test_a_plan_can_be_left(alice_client: Client, repeated: list[Drawer]):
    plan_page(alice_client)
    html = check_page(alice_client.post(reverse("memory:drop_plan"), follow=True))
    assert "Everything stays as it is." in html
    assert not ConsolidationRun.objects.exists()


def test_a_tidy_memory_says_so(alice_client: Client, bread: list[Drawer]):
    assert "there is nothing to do" in plan_page(alice_client)
    assert not ConsolidationRun.objects.exists()


def test_words_that_were_deleted_are_told_by_nobody(
    alice_client: Client, repeated: list[Drawer], alice: User
):
    run = consolidate(alice.id, timezone.now())
    for drawer in repeated[:2]:
        alice_client.post(reverse("memory:delete_drawer", args=[drawer.id]))
    html = check_page(alice_client.get(reverse("memory:consolidation_run", args=[run.id])))
    assert "tea" not in html


def test_many_changes_come_in_pages_with_few_queries(
    alice_client: Client,
    bread: list[Drawer],
    alice: User,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
):
    shorten(monkeypatch, journal.lines, 3)
    for number in range(7):
        add(bread[0], f"Likes {number} teas.")
        add(bread[1], f"likes {number} teas")
    run = consolidate(alice.id, timezone.now())
    url = reverse("memory:consolidation_run", args=[run.id])
    seen, query, pages = [], "", 0
    while True:
        pages += 1
        with django_assert_max_num_queries(16):
            html = check_page(alice_client.get(url + query))
        seen += [number for number in range(7) if f"Likes {number} teas" in html]
        more = [e for e in parse(html).elements if e.attributes.get("rel") == "next"]
        if not more:
            break
        query = more[0].attributes["href"]
    assert sorted(seen) == list(range(7))
    assert pages == 3


def test_older_runs_come_in_pages(
    alice_client: Client, bread: list[Drawer], alice: User, monkeypatch: pytest.MonkeyPatch
):
    shorten(monkeypatch, journal.done, 2)
    for number in range(3):
        add(bread[0], f"Likes {number} teas.")
        add(bread[1], f"likes {number} teas")
        consolidate(alice.id, timezone.now() + timedelta(seconds=number))
    first = check_page(alice_client.get(reverse("memory:consolidation")))
    (more,) = [e for e in parse(first).elements if e.attributes.get("rel") == "next"]
    second = check_page(alice_client.get(reverse("memory:consolidation") + more.attributes["href"]))
    for run in ConsolidationRun.objects.all():
        url = reverse("memory:consolidation_run", args=[run.id])
        assert (url in first) != (url in second)


def test_anothers_runs_do_not_exist(bob_client: Client, repeated: list[Drawer], alice: User):
    run = consolidate(alice.id, timezone.now())
    change = ChangeSet.objects.get(area="consolidation")
    assert bob_client.get(reverse("memory:consolidation_run", args=[run.id])).status_code == 404
    for name, ids in (
        ("apply_plan", [run.id]),
        ("undo_run", [run.id]),
        ("undo_change", [run.id, change.id]),
    ):
        url = reverse(f"memory:{name}", args=ids)
        assert bob_client.post(url, {"digest": run.digest}).status_code == 404
        assert bob_client.get(url).status_code == 405


def test_it_needs_a_sign_in(client: Client, db: None):
    for name in ("consolidation", "preview"):
        url = reverse(f"memory:{name}")
        response = client.get(url) if name == "consolidation" else client.post(url)
        assert response.status_code == 302
        assert "sign-in" in response["Location"]


def test_the_page_is_read_only(alice_client: Client):
    assert alice_client.post(reverse("memory:consolidation")).status_code == 405
    assert alice_client.get(reverse("memory:preview")).status_code == 405
    assert alice_client.get(reverse("memory:drop_plan")).status_code == 405


def test_an_archived_fact_says_so_and_is_taken_back_into_use(
    alice_client: Client, bread: list[Drawer], alice: User
):
    add(bread[0], "Liked ships.")
    run = consolidate(alice.id, timezone.now() + timedelta(days=3000))
    assert run.counts["archived"] >= 1
    made = Fact.objects.get(statement="Liked ships.")
    url = reverse("memory:use_again", args=[made.id])
    html = check_page(alice_client.get(reverse("memory:facts")))
    assert "in the archive" in html
    assert url in actions(html)

    assert url not in actions(check_page(alice_client.post(url, follow=True)))
    made.refresh_from_db()
    assert made.archived_at is None
    assert alice_client.post(url).status_code == 404
