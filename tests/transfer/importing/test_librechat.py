from tests.transfer.importing.exports import only_in, turns_of

TOP = "00000000-0000-0000-0000-000000000000"


def message(key, parent, words, **changes):
    given = {"messageId": key, "parentMessageId": parent, "text": words, "isCreatedByUser": False}
    return {**given, "createdAt": "2024-05-01T16:35:11.530Z", **changes}


def export(*messages, **changes):
    return {"conversationId": "l-1", "title": "Venv", "messages": list(messages), **changes}


def parents(chat):
    return {each.external_id: each.parent_external_id for each in chat.messages}


def test_list_and_tree_exports_give_the_same_messages():
    u1 = message("u1", TOP, "How?", isCreatedByUser=True)
    replies = [message("a1", "u1", "So.", model="gpt"), message("a2", "u1", "Or so.", model="gpt")]
    flat = only_in(export(5, u1, *replies, message("a2", "gone", "Again.")))
    tree = only_in(export({**u1, "children": replies}, recursive=True))
    assert flat.messages[:3] == tree.messages
    assert parents(tree) == {"u1": None, "a1": "u1", "a2": "u1"}
    assert [(each.role, each.model) for each in tree.messages] == [
        ("user", ""), ("assistant", "gpt"), ("assistant", "gpt"),
    ]  # fmt: skip
    assert [each.content for each in flat.messages][3:] == ["Again."], "damage does not affect others"
    assert len(flat.repairs) == 1
    u1 = message("u1", None, "How?", children=[message("a1", None, "So.")])
    assert parents(only_in({**export(), "messagesTree": [u1]})) == {"u1": None, "a1": "u1"}


def test_replies_nested_thousands_of_levels_deep_are_read():
    text = '{"conversationId": "l", "messages": [' + "".join(
        f'{{"messageId": "m{n}", "text": "words {n}", "children": [' for n in range(3000)
    )
    found = only_in((text + "]}" * 3000 + "]}").encode())
    assert len(found.messages) == 3000
    last = found.messages[-1]
    assert (last.parent_external_id, last.content) == ("m2998", "words 2999")


def test_parts_of_a_reply_are_separated():
    call = {"id": "c", "name": "search", "args": '{"q": 1}', "output": "found"}
    function = {"id": "f", "type": "function", "function": {"name": "f", "arguments": "{}", "output": "1"}}
    parts = [
        {"type": "think", "think": "Hm."},
        {"type": "text", "text": {"value": "I look."}},
        {"type": "tool_call", "tool_call": call},
        {"type": "tool_call", "tool_call": function},
        {"type": "text", "text": "Here."},
        {"type": "image_file"},
        {"type": "error", "error": "Too long"},
    ]
    found = only_in(export(message("a", TOP, "", content=parts)))
    assert turns_of(found) == [
        ("system", "think", "Hm."),
        ("assistant", "", "I look."),
        ("assistant", "search", ""),
        ("tool", "search", "found"),
        ("assistant", "f", ""),
        ("tool", "f", "1"),
        ("assistant", "", "Here.\n[image]"),
        ("system", "error", "Too long"),
    ]
    assert found.messages[2].tool_arguments == '{"q": 1}'
    assert [each.call_id for each in found.messages[2:6]] == ["c", "c", "f", "f"]


def test_instructions_errors_and_files_are_separated():
    file = {"filename": "a.pdf", "type": "application/pdf", "text": "Words of a.pdf"}
    found = export(
        message("u", TOP, "See.", isCreatedByUser=True, files=[file]),
        message("a", "u", "rate limit", error=True),
        options={"promptPrefix": "You are an engineer.", "model": "gpt-4"},
    )
    assert turns_of(only_in(found)) == [
        ("system", "instructions", "You are an engineer."),
        ("user", "", "See.\n[file: a.pdf]"),
        ("tool", "attachment", "Words of a.pdf"),
        ("system", "error", "rate limit"),
    ]
