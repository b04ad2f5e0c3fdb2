"""Text files attached to a message: they become part of its words, each in a fenced block under its name."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from memory.text.patterns import compile_pattern
from memory.text.sanitizing import storable

LARGEST = 400_000
MAX_ITEMS = 10
MAX_NAME_LENGTH = 100

MARK = "\n\n📎 "
_FENCES = compile_pattern("`{3,}")


class NotText(ValueError):
    """A file that cannot be attached; the message is a sentence for its owner."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file in a message."""

    name: str
    text: str


def append_files(words: str, files: "Iterable[UploadedFile[Any]]") -> str:
    """The words of a message with the files after them. Raises NotText."""
    listed = list(files)
    if len(listed) > MAX_ITEMS:
        raise NotText(_("Attach at most %(most)s files.") % {"most": MAX_ITEMS})
    return words + "".join(_block(_read(file)) for file in listed)


def split(content: str) -> tuple[str, tuple[Attachment, ...]]:
    """The words of a message, and the files in it; all as words if a file is not complete."""
    words, *blocks = content.split(MARK)
    files = [_parsed(block) for block in blocks]
    whole = tuple(file for file in files if file)
    return (words, whole) if len(whole) == len(blocks) else (content, ())


def _parsed(block: str) -> Attachment | None:
    name, _, rest = block.partition("\n")
    fence, _, text = rest.partition("\n")
    if len(fence) < len("```") or fence.strip("`") or not text.endswith(f"\n{fence}"):
        return None
    return Attachment(name, text.removesuffix(f"\n{fence}"))


def _read(file: "UploadedFile[Any]") -> Attachment:
    name = " ".join(storable(file.name or "").text.split())[-MAX_NAME_LENGTH:] or "file"
    if (file.size or 0) > LARGEST:
        limit = {"name": name, "most": LARGEST // 1_000}
        raise NotText(_("“%(name)s” is larger than %(most)s kB. Attach a part of it.") % limit)
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise NotText(_("“%(name)s” is not a text file.") % {"name": name})
    return Attachment(name, text.replace("\r\n", "\n").rstrip("\n"))


def _block(file: Attachment) -> str:
    longest = max((len(match[0]) for match in _FENCES.finditer(file.text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{MARK}{file.name}\n{fence}\n{file.text}\n{fence}"
