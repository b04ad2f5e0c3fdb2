"""What is read from the answers of an OpenAI-compatible endpoint, and nothing more.

Every field that some endpoint leaves out may be missing.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import openai
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from llm.errors import ModelReplyInvalid
from llm.openai_wire import reported_failure
from llm.types import ToolCall


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore")


class TokenCounts(_Shape):
    """Tokens as the endpoint counts them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class FunctionPiece(_Shape):
    """The name and arguments of a call, or a piece of them."""

    name: str | None = None
    arguments: str | None = None


class CallPiece(_Shape):
    """A tool that is called, or in a stream a piece of the call at `index`."""

    index: int | None = None
    id: str | None = None
    function: FunctionPiece | None = None


class Words(_Shape):
    """The text and the tool calls of a message or of a piece of one."""

    content: str | list[dict[str, Any]] | None = None
    tool_calls: list[CallPiece] | None = None

    @property
    def text(self) -> str:
        """The text, also where an endpoint sends it as a list of parts."""
        if isinstance(self.content, list):
            return "".join(str(part.get("text", "")) for part in self.content)
        return self.content or ""


class Choice(_Shape):
    """One reply to a prompt."""

    message: Words
    finish_reason: str | None = None


class ChatAnswer(_Shape):
    """The answer to a chat completion."""

    choices: list[Choice] = Field(min_length=1)
    usage: TokenCounts | None = None


class ChunkChoice(_Shape):
    """A piece of a reply."""

    delta: Words | None = None
    finish_reason: str | None = None


class Chunk(_Shape):
    """One event of a stream; the one that carries the usage often has no choices."""

    choices: list[ChunkChoice] | None = None
    usage: TokenCounts | None = None


def tool_calls(pieces: Iterable[CallPiece]) -> tuple[ToolCall, ...]:
    """The calls put together from their pieces, in order; one without a name is left out, one
    without an id gets one."""
    found: dict[int, ToolCall] = {}
    for place, piece in enumerate(pieces):
        index = place if piece.index is None else piece.index
        known = found.get(index, ToolCall("", "", ""))
        function = piece.function or FunctionPiece()
        found[index] = ToolCall(
            known.id or piece.id or "",
            known.name + (function.name or ""),
            known.arguments + (function.arguments or ""),
        )
    return tuple(
        replace(call, id=call.id or f"call-{index}") for index, call in found.items() if call.name
    )


class VectorRow(_Shape):
    """The vector of the text at `index` of the request."""

    index: int
    embedding: list[float]


class EmbeddingAnswer(_Shape):
    """The answer to a request for embeddings."""

    data: list[VectorRow]
    usage: TokenCounts | None = None


class _ReportedError(_Shape):
    error: dict[str, Any]


ShapeT = TypeVar("ShapeT", bound=_Shape)


def read_answer(body: bytes, shape: type[ShapeT]) -> ShapeT:
    """The answer in this shape.

    Raises ModelReplyInvalid when it has another, or what the endpoint reported in its place:
    aggregators answer 200 and put the error of the provider inside.
    """
    answer = _parsed(body, shape)
    if answer is not None:
        return answer
    report = _parsed(body, _ReportedError)
    if report is not None:
        raise reported_failure(report.error.get("code"))
    raise ModelReplyInvalid("The model endpoint answered with something that cannot be read.")


def read_chunk(event: object) -> Chunk:
    """One event of a stream; raises ModelReplyInvalid when it is not one."""
    # Warnings of the client would quote the reply.
    chunk = event.to_dict(warnings=False) if isinstance(event, openai.BaseModel) else event
    try:
        return Chunk.model_validate(chunk)
    except ValidationError:
        failure = ModelReplyInvalid("The model endpoint sent a piece that cannot be read.")
    raise failure


def _parsed(body: bytes, shape: type[ShapeT]) -> ShapeT | None:
    try:
        return shape.model_validate_json(body)
    except ValidationError:
        return None
