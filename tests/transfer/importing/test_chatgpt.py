import json
from datetime import UTC, datetime

import pytest

from tests.cases import json_cases
from tests.transfer.importing.exports import FIXTURES, as_file, conversation, loaded, node, said
from transfer.importing import chatgpt
from transfer.importing.chatgpt import content_text
from transfer.importing.reading import read_entries
from transfer.importing.threads import UNKNOWN_AUTHOR, UNREADABLE_MESSAGE, BrokenEntry, ImportedConversation

HOUR = datetime(2025, 4, 18, 12, tzinfo=UTC).timestamp()
HIDDEN = {"metadata": {"is_visually_hidden_from_conversation": True}}


def parse(raw):
    parsed = chatgpt.parse(loaded(raw), {})
    assert isinstance(parsed, ImportedConversation)
    return parsed


def parse_mapping(**mapping):
    return parse(conversation(mapping=mapping))


def fixture(name, number):
    return parse(json.loads((FIXTURES / name).read_text("utf-8"))[number])


@pytest.fixture(scope="module")
def clock():
    """A conversation with every kind of message, as it was imported."""
    return fixture("conversations.json", 0)


@pytest.fixture(scope="module")
def by_id(clock):
    return {message.external_id: message for message in clock.messages}


def test_full_conversation_is_imported_in_order(clock):
    order = (
        "about-me photo thinking crop cropped recap answer first-try cannot second-try regenerated springs "
        "search hits quote failed spoken patchy memory"
    )
    assert " ".join(message.external_id for message in clock.messages) == order
    assert (clock.repairs, clock.current_leaf) == ((), "memory")
    assert (clock.title, clock.project, clock.mine) == ("Anchor escapement", "g-p-67abc", True)
    assert clock.updated_at.timestamp() - clock.created_at.timestamp() == 40.5


def test_variants_share_a_parent_and_empty_messages_are_skipped(clock, by_id):
    above = {key: message.parent_external_id for key, message in by_id.items()}
    assert above["first-try"] == above["second-try"]
    assert above["regenerated"] == above["springs"]
    assert (above["about-me"], above["patchy"]) == (None, "spoken"), "empty messages are skipped"
    assert by_id["patchy"].said_at == by_id["spoken"].said_at
    assert by_id["about-me"].said_at == clock.created_at


def test_every_kind_of_message_has_its_role_and_text(by_id):
    assert [by_id[key].role for key in ("photo", "answer", "cropped")] == ["user", "assistant", "tool"]
    assert by_id["answer"].model == "gpt-5-thinking"
    photo = "[image: anchor wheel.jpg]\nWhich escapement is this?\n[file: repair bill.pdf]"
    assert by_id["photo"].content == photo
    assert by_id["spoken"].content == "How many come in a box?"
    hidden = {key: by_id[key].tool_name for key in ("thinking", "recap", "about-me", "memory")}
    contexts = ("thoughts", "reasoning_recap", "user_editable_context", "model_editable_context")
    assert tuple(hidden.values()) == contexts
    assert [key for key in hidden if not (by_id[key].role == "system" and by_id[key].content)] == []


def test_calls_of_tools_have_their_arguments_and_results(by_id):
    call = by_id["crop"]
    assert (call.role, call.tool_name, call.content) == ("assistant", "python", "")
    assert call.tool_arguments == "photo.crop((0, 0, 5, 5))"
    assert by_id["cropped"].tool_name == "python"
    assert by_id["cropped"].call_id == call.call_id == "crop"
    assert [by_id[key].call_id for key in ("hits", "quote", "failed")] == ["search", "search", ""]


def test_memory_opt_out_is_imported_and_a_custom_gpt_is_not_a_project():
    parsed = fixture("conversations.json", 1)
    assert (parsed.mine, parsed.project) == (False, "")
    assert parsed.title == "Präsent für Öznur 🎁 — 礼物"
    assert parsed.messages[0].content == "Öznur mag Bücher. 她喜欢书。 אני אוהב תה."
    assert parsed.updated_at == datetime(2025, 4, 18, 19, tzinfo=UTC)


def test_message_without_a_time_gets_that_of_the_conversation():
    parsed = parse(conversation(create_time=HOUR))
    assert parsed.messages[0].said_at == parsed.created_at == datetime.fromtimestamp(HOUR, UTC)
    assert parse(conversation()).messages[0].said_at is None


@pytest.mark.parametrize(("current", "leaf"), [("gone", "new"), (["x"], "new"), ("old", "old")])
def test_unknown_current_node_falls_back_to_the_newest_leaf(current, leaf):
    mapping = {
        "top": node(said("a", create_time=HOUR), None, ["new", "old"]),
        "new": node(said("b", create_time=HOUR + 9), "top"),
        "old": node(said("c", create_time=HOUR + 5), "top"),
    }
    assert parse(conversation(mapping=mapping, current_node=current)).current_leaf == leaf


@pytest.mark.parametrize("mapping", [{}, {"root": node(None)}, {"x": None}])
def test_empty_conversation_is_imported(mapping):
    parsed = parse(conversation(mapping=mapping, title=None))
    assert (parsed.title, parsed.messages, parsed.current_leaf, parsed.repairs) == ("", (), None, ())


