"""Text files attached to a message: each becomes a fenced block in its text, under the file's name."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from memory.text.patterns import compile_pattern
from memory.text.sanitizing import storable

MAX_FILE_BYTES = 400_000
MAX_FILES = 10
MAX_NAME_LENGTH = 100

ATTACHMENT_MARK = "\n\n📎 "
_FENCES = compile_pattern("`{3,}")


class AttachmentRejected(ValueError):
    """The file cannot be attached; the message is shown to the user."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file in a message."""

    name: str
    text: str


def append_files(words: str, files: "Iterable[UploadedFile[Any]]") -> tuple[str, list[str]]:
    """The text of a message followed by its files, and the reasons why others cannot be attached."""
    blocks: list[str] = []
    refusals: list[str] = []
    for file in files:
        try:
            attached = _read_file(file, is_one_too_many=len(blocks) == MAX_FILES)
            blocks.append(_format_block(attached))
        except AttachmentRejected as refusal:
            refusals.append(str(refusal))
    if refusals and blocks:
        refusals.append(_("The other files are in the message as text."))
    return words + "".join(blocks), refusals


def split(content: str) -> tuple[str, tuple[Attachment, ...]]:
    """Split a message into its text and its files; if a file is incomplete, everything is text."""
    words, *blocks = content.split(ATTACHMENT_MARK)
    files = [_parse_block(block) for block in blocks]
    whole = tuple(file for file in files if file)
    return (words, whole) if len(whole) == len(blocks) else (content, ())


def _parse_block(block: str) -> Attachment | None:
    name, _, rest = block.partition("\n")
    fence, _, text = rest.partition("\n")
    if len(fence) < len("```") or fence.strip("`") or not text.endswith(f"\n{fence}"):
        return None
    return Attachment(name, text.removesuffix(f"\n{fence}"))


def _read_file(file: "UploadedFile[Any]", *, is_one_too_many: bool) -> Attachment:
    name = " ".join(storable(file.name or "").text.split())[-MAX_NAME_LENGTH:] or "file"
    if is_one_too_many:
        limit = {"name": name, "most": MAX_FILES}
        raise AttachmentRejected(_("“%(name)s” is one file too many. Attach at most %(most)s files.") % limit)
    if (file.size or 0) > MAX_FILE_BYTES:
        limit = {"name": name, "most": MAX_FILE_BYTES // 1_000}
        raise AttachmentRejected(_("“%(name)s” is larger than %(most)s kB. Attach a part of it.") % limit)
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise AttachmentRejected(_("“%(name)s” is not a text file.") % {"name": name})
    return Attachment(name, text.replace("\r\n", "\n").rstrip("\n"))


def _format_block(file: Attachment) -> str:
    longest = max((len(match[0]) for match in _FENCES.finditer(file.text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{ATTACHMENT_MARK}{file.name}\n{fence}\n{file.text}\n{fence}"
