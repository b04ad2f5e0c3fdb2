import pytest

from accounts.models import User
from accounts.tenancy import tenant
from memory.forgetting.trash import delete
from memory.models import Drawer
from memory.organize.notes import Note, NoteRefused, save_note
from memory.usage.quota import limit_of, quota_of
from tests.drills.ledger import NOW

pytestmark = pytest.mark.usefixtures("embedder")


def allow(user, drawers):
    User.objects.filter(id=user.id).update(drawer_quota=drawers)


def note(user, words="A note."):
    return save_note(user.id, Note(words), NOW)


def test_a_full_palace_refuses_a_note_until_a_drawer_is_deleted(as_alice, bob):
    allow(as_alice, 2)
    note(as_alice, "One.")
    assert not quota_of(as_alice.id).is_full
    drawer = note(as_alice, "Two.")
    with pytest.raises(NoteRefused, match="it holds 2 of 2 drawers"):
        note(as_alice, "Three.")
    assert Drawer.objects.count() == 2
    with tenant(bob.id):
        note(bob)
        quota = quota_of(bob.id)
        assert (quota.limit, quota.is_full, quota.words) == (None, False, "")
    delete(as_alice.id, "drawer", drawer.id, NOW)
    assert quota_of(as_alice.id).kept == 1
    note(as_alice, "Another.")


@pytest.mark.parametrize(
    ("own", "site", "limit"), [(None, 7, 7), (3, 7, 3), (9, 7, 9), (0, 7, 0), (4, None, 4)]
)
def test_a_persons_own_number_comes_before_the_sites(as_alice, settings, own, site, limit):
    settings.DRAWER_QUOTA = site
    allow(as_alice, own)
    assert limit_of(as_alice.id) == limit
