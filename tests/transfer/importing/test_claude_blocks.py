from transfer.importing.claude import Speaker, pieces_of, result_text

USER = Speaker("user")


def told(content):
    return [(piece.role, piece.tool_name, piece.content) for piece in pieces_of(content, USER)]


def test_texts_side_by_side_are_one():
    assert told([{"type": "text", "text": "A"}, "B", {"type": "image"}]) == [("user", "", "A\nB\n[image]")]


def test_a_document_brings_its_text():
    document = {"type": "document", "title": "a.txt", "source": {"type": "text", "data": "Words."}}
    assert told([document]) == [("user", "", "[file: a.txt]\nWords.")]


def test_results_are_text_whatever_they_are_made_of():
    assert result_text("plain") == "plain"
    assert result_text([{"type": "text", "text": "a"}, {"type": "image"}, "b"]) == "a\n[image]\nb"
    assert result_text({"type": "error", "error_code": 5}) == '{"type":"error","error_code":5}'
    assert result_text(None) == ""


def test_calls_keep_their_arguments_as_they_are():
    [call] = pieces_of({"type": "server_tool_use", "id": "i", "name": "n", "input": {}}, USER)
    assert (call.role, call.tool_name, call.tool_arguments, call.call_id) == (
        "assistant", "n", "{}", "i",
    )  # fmt: skip
    [call] = pieces_of({"type": "tool_use", "input": "raw"}, USER)
    assert (call.tool_name, call.tool_arguments) == ("tool", "raw")


def test_what_nobody_said_is_told_apart_by_the_speaker():
    speaker = Speaker("user", read=lambda text: None if text == "Hi." else pieces_of("x", USER)[0])
    assert [piece.content for piece in pieces_of(["Hi.", "<odd>"], speaker)] == ["Hi.\nx"]


def test_odd_blocks_say_nothing():
    assert told([None, 5, {}, {"type": "redacted_thinking", "data": "x"}]) == []
