from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from memory.consolidation.application import consolidate
from memory.models import ChangeSet, ConsolidationRun, Fact
from tests.html import check_page
from tests.memory.consolidation.facts import add
from tests.memory.pages.forms import actions, page, value_of


@pytest.fixture
def repeated(bread):
    add(bread[0], "Likes <tea>.")
    add(bread[1], "likes the <tea>")
    return bread


def plan_page(client):
    return check_page(client.post(reverse("memory:preview"), follow=True))


def active():
    return Fact.objects.filter(status="active").count()


def test_a_plan_is_shown_applied_once_and_undone(alice_client, bob_client, repeated):
    assert "Preview consolidation" in page(alice_client, "consolidation")
    html = plan_page(alice_client)
    assert "1 fact merged with its duplicates" in html
    assert "Likes &lt;tea&gt;." in html
    assert "likes the &lt;tea&gt;" in html
    assert active() == 3

    run = ConsolidationRun.objects.get()
    url = reverse("memory:apply_plan", args=[run.id])
    shown = {"digest": value_of(html, "digest")}
    assert bob_client.post(url, shown).status_code == 404
    done = check_page(alice_client.post(url, shown, follow=True))
    assert active() == 2
    assert alice_client.post(url, shown).url == reverse("memory:consolidation_run", args=[run.id])
    assert alice_client.post(url, {"digest": "0" * 64}).status_code == 404
    assert active() == 2

    undo = reverse("memory:undo", args=[run.id])
    assert undo in actions(done)
    change = ChangeSet.objects.get(area="consolidation")
    assert reverse("memory:undo", args=[change.id]) in actions(done)
    back = check_page(alice_client.post(undo, follow=True))
    assert active() == 3
    assert undo not in actions(back)
    assert "undone" in back
    assert alice_client.post(url, shown).status_code == 404
    assert active() == 3


def test_a_new_plan_is_made_if_facts_changed_since_the_preview(alice_client, repeated):
    html = plan_page(alice_client)
    add(repeated[2], "Likes milk.")
    old = ConsolidationRun.objects.get()
    url = reverse("memory:apply_plan", args=[old.id])
    again = check_page(alice_client.post(url, {"digest": value_of(html, "digest")}, follow=True))
    assert "Facts have changed since, so nothing was applied." in again
    assert active() == 4
    assert ConsolidationRun.objects.get().id != old.id


def test_a_plan_can_be_discarded_and_is_not_made_without_changes(alice_client, repeated):
    plan_page(alice_client)
    html = check_page(alice_client.post(reverse("memory:drop_plan"), follow=True))
    assert "The plan was discarded." in html
    Fact.objects.filter(statement__contains="tea").delete()
    assert "There is nothing to consolidate" in plan_page(alice_client)
    assert not ConsolidationRun.objects.exists()


def test_deleted_words_are_not_shown_by_an_old_run(alice_client, repeated, alice):
    run = consolidate(alice.id, timezone.now())
    assert "tea" in page(alice_client, "consolidation_run", run.id)
    for drawer in repeated[:2]:
        alice_client.post(reverse("memory:delete_drawer", args=[drawer.id]))
    assert "tea" not in page(alice_client, "consolidation_run", run.id)


def test_an_archived_fact_is_labelled_and_can_be_used_again(alice_client, bread, alice):
    add(bread[0], "Liked ships.")
    run = consolidate(alice.id, timezone.now() + timedelta(days=3000))
    assert run.counts["archived"] >= 1
    made = Fact.objects.get(statement="Liked ships.")
    url = reverse("memory:use_again", args=[made.id])
    assert "archived" in page(alice_client, "facts")
    assert url in actions(page(alice_client, "fact", made.id))
    assert url not in actions(check_page(alice_client.post(url, follow=True)))
    made.refresh_from_db()
    assert made.archived_at is None
    assert alice_client.post(url).status_code == 404
