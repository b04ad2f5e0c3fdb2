import pytest

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.forgetting.trash import delete
from memory.models import Drawer
from memory.organize.notes import Note, NoteRefused, save_note
from memory.usage.quota import limit_of, quota_of
from tests.drills.ledger import NOW


@pytest.fixture(autouse=True)
def embedder():
    with current.using(embedder=FakeEmbedder()):
        yield


def allow(user, drawers):
    User.objects.filter(id=user.id).update(drawer_quota=drawers)


def note(user, words="A note."):
    return save_note(user.id, Note(words), NOW)


def test_without_a_quota_nothing_is_ever_full(as_alice):
    note(as_alice)
    quota = quota_of(as_alice.id)
    assert (quota.limit, quota.is_full, quota.words) == (None, False, "")


@pytest.mark.parametrize(
    ("own", "site", "limit"), [(None, 7, 7), (3, 7, 3), (9, 7, 9), (0, 7, 0), (4, None, 4)]
)
def test_a_persons_own_number_comes_before_the_sites(as_alice, settings, own, site, limit):
    settings.DRAWER_QUOTA = site
    allow(as_alice, own)
    assert limit_of(as_alice.id) == limit


def test_a_full_palace_refuses_a_note_and_says_what_to_do(as_alice):
    allow(as_alice, 2)
    note(as_alice, "One.")
    assert not quota_of(as_alice.id).is_full
    note(as_alice, "Two.")
    with pytest.raises(NoteRefused, match="it holds 2 of 2 drawers"):
        note(as_alice, "Three.")
    assert Drawer.objects.count() == 2


def test_a_drawer_in_the_trash_makes_room(as_alice):
    allow(as_alice, 1)
    drawer = note(as_alice)
    delete(as_alice.id, "drawer", drawer.id, NOW)
    assert quota_of(as_alice.id).kept == 0
    note(as_alice, "Another.")


def test_quotas_are_each_persons_own(alice, bob):
    allow(alice, 1)
    for user in (alice, bob):
        with tenant(user.id):
            note(user)
    with tenant(alice.id):
        assert quota_of(alice.id).is_full
    with tenant(bob.id):
        assert not quota_of(bob.id).is_full
