import pytest

from transfer.importing.chatgpt import content_text


def image(pointer: str, **metadata: object) -> dict[str, object]:
    return {
        "content_type": "image_asset_pointer",
        "asset_pointer": pointer,
        "metadata": metadata,
    }


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "text", "parts": [" kept  as is \n"]}, " kept  as is \n"),
        ({"content_type": "text", "parts": ["one", None, "", "two"]}, "one\ntwo"),
        ({"content_type": "text", "parts": []}, ""),
        ({"content_type": "text", "parts": "a bare string"}, "a bare string"),
        ({"content_type": "text", "text": "no parts"}, "no parts"),
        ({"content_type": "code", "language": "python", "text": "1 + 1"}, "1 + 1"),
        ({"content_type": "code", "language": "unknown", "text": ""}, ""),
        ({"content_type": "execution_output", "text": "2"}, "2"),
        ({"content_type": "tether_browsing_display", "result": "", "summary": "s"}, "s"),
        ({"content_type": "tether_browsing_display", "result": "r", "summary": "s"}, "r"),
        (
            {"content_type": "tether_quote", "url": "u", "domain": "d", "title": "t", "text": "q"},
            "t\nu\nq",
        ),
        ({"content_type": "system_error", "name": "Oops", "text": "late"}, "Oops\nlate"),
        (
            {
                "content_type": "user_editable_context",
                "user_profile": "p",
                "user_instructions": "i",
            },
            "p\ni",
        ),
        ({"content_type": "model_editable_context", "model_set_context": "m"}, "m"),
        ({"content_type": "reasoning_recap", "content": "Thought for 2 s"}, "Thought for 2 s"),
        (
            {"content_type": "thoughts", "thoughts": [{"summary": "s", "content": "c"}, 5]},
            "s\nc",
        ),
        ({"content_type": "thoughts", "thoughts": None}, ""),
        ({"content_type": "computer_output", "screenshot": {"x": 1}}, "[image]"),
        ("plain words", "plain words"),
        ([{"type": "text", "text": "in a list"}], "in a list"),
        (None, ""),
        ({}, ""),
        ({"content_type": "text", "parts": [["odd"], 5]}, '["odd"]\n5'),
    ],
)
def test_the_words_of_each_kind(content, text):
    assert content_text(content) == text


def test_an_unknown_kind_keeps_everything_it_holds():
    text = content_text({"content_type": "hologram", "scene": {"név": "óra"}, "note": None})
    assert text == '{"content_type":"hologram","scene":{"név":"óra"}}'


def test_an_unknown_kind_with_words_gives_the_words():
    assert content_text({"content_type": "hologram", "text": "hello", "z": 1}) == "hello"


def test_an_image_is_labelled_by_its_attachment():
    content = {"content_type": "multimodal_text", "parts": [image("sediment://f1"), "What is it?"]}
    attachments = [{"id": "f1", "name": "a\nclock.jpg", "mime_type": "image/jpeg"}]
    assert content_text(content, attachments) == "[image: a clock.jpg]\nWhat is it?"
    assert content_text(content) == "[image]\nWhat is it?"


def test_a_drawn_image_is_labelled_by_its_prompt():
    drawn = image("file-service://f2", dalle={"prompt": "a blue door"})
    assert content_text({"content_type": "multimodal_text", "parts": [drawn]}) == ("[image: a blue door]")


def test_attached_files_are_named_after_the_words():
    content = {"content_type": "text", "parts": ["Please read."]}
    attachments = [{"id": "f", "name": "bill.pdf", "mime_type": "application/pdf"}, "odd", {}]
    assert content_text(content, attachments) == "Please read.\n[file: bill.pdf]\n[file]"


def test_speech_is_its_transcript():
    audio = {"content_type": "audio_asset_pointer"}
    transcript = {"content_type": "audio_transcription", "text": "Wie spät ist es?"}
    filmed = {
        "content_type": "real_time_user_audio_video_asset_pointer",
        "frames_asset_pointers": ["f"],
    }
    assert content_text({"parts": [transcript, audio, filmed]}) == "Wie spät ist es?"
    assert content_text({"parts": [{**transcript, "text": ""}, audio]}) == "[audio]"
    assert content_text({"parts": [filmed]}) == "[video]"
