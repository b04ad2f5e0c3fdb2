from hypothesis import given
from hypothesis import strategies as st

from tests.transfer.importing.exports import loaded
from transfer.importing.threads import (
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
def valid_trees(draw):
    """Trees with consistent links, in arbitrary order."""
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
def arbitrary_links(draw):
    """Links as in damaged files: cycles, unknown keys, contradictions."""
    link = st.builds(Node, st.none() | KEYS, children=st.lists(KEYS, max_size=5).map(tuple))
    return draw(st.dictionaries(KEYS, link, max_size=12))


@given(arbitrary_links())
def test_every_node_appears_once_after_its_parent(links):
    parents = linearise(links)
    assert sorted(parents) == sorted(links)
    earlier = set()
    for key, parent in parents.items():
        if parent is not None:
            assert parent in earlier
            assert links[key].parent == parent or key in links[parent].children
        earlier.add(key)


@given(valid_trees())
def test_valid_tree_keeps_its_shape_in_any_order(links):
    parents = linearise(links)
    assert parents == {key: link.parent for key, link in links.items()}
    position = {key: index for index, key in enumerate(parents)}
    for link in links.values():
        assert [position[child] for child in link.children] == sorted(
            position[child] for child in link.children
        )


def test_damaged_links_are_repaired():
    assert list(linearise(BRANCHES)) == ["top", "first", "deep", "second"]
    claimed = linearise({"a": Node(None, children=("b",)), "b": Node(None)})
    assert claimed == {"a": None, "b": "a"}, "claimed by the list of children alone"
    assert list(linearise({"a": Node("gone", children=("lost",)), "b": Node("a")})) == ["a", "b"]
    assert sorted(linearise({"a": Node("b"), "b": Node("a"), "self": Node("self")})) == ["a", "b", "self"]


def test_long_chat_does_not_exceed_the_recursion_limit():
    size = 100_000
    links = {str(n): Node(str(n - 1) if n else None, children=(str(n + 1),)) for n in range(size - 1)}
    links[str(size - 1)] = Node(str(size - 2))
    assert list(linearise(links)) == [str(n) for n in range(size)]


def said(words, **changes):
    return (MessagePart("user", words, **changes),)


def test_instructions_do_not_replace_a_message_of_that_id():
    nodes = {"instructions": Node(None, said("One."))}
    assert below_instructions("Be brief.", nodes) is nodes
    assert below_instructions(" ", {}) == {}


def test_missing_and_duplicate_ids_are_generated():
    items = [{"id": "a"}, {"id": "a"}, {}, 5]
    assert [key for key, _ in with_keys(loaded(items), "id")] == ["a", "a#2", "message#3", "message#4"]
