import pytest

from accounts.models import User
from accounts.tenancy import tenant
from memory.pages.palace.queries import find_named
from tests.memory.palaces import Spot, file

pytestmark = pytest.mark.django_db


def test_own_wings_and_rooms_are_found_by_every_word_of_their_name(as_alice: User, bob: User):
    file(as_alice.id, ["Bread rises."], Spot(wing="Sour Dough", room="Сало и хлеб"))
    assert [wing.name for wing in find_named(as_alice.id, "dough sour", 5).wings] == ["Sour Dough"]
    assert [room.title for room in find_named(as_alice.id, "хлеб", 5).rooms] == ["Сало и хлеб"]
    for words in ("dough rye", "  "):
        assert find_named(as_alice.id, words, 5).wings == ()
    with tenant(bob.id):
        assert find_named(bob.id, "dough", 5).wings == ()
