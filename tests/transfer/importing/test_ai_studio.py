import json

from tests.transfer.importing.exports import FIXTURES, as_file, as_zip, turns_of
from transfer.importing.reading import detect, read_entries

FOLDER = FIXTURES.parent / "ai_studio"


def test_files_without_an_extension_are_detected_by_content():
    gift, branch = read_entries(FOLDER)
    assert detect(FOLDER).name == "Google AI Studio"
    assert (gift.title, branch.title) == ("A gift for Rieke", "Branch of A gift for Rieke v1.5")
    zipped = as_zip({f"Google AI Studio/{path.name}": path.read_bytes() for path in FOLDER.iterdir()})
    assert list(read_entries(zipped)) == [gift, branch]
    (alone,) = read_entries(as_file((FOLDER / gift.title).read_bytes()))
    assert alone.external_id == gift.external_id


def test_thoughts_are_skipped_and_code_files_and_sources_separated():
    gift, _ = read_entries(FOLDER)
    assert turns_of(gift) == [
        ("system", "instructions", "Answer in one sentence."),
        ("user", "", "My sister Rieke collects stamps. What is a good gift?"),
        ("user", "", "[image]"),
        ("assistant", "", "A magnifying glass."),
        ("tool", "sources", "Gifts\nhttps://example.org/gifts"),
        ("user", "", "How many millimetres are 3 inches?\n[file]"),
        ("tool", "attachment", "3 inches"),
        ("assistant", "code_execution", ""),
        ("tool", "code_execution", "76.2\n"),
        ("assistant", "", "76.2 mm."),
    ]
    call, result = gift.messages[7:9]
    assert json.loads(call.tool_arguments)["code"] == "print(3 * 25.4)"
    assert call.call_id == result.call_id
    assert gift.messages[1].said_at.isoformat() == "2026-06-01T10:00:00+00:00"
    assert gift.messages[3].model == "gemini-2.5-pro"


def test_branched_copy_belongs_to_the_same_chat():
    gift, branch = read_entries(FOLDER)
    assert gift.external_id == branch.external_id
    shared = [message.external_id for message in gift.messages[:5]]
    assert [message.external_id for message in branch.messages[:5]] == shared
    assert branch.messages[5].parent_external_id == shared[-1]
    assert branch.messages[5].external_id != gift.messages[5].external_id