def test_damaged_message_does_not_affect_others():
    parsed = parse_mapping(
        a=node(said("kept"), None, ["b"]),
        b={"message": [1], "parent": "a", "children": ["c"]},
        c=node(said("kept too"), "b"),
        d="nonsense",
    )
    assert [(each.content, each.parent_external_id) for each in parsed.messages] == [
        ("kept", None), ("kept too", "a"),
    ]  # fmt: skip
    assert parsed.repairs == (UNREADABLE_MESSAGE,) * 2


@pytest.mark.parametrize(
    ("changes", "role", "repairs"),
    [
        *(
            ({"author": author}, "assistant", (UNKNOWN_AUTHOR,))
            for author in (None, {}, {"role": None}, {"role": "gremlin"}, 7)
        ),
        *(
            ({"author": {"role": "assistant"}, "recipient": everybody}, "assistant", ())
            for everybody in ("all", "assistant", None, "")
        ),
        (HIDDEN, "system", ()),
    ],
)
def test_only_what_the_user_wrote_is_attributed_to_the_user(changes, role, repairs):
    parsed = parse_mapping(a=node(said("whose?", **changes)))
    message = parsed.messages[0]
    assert (message.role, message.content, message.tool_name, parsed.repairs) == (
        role, "whose?", "", repairs,
    )  # fmt: skip


def test_tool_result_after_a_user_message_has_no_call_id():
    parsed = parse_mapping(
        a=node(said("x=1", "assistant", recipient="python"), None, ["b"]),
        b=node(said("stop"), "a", ["c"]),
        c=node({**said("late"), "author": {"role": "tool", "name": "python"}}, "b"),
    )
    assert parsed.messages[2].call_id == ""


def test_plain_list_of_messages_is_a_chain():
    parsed = fixture("linear.json", 0)
    assert [(m.external_id, m.parent_external_id, m.role) for m in parsed.messages] == [
        ("m1", None, "user"), ("m2", "m1", "assistant"), ("m2#3", "m2", "user"),
    ]  # fmt: skip
    assert (parsed.messages[1].content, parsed.messages[1].model) == ("A fine name.\n[image]", "gpt-4o")
    assert parsed.messages[2].said_at == datetime(2025, 4, 18, 18, 20, 0, 500_000, tzinfo=UTC)
    unsigned = fixture("linear.json", 1)
    assert [message.content for message in unsigned.messages] == ["\ue203Hello\ue204", "World"]
    assert unsigned.repairs == (UNKNOWN_AUTHOR,) * 2


def test_missing_ids_are_derived_consistently():
    raw = conversation(id=None)
    first, again = parse(raw), parse(json.loads(json.dumps(raw)))
    assert first.external_id == again.external_id != parse(conversation("Other", id=None)).external_id
    assert parse(conversation(conversation_id="c", id="i")).external_id == "c"


@pytest.mark.parametrize("key", ["k" * 5000, "nul\x00", "half \ud800", "line\nbreak"])
def test_unusable_ids_are_replaced_consistently(key):
    mapping = {key: node(said("a"), None, ["b"]), "b": node(said("b"), key)}
    parsed = parse(conversation(id=key, current_node=key, mapping=mapping))
    usable = parsed.messages[0].external_id
    assert len(usable) <= 200
    assert usable.isprintable()
    assert parsed.messages[1].parent_external_id == usable == parsed.current_leaf


@pytest.mark.parametrize("raw", [None, 5, "words", [], {}, {"mapping": 7}, {"messages": {"a": 1}}])
def test_invalid_conversation_is_reported(raw):
    broken = list(read_entries(as_file([conversation(), raw])))[1]
    assert isinstance(broken, BrokenEntry)
    assert (broken.where, broken.reason[-1]) == ("entry 2", ".")


def test_text_of_each_content_type(subtests):
    for content, text in json_cases(__file__, "content_types.jsonl"):
        with subtests.test(content=content):
            assert content_text(loaded(content)) == text


IMAGE = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://f1", "metadata": {}}
DRAWN = IMAGE | {"asset_pointer": "file-service://f2", "metadata": {"dalle": {"prompt": "a blue door"}}}
CLOCK = {"id": "f1", "name": "a\nclock.jpg", "mime_type": "image/jpeg"}
BILL = {"id": "f", "name": "bill.pdf", "mime_type": "application/pdf"}
AUDIO = {"content_type": "audio_asset_pointer"}
SPOKEN = {"content_type": "audio_transcription", "text": "Wie spät ist es?"}
FILMED = {"content_type": "real_time_user_audio_video_asset_pointer", "frames_asset_pointers": ["f"]}


@pytest.mark.parametrize(
    ("parts", "attachments", "text"),
    [
        ([IMAGE, "What is it?"], [CLOCK], "[image: a clock.jpg]\nWhat is it?"),
        ([IMAGE, "What is it?"], [], "[image]\nWhat is it?"),
        ([DRAWN], [], "[image: a blue door]"),
        (["Please read."], [BILL, "odd", {}], "Please read.\n[file: bill.pdf]"),
        ([SPOKEN, AUDIO, FILMED], [], "Wie spät ist es?"),
        ([SPOKEN | {"text": ""}, AUDIO], [], "[audio]"),
        ([FILMED], [], "[video]"),
    ],
)
def test_images_files_and_audio_become_text(parts, attachments, text):
    content = {"content_type": "multimodal_text", "parts": parts}
    assert content_text(loaded(content), loaded(attachments)) == text
