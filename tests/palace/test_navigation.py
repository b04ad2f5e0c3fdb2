from collections import Counter

from django.urls import get_resolver

from palace.navigation import DESTINATIONS, destinations, key_groups


def test_pages_below_destinations_exist_and_have_one_parent():
    owned = Counter(view for each in DESTINATIONS for view in (each.view, *each.owns))
    assert [view for view, times in owned.items() if times > 1] == []
    names = set()
    for space in ("memory", "chat", "accounts", "webhooks", "forget"):
        resolver = get_resolver().namespace_dict[space][1]
        names |= {f"{space}:{name}" for name in resolver.reverse_dict if isinstance(name, str)}
    assert {view for view in owned if ":" in view} - names == set()


def test_no_two_keys_are_the_same():
    strokes = Counter(key.strokes for group in key_groups() for key in group.keys)
    assert max(strokes.values()) == 1
    assert {f"g {to.key}" for to in destinations() if to.key} <= set(strokes)
