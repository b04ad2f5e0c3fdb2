"""The events of a streamed response, made from the events of a chat as they come."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from api.openai.refusals import Json
from api.openai.response_output import (
    Draft,
    Written,
    call_item,
    message_item,
    text_part,
)


@dataclass(slots=True)
class _Open:
    """An item that is being written, at its place in the output."""

    place: int
    item: Json
    text: str = ""

    @property
    def at(self) -> Json:
        """Where the item is, as each event about it says."""
        return {"item_id": self.item["id"], "output_index": self.place}


@dataclass(slots=True)
class Telling:
    """Turns the pieces of a chat answer into events. `written` is what they have come to."""

    draft: Draft
    written: Written = field(default_factory=Written)
    _number: int = -1
    _message: _Open | None = None
    _calls: dict[int, _Open] = field(default_factory=dict)

    def begin(self) -> Iterator[Json]:
        """The events before the first piece."""
        yield self._event("response.created", response=self.draft.told([]))
        yield self._event("response.in_progress", response=self.draft.told([]))

    def take(self, chunk: Json) -> Iterator[Json]:
        """The events that a piece brings."""
        self.written.usage = chunk.get("usage") or self.written.usage
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if choice.get("index"):
                continue
            self.written.finish_reason = choice.get("finish_reason") or self.written.finish_reason
            delta = choice.get("delta") or {}
            words = delta.get("content") or delta.get("refusal")
            if isinstance(words, str) and words:
                yield from self._words(words)
            for position, piece in enumerate(delta.get("tool_calls") or ()):
                yield from self._piece(piece, position)

    def close(self) -> Iterator[Json]:
        """The ends of all items."""
        if self._message is not None:
            yield from self._end_of_words(self._message)
        for call in self._calls.values():
            yield from self._end_of_call(call)

    def end(self) -> Iterator[Json]:
        """The last event, with the whole response."""
        response = self.written.response(self.draft)
        yield self._event(f"response.{response['status']}", response=response)

    def fail(self, error: Json) -> Iterator[Json]:
        """The last event of a response that failed."""
        told = {"code": error.get("code") or "server_error", "message": error.get("message")}
        response = self.draft.told(self.written.items, "failed", error=told)
        yield self._event("response.failed", response=response)

    def _words(self, words: str) -> Iterator[Json]:
        if self._message is None:
            self._message = self._opened(message_item([], "in_progress"))
            yield from self._added(self._message)
            part = text_part("")
            yield self._event(
                "response.content_part.added", **self._message.at, content_index=0, part=part
            )
        self._message.text += words
        yield self._event(
            "response.output_text.delta",
            **self._message.at,
            content_index=0,
            delta=words,
            logprobs=[],
        )

    def _end_of_words(self, message: _Open) -> Iterator[Json]:
        part = text_part(message.text)
        at = {**message.at, "content_index": 0}
        yield self._event("response.output_text.done", **at, text=message.text, logprobs=[])
        yield self._event("response.content_part.done", **at, part=part)
        message.item |= {"content": [part], "status": "completed"}
        yield self._done(message)

    def _piece(self, piece: Json, position: int) -> Iterator[Json]:
        place = piece.get("index")
        key = place if isinstance(place, int) else position
        told = piece.get("function") or {}
        if key not in self._calls:
            item = call_item(str(piece.get("id") or ""), str(told.get("name") or ""))
            self._calls[key] = self._opened(item)
            yield from self._added(self._calls[key])
        call, arguments = self._calls[key], str(told.get("arguments") or "")
        if arguments:
            call.text += arguments
            yield self._event("response.function_call_arguments.delta", **call.at, delta=arguments)

    def _end_of_call(self, call: _Open) -> Iterator[Json]:
        call.item |= {"arguments": call.text, "status": "completed"}
        yield self._event(
            "response.function_call_arguments.done",
            **call.at,
            name=call.item["name"],
            arguments=call.text,
        )
        yield self._done(call)

    def _opened(self, item: Json) -> _Open:
        self.written.items.append(item)
        return _Open(len(self.written.items) - 1, item)

    def _added(self, opened: _Open) -> Iterator[Json]:
        yield self._event(
            "response.output_item.added", output_index=opened.place, item=dict(opened.item)
        )

    def _done(self, opened: _Open) -> Json:
        return self._event(
            "response.output_item.done", output_index=opened.place, item=dict(opened.item)
        )

    def _event(self, kind: str, **more: Any) -> Json:
        self._number += 1
        return {"type": kind, "sequence_number": self._number, **more}
