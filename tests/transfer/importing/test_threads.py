"""Trees of messages, even with damaged links."""

from hypothesis import given
from hypothesis import strategies as st

from tests.transfer.importing.exports import loaded
from transfer.importing.threads import MessagePart, Node, below_instructions, linearise, with_keys

KEYS = st.integers(0, 12).map(str)
LINK = st.builds(Node, st.none() | KEYS, children=st.lists(KEYS, max_size=5).map(tuple))


@given(st.dictionaries(KEYS, LINK, max_size=12))
def test_every_node_appears_once_after_its_parent_whatever_the_links(links):
    """Links as in damaged files: cycles, unknown keys, contradictions."""
    parents = linearise(links)
    assert sorted(parents) == sorted(links)
    earlier = set()
    for key, parent in parents.items():
        if parent is not None:
            assert parent in earlier
            assert links[key].parent == parent or key in links[parent].children
        earlier.add(key)


@st.composite
def trees(draw):
    """Trees with consistent links, in arbitrary order."""
    parents: dict[str, str | None] = {"0": None}
    for n in range(1, draw(st.integers(1, 40))):
        parents[str(n)] = str(draw(st.integers(0, n - 1)))
    below = {key: tuple(child for child, up in parents.items() if up == key) for key in parents}
    return {key: Node(parents[key], children=below[key]) for key in draw(st.permutations(sorted(below)))}


@given(trees())
def test_valid_tree_keeps_its_shape_in_any_order(links):
    parents = linearise(links)
    assert parents == {key: link.parent for key, link in links.items()}
    position = {key: index for index, key in enumerate(parents)}
    for link in links.values():
        places = [position[child] for child in link.children]
        assert places == sorted(places)


def test_damaged_links_and_ids_are_repaired():
    claimed = linearise({"a": Node(None, children=("b",)), "b": Node(None)})
    assert claimed == {"a": None, "b": "a"}, "claimed by the list of children alone"
    assert list(linearise({"a": Node("gone", children=("lost",)), "b": Node("a")})) == ["a", "b"]
    items = [{"id": "a"}, {"id": "a"}, {}, 5]
    assert [key for key, _ in with_keys(loaded(items), "id")] == ["a", "a#2", "message#3", "message#4"]
    nodes = {"instructions": Node(None, (MessagePart("user", "One."),))}
    assert below_instructions("Be brief.", nodes) is nodes, "they replace no message of that id"


def test_long_chat_does_not_exceed_the_recursion_limit():
    size = 100_000
    links = {str(n): Node(str(n - 1) if n else None, children=(str(n + 1),)) for n in range(size)}
    assert list(linearise(links)) == [str(n) for n in range(size)]
