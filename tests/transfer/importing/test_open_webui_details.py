import time

from transfer.importing.open_webui import told
from transfer.importing.threads import Piece

SPEAKER = Piece("assistant", model="m")


def pieces(text):
    found = [piece for piece in told(text, SPEAKER) if piece.says_something]
    return [(piece.role, piece.tool_name, piece.content) for piece in found]


def test_plain_text_is_left_as_it_is():
    assert pieces(" a <details><summary>x</summary>b</details>\n") == [
        ("assistant", "", " a <details><summary>x</summary>b</details>\n")
    ]


def test_thoughts_are_unfolded():
    text = (
        '<details type="reasoning" done="true" duration="4">\n<summary>Thought for 4 seconds'
        "</summary>\n&gt; look at 1 &lt; 2\n&gt; again\n</details>\nNo. 229."
    )
    assert pieces(text) == [
        ("system", "reasoning", "look at 1 < 2\nagain"),
        ("assistant", "", "No. 229."),
    ]


def test_calls_of_tools_are_unfolded_with_arguments_and_result():
    text = (
        'First. <details type="tool_calls" done="true" id="call_1" name="search" '
        'arguments="&quot;{\\&quot;q\\&quot;: \\&quot;é\\&quot;}&quot;" '
        'result="&quot;found&quot;">\n<summary>Tool Executed</summary>\n</details>Then.'
    )
    first, call, result, then = told(text, SPEAKER)
    assert (first.content, then.content) == ("First.", "Then.")
    assert (call.tool_name, call.tool_arguments, call.call_id) == ("search", '{"q": "é"}', "call_1")
    assert (result.role, result.content, result.call_id) == ("tool", "found", "call_1")


def test_code_that_was_run_is_a_call():
    text = '<details type="code_interpreter" done="true" output="2">\nprint(1 + 1)\n</details>'
    _, call, result, _ = told(text, SPEAKER)
    assert (call.tool_name, call.tool_arguments) == ("code_interpreter", "print(1 + 1)")
    assert result.content == "2"


def test_folds_that_are_never_closed_are_text_and_cost_no_time():
    text = '<details type="reasoning">' * 50_000
    started = time.process_time()
    assert pieces(text) == [("assistant", "", text)]
    assert time.process_time() - started < 2
