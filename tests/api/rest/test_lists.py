"""Lists without pages have any number of items."""

import pytest

from accounts.tenancy import tenant
from tests.memory.palaces import file, relate

FRIENDS = ("Jonas", "Mara", "Tom")


@pytest.mark.parametrize("count", range(4))
def test_lists_of_an_entity_have_any_number_of_items(alice_api, alice, count):
    with tenant(alice.id):
        drawers = file(alice.id, ["I know Ines.", *(f"Ines and {name} are friends." for name in FRIENDS)])
        ines = relate(drawers[0], "", "knows", "Ines").object_id
        for drawer, name in list(zip(drawers[1:], FRIENDS, strict=True))[:count]:
            relate(drawer, "Ines", "friend_of", name)
    for address in ("timeline", "neighbours"):
        answer = alice_api.get(f"/api/v1/entities/{ines}/{address}")
        assert answer.status_code == 200, answer.content
        assert len(answer.json()) == count + 1
