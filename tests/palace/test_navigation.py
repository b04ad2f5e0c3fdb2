from collections import Counter

from django.urls import get_resolver, reverse

from palace.destinations import DESTINATIONS
from palace.keys import key_groups
from palace.navigation import destinations, links


def test_every_destination_is_a_page_of_this_site():
    assert [each.view for each in DESTINATIONS if not each.url] == []


def test_pages_that_belong_to_a_destination_exist_and_belong_to_one_only():
    owned = Counter(view for each in DESTINATIONS for view in (each.view, *each.owns))
    assert [view for view, times in owned.items() if times > 1] == []
    names = set()
    for space in ("memory", "chat", "accounts", "webhooks", "forget"):
        resolver = get_resolver().namespace_dict[space][1]
        names |= {f"{space}:{name}" for name in resolver.reverse_dict if isinstance(name, str)}
    assert {view for view in owned if ":" in view} - names == set()


def test_parts_are_shown_where_one_is_inside_only():
    here = {link.destination.view: link for link in links("memory:diary")}
    assert [part.destination.view for part in here["memory:activity"].parts if part.is_here] == [
        "memory:diary"
    ]
    assert not here["memory:activity"].is_here
    assert here["memory:palace"].parts == ()
    assert here["memory:palace"].destination.url == reverse("memory:palace")


def test_forgetting_is_found_beside_the_palace():
    (palace,) = (
        link for link in links("memory:palace") if link.destination.view == "memory:palace"
    )
    assert reverse("forget:wizard") in [part.destination.url for part in palace.parts]


def test_no_two_keys_are_the_same():
    strokes = Counter(key.strokes for group in key_groups() for key in group.keys)
    assert max(strokes.values()) == 1
    assert {f"g {to.key}" for to in destinations() if to.key} <= set(strokes)
