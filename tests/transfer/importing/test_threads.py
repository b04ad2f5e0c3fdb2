from datetime import UTC, datetime

from transfer.importing.threads import (
    Heading,
    Node,
    Piece,
    below_instructions,
    conversation,
    keyed,
    messages_of,
)

MORNING = datetime(2024, 5, 1, 8, tzinfo=UTC)


def said(words, **changes):
    return (Piece("user", words, **changes),)


def test_pieces_follow_each_other_under_ids_that_stay():
    pieces = (Piece("system", " "), Piece("user", "One."), Piece("assistant", tool_arguments="{}"))
    assert [(each.external_id, each.parent_external_id) for each in messages_of("m", "p", pieces)] == [
        ("m/2", "p"), ("m/3", "m/2"),
    ]  # fmt: skip


def test_a_node_without_words_is_passed_over():
    chat = conversation(
        Heading("c"), {"a": Node(None, said("One.")), "b": Node("a"), "d": Node("b", said("Two."))}
    )
    assert [each.parent_external_id for each in chat.messages] == [None, "a"]
    assert chat.empty_messages == 1


def test_it_was_last_open_where_the_export_says_or_else_at_the_newest():
    nodes = {
        "a": Node(None, said("One.")),
        "b": Node("a", said("Two.")),
        "d": Node("a", said("Or.")),
    }
    assert conversation(Heading("c", shown="b"), nodes).current_leaf == "b"
    assert conversation(Heading("c"), nodes).current_leaf == "d"


def test_times_are_handed_down():
    nodes = {"a": Node(None, said("One.", said_at=MORNING)), "b": Node("a", said("Two."))}
    chat = conversation(Heading("c"), nodes)
    assert [each.said_at for each in chat.messages] == [MORNING, MORNING]
    assert chat.created_at == chat.updated_at == MORNING


def test_instructions_never_take_the_place_of_a_message():
    nodes = {"instructions": Node(None, said("One."))}
    assert below_instructions("Be brief.", nodes) is nodes
    assert below_instructions(" ", {}) == {}


def test_ids_that_are_missing_or_taken_are_made_up():
    items = [{"id": "a"}, {"id": "a"}, {}, 5]
    assert [key for key, _ in keyed(items, "id")] == ["a", "a#2", "message#3", "message#4"]
