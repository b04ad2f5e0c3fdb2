"""Text files attached to a message: each becomes a fenced block in its text, under the file's name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.text.patterns import compile_pattern
from memory.text.sanitizing import storable

MAX_FILE_BYTES = 400_000
MAX_FILES = 10
MAX_NAME_LENGTH = 100

TOO_MANY = gettext_lazy("“%(name)s” is one file too many. Attach at most %(most)s files.")
TOO_LARGE = gettext_lazy("“%(name)s” is larger than %(most)s kB. Attach a part of it.")
NOT_TEXT = gettext_lazy("“%(name)s” is not a text file.")

ATTACHMENT_MARK = "\n\n📎 "
_FENCES = compile_pattern("`{3,}")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file in a message."""

    name: str
    text: str

    @property
    def block(self) -> str:
        """The file as `parse_block` reads it."""
        longest = max((len(match[0]) for match in _FENCES.finditer(self.text)), default=2)
        fence = "`" * max(3, longest + 1)
        return f"{self.name}\n{fence}\n{self.text}\n{fence}"


def add_files(
    kept: Sequence[Attachment], files: "Iterable[UploadedFile[Any]]"
) -> tuple[list[Attachment], list[str]]:
    """The `kept` attachments and these files, and the reasons why others cannot be attached."""
    attached, refusals = list(kept), []
    for file in files:
        read = _read_file(file, is_one_too_many=len(attached) >= MAX_FILES)
        if isinstance(read, Attachment):
            attached.append(read)
        else:
            refusals.append(read)
    if refusals and attached:
        refusals.append(_("The other files stay attached."))
    return attached, refusals


def join(words: str, files: Iterable[Attachment]) -> str:
    """The text of a message followed by its files."""
    return words + "".join(f"{ATTACHMENT_MARK}{file.block}" for file in files)


def split(content: str) -> tuple[str, tuple[Attachment, ...]]:
    """Split a message into its text and its files; if a file is incomplete, everything is text."""
    words, *blocks = content.split(ATTACHMENT_MARK)
    files = [parse_block(block) for block in blocks]
    whole = tuple(file for file in files if file)
    return (words, whole) if len(whole) == len(blocks) else (content, ())


def parse_block(block: str) -> Attachment | None:
    """The file in a block; None if it is incomplete."""
    name, _, rest = block.partition("\n")
    fence, _, text = rest.partition("\n")
    if len(fence) < len("```") or fence.strip("`") or not text.endswith(f"\n{fence}"):
        return None
    return Attachment(name, text.removesuffix(f"\n{fence}"))


def _read_file(file: "UploadedFile[Any]", *, is_one_too_many: bool) -> Attachment | str:
    """The attachment, or why it is refused."""
    name = " ".join(storable(file.name or "").text.split())[-MAX_NAME_LENGTH:] or "file"
    if is_one_too_many:
        return TOO_MANY % {"name": name, "most": MAX_FILES}
    if (file.size or 0) > MAX_FILE_BYTES:
        return TOO_LARGE % {"name": name, "most": MAX_FILE_BYTES // 1_000}
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return NOT_TEXT % {"name": name}
    return Attachment(name, text.replace("\r\n", "\n").rstrip("\n"))
