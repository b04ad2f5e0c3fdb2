from hypothesis import given
from hypothesis import strategies as st

from transfer.importing.threads import CIRCLE, MISSING_PARENT, MISSING_REPLY, Node, Order, linearise

KEYS = st.integers(0, 12).map(str)


def keys_of(order: Order) -> list[str]:
    return [placed.key for placed in order.nodes]


@st.composite
def sound_trees(draw):
    """Trees whose every link is right, listed in an arbitrary order."""
    size = draw(st.integers(1, 40))
    parents = {str(n): str(draw(st.integers(0, n - 1))) for n in range(1, size)}
    links = {
        str(n): Node(
            parents.get(str(n)), children=tuple(child for child, up in parents.items() if up == str(n))
        )
        for n in range(size)
    }
    return {key: links[key] for key in draw(st.permutations(sorted(links)))}


@st.composite
def wild_links(draw):
    """Anything a damaged file may say: circles, strangers, contradictions."""
    link = st.builds(Node, st.none() | KEYS, children=st.lists(KEYS, max_size=5).map(tuple))
    return draw(st.dictionaries(KEYS, link, max_size=12))


@given(wild_links())
def test_every_node_comes_once_and_after_its_parent(links):
    order = linearise(links)
    assert sorted(keys_of(order)) == sorted(links)
    earlier = set()
    for placed in order.nodes:
        assert placed.parent is None or placed.parent in earlier
        earlier.add(placed.key)


@given(wild_links())
def test_a_parent_is_never_invented(links):
    for placed in linearise(links).nodes:
        if placed.parent is not None:
            named = links[placed.key].parent == placed.parent
            assert named or placed.key in links[placed.parent].children


@given(sound_trees())
def test_a_sound_tree_keeps_its_shape_in_any_file_order(links):
    order = linearise(links)
    assert {placed.key: placed.parent for placed in order.nodes} == {
        key: link.parent for key, link in links.items()
    }
    assert order.repairs == ()
    position = {key: index for index, key in enumerate(keys_of(order))}
    for link in links.values():
        assert [position[child] for child in link.children] == sorted(
            position[child] for child in link.children
        )


def test_a_branch_is_finished_before_the_next_begins():
    links = {
        "second": Node("top"),
        "first": Node("top", children=("deep",)),
        "top": Node(None, children=("first", "second")),
        "deep": Node("first"),
    }
    assert keys_of(linearise(links)) == ["top", "first", "deep", "second"]


def test_a_node_claimed_by_children_lists_alone_finds_its_parent():
    order = linearise({"a": Node(None, children=("b",)), "b": Node(None)})
    assert order.nodes[1].parent == "a"
    assert order.repairs == ()


def test_missing_neighbours_are_told():
    order = linearise({"a": Node("gone", children=("lost",)), "b": Node("a")})
    assert keys_of(order) == ["a", "b"]
    assert sorted(order.repairs) == sorted([MISSING_PARENT, MISSING_REPLY])


def test_circles_are_opened_and_told():
    order = linearise({"a": Node("b"), "b": Node("a"), "self": Node("self")})
    assert sorted(keys_of(order)) == ["a", "b", "self"]
    assert order.repairs == (CIRCLE,)


def test_a_very_long_chat_needs_no_deep_stack():
    size = 100_000
    links = {str(n): Node(str(n - 1) if n else None, children=(str(n + 1),)) for n in range(size - 1)}
    links[str(size - 1)] = Node(str(size - 2))
    assert keys_of(linearise(links)) == [str(n) for n in range(size)]
