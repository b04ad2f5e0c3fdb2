from hypothesis import given
from hypothesis import strategies as st

from tests.transfer.importing.exports import loaded
from transfer.importing.threads import (
    CYCLE,
    MISSING_PARENT,
    MISSING_REPLY,
    MessagePart,
    Node,
    below_instructions,
    linearise,
    with_keys,
)

BRANCHES = {
    "second": Node("top"),
    "first": Node("top", children=("deep",)),
    "top": Node(None, children=("first", "second")),
    "deep": Node("first"),
}
KEYS = st.integers(0, 12).map(str)


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
def test_every_node_comes_once_and_after_a_parent_that_the_file_names(links):
    parents, _ = linearise(links)
    assert sorted(parents) == sorted(links)
    earlier = set()
    for key, parent in parents.items():
        if parent is not None:
            assert parent in earlier
            assert links[key].parent == parent or key in links[parent].children
        earlier.add(key)


@given(sound_trees())
def test_a_sound_tree_keeps_its_shape_in_any_file_order(links):
    parents, repairs = linearise(links)
    assert parents == {key: link.parent for key, link in links.items()}
    assert repairs == ()
    position = {key: index for index, key in enumerate(parents)}
    for link in links.values():
        assert [position[child] for child in link.children] == sorted(
            position[child] for child in link.children
        )


def test_damaged_links_are_mended_and_reported():
    assert list(linearise(BRANCHES)[0]) == ["top", "first", "deep", "second"]
    claimed = linearise({"a": Node(None, children=("b",)), "b": Node(None)})
    assert claimed == ({"a": None, "b": "a"}, ()), "claimed by the list of children alone"
    parents, repairs = linearise({"a": Node("gone", children=("lost",)), "b": Node("a")})
    assert list(parents) == ["a", "b"]
    assert sorted(repairs) == sorted([MISSING_PARENT, MISSING_REPLY])
    parents, repairs = linearise({"a": Node("b"), "b": Node("a"), "self": Node("self")})
    assert sorted(parents) == ["a", "b", "self"]
    assert repairs == (CYCLE,)


def test_a_very_long_chat_needs_no_deep_stack():
    size = 100_000
    links = {str(n): Node(str(n - 1) if n else None, children=(str(n + 1),)) for n in range(size - 1)}
    links[str(size - 1)] = Node(str(size - 2))
    assert list(linearise(links)[0]) == [str(n) for n in range(size)]


def said(words, **changes):
    return (MessagePart("user", words, **changes),)


def test_instructions_never_take_the_place_of_a_message():
    nodes = {"instructions": Node(None, said("One."))}
    assert below_instructions("Be brief.", nodes) is nodes
    assert below_instructions(" ", {}) == {}


def test_ids_that_are_missing_or_taken_are_made_up():
    items = [{"id": "a"}, {"id": "a"}, {}, 5]
    assert [key for key, _ in with_keys(loaded(items), "id")] == ["a", "a#2", "message#3", "message#4"]
