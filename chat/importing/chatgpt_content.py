"""The words in the content of one ChatGPT message, whatever its content type."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from chat.importing.values import as_json, label

Content = Mapping[str, object]

_IMAGE_PARTS = {"image_asset_pointer", "image_url", "image"}
_AUDIO_PARTS = {"audio_asset_pointer", "real_time_user_audio_video_asset_pointer", "input_audio"}


def content_text(content: object, attachments: object = None) -> str:
    """Return the text of a message verbatim, with labels such as `[image: a.jpg]` for media.

    Content of an unknown kind comes back as compact JSON, so that nothing is lost. Empty when
    the message holds nothing.
    """
    names = _attachment_labels(attachments)
    pieces = list(_pieces(content, names))
    return "\n".join(piece for piece in [*pieces, *names.values()] if piece)


def _pieces(content: object, names: dict[str, str]) -> Iterator[str]:
    if isinstance(content, list):
        content = {"parts": content}
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        yield from _typed_pieces(content, names)
    elif content is not None:
        yield as_json(content)


def _typed_pieces(content: Content, names: dict[str, str]) -> Iterator[str]:
    parts = content.get("parts")
    reader = _READERS.get(str(content.get("content_type")))
    if isinstance(parts, list):
        yield from _parts(parts, names)
    elif isinstance(parts, str):
        yield parts
    elif reader:
        yield from reader(content)
    else:
        yield _unknown(content)


def _parts(parts: list[object], names: dict[str, str]) -> Iterator[str]:
    transcribed = any(isinstance(part, dict) and _is_transcript(part) for part in parts)
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            yield _part(part, names, transcribed)
        elif part is not None:
            yield as_json(part)


def _part(part: Content, names: dict[str, str], transcribed: bool) -> str:
    kind = part.get("content_type") or part.get("type")
    if kind in _IMAGE_PARTS:
        return _image_label(part, names)
    if kind in _AUDIO_PARTS:
        return "" if transcribed else _recording_label(part)
    if kind == "video_container_asset_pointer":
        return "" if transcribed else "[video]"
    if kind == "audio_transcription":
        return str(part.get("text") or "")
    return _unknown(part)


def _is_transcript(part: Content) -> bool:
    return part.get("content_type") == "audio_transcription" and bool(part.get("text"))


def _recording_label(part: Content) -> str:
    filmed = part.get("frames_asset_pointers") or part.get("video_container_asset_pointer")
    return "[video]" if filmed else "[audio]"


def _image_label(part: Content, names: dict[str, str]) -> str:
    pointer = str(part.get("asset_pointer") or "")
    for identifier in names:
        if identifier in pointer:
            return names.pop(identifier)
    metadata = part.get("metadata")
    drawn = metadata.get("dalle") if isinstance(metadata, dict) else None
    return label("image", drawn.get("prompt") if isinstance(drawn, dict) else None)


def _attachment_labels(attachments: object) -> dict[str, str]:
    labels: dict[str, str] = {}
    for item in attachments if isinstance(attachments, list) else []:
        if isinstance(item, dict):
            kind = "image" if str(item.get("mime_type")).startswith("image/") else "file"
            identifier = str(item.get("id") or f"unnamed {len(labels)}")
            labels[identifier] = label(kind, item.get("name"))
    return labels


def _strings(content: Content, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        value = content.get(key)
        if isinstance(value, str) and value:
            yield value
        elif isinstance(value, dict | list) and value:
            yield as_json(value)


def _fields(*keys: str) -> Callable[[Content], Iterator[str]]:
    return lambda content: _strings(content, keys)


def _first(*keys: str) -> Callable[[Content], Iterator[str]]:
    return lambda content: iter(list(_strings(content, keys))[:1])


def _thoughts(content: Content) -> Iterator[str]:
    thoughts = content.get("thoughts")
    for thought in thoughts if isinstance(thoughts, list) else []:
        if isinstance(thought, dict):
            yield from _strings(thought, ("summary", "content"))


def _screen(content: Content) -> Iterator[str]:
    yield "[image]" if content.get("screenshot") else _unknown(content)


def _unknown(content: Content) -> str:
    for key in ("text", "content", "result", "output_str"):
        value = content.get(key)
        if isinstance(value, str) and value.strip():
            return value
    rest = {key: value for key, value in content.items() if value not in (None, "", [], {})}
    return as_json(rest) if rest.keys() - {"content_type", "type", "language"} else ""


_READERS: dict[str, Callable[[Content], Iterator[str]]] = {
    "code": _first("text"),
    "execution_output": _first("text"),
    "tether_browsing_display": _first("result", "summary"),
    "tether_quote": _fields("title", "url", "text"),
    "system_error": _fields("name", "text"),
    "user_editable_context": _fields("user_profile", "user_instructions"),
    "model_editable_context": _fields(
        "model_set_context", "repo_summary", "repository", "structured_context"
    ),
    "reasoning_recap": _first("content"),
    "thoughts": _thoughts,
    "computer_output": _screen,
}
