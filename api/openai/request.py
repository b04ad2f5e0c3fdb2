"""Parses requests: the body and its memory options."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar
from uuid import UUID

from django.http import HttpRequest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from accounts.models import User
from api.openai.access import Json, Refusal
from api.problems import plain_words
from memory.facts.vocabulary import kinds_matching
from memory.text.sanitizing import storable

MAX_BODY_BYTES = 64 * 1024 * 1024
OPT_OUT = "X-Palace-Memory"
CONVERSATION = "X-Palace-Conversation"
ON = frozenset(("on", "true", "yes", "1"))
OFF = frozenset(("off", "false", "no", "0", "none"))
ROLES = frozenset(("system", "developer", "user", "assistant", "tool", "function"))
EXTENSIONS = ("memory_config", "memory_context")
FLAGS = ("stream", "store")
_SURROGATES = re.compile(rb"\\u[dD]|\xed")

ShapeT = TypeVar("ShapeT", bound=BaseModel)


def _known_type(name: str) -> str:
    if not kinds_matching(name):
        raise ValueError("This is not a known memory type")
    return name


class MemoryConfig(BaseModel):
    """The memory options of a request; None means the user's settings. `auto_store` defaults to `enabled`."""

    model_config = ConfigDict(extra="forbid")

    enabled: bool = True
    memory_types: list[Annotated[str, AfterValidator(_known_type)]] | None = None
    retrieval_limit: int | None = Field(default=None, ge=1, le=20)
    similarity_threshold: float | None = Field(default=None, ge=0, le=1)
    auto_store: bool | None = None

    @property
    def stores(self) -> bool:
        return self.enabled if self.auto_store is None else self.auto_store

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of facts to recall; empty for all."""
        wanted = self.memory_types or ()
        return frozenset(kind for name in wanted for kind in kinds_matching(name))


class MemoryContext(BaseModel):
    """The user and project of a request."""

    model_config = ConfigDict(extra="forbid")

    user_id: str | UUID | int | None = None
    project_id: str | None = Field(default=None, max_length=200)


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """A parsed request. `body` goes to the model endpoint."""

    user_id: UUID
    body: Json
    config: MemoryConfig = field(default_factory=MemoryConfig)
    project: str = ""
    external_id: str = ""


def parse_body(request: HttpRequest) -> Json:
    """The JSON object of the body, with U+FFFD for lone surrogates. Raises Refusal."""
    sent = request.read(MAX_BODY_BYTES + 1)
    if len(sent) > MAX_BODY_BYTES:
        raise Refusal(413, f"Requests are limited to {MAX_BODY_BYTES // 2**20} MB.")
    try:
        body = json.loads(sent)
        if _SURROGATES.search(sent):
            body = json.loads(storable(json.dumps(body, ensure_ascii=False)).text)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise Refusal(400, "The body must be a JSON object in UTF-8.")
    return body


def parse_request(request: HttpRequest, user: User, body: Json) -> MemoryRequest:
    """The parsed request. An opt-out header overrides the body. Raises Refusal for an invalid request, and
    for another user's memory."""
    config = _extension(body, "memory_config", MemoryConfig)
    context = _extension(body, "memory_context", MemoryContext)
    if context.user_id is not None and not is_user(str(context.user_id), user):
        raise Refusal(
            403,
            "`memory_context.user_id` is not the owner of this token.",
            param="memory_context.user_id",
            code="not_your_memory",
        )
    if _opts_out(request):
        config = MemoryConfig(enabled=False)
    if not isinstance(body.get("model"), str | None):
        raise Refusal(400, "`model` must be a string.", param="model")
    for flag in FLAGS:
        if not isinstance(body.get(flag), bool | None):
            raise Refusal(400, f"`{flag}` must be true or false.", param=flag)
    return MemoryRequest(
        user_id=user.id,
        body={name: value for name, value in body.items() if name not in EXTENSIONS},
        config=config,
        project=(context.project_id or "").strip(),
        external_id=_conversation_id(request, body.get("metadata")),
    )


def messages_of(body: Json) -> list[Json]:
    """The messages of a chat request. Raises Refusal."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refusal(400, "`messages` must be a list with at least one message.", param="messages")
    for place, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            param = f"messages[{place}]"
            raise Refusal(400, "A message must be an object with a `role`.", param=param)
        check_role(message["role"], f"messages[{place}].role")
    return messages


def check_role(role: str, param: str) -> None:
    """Raise Refusal unless messages can have this role."""
    if role not in ROLES:
        sentence = f"The `role` of a message must be one of {', '.join(sorted(ROLES))}."
        raise Refusal(400, sentence, param=param)


def _opts_out(request: HttpRequest) -> bool:
    given = request.headers.get(OPT_OUT, "on").strip().lower()
    if given not in ON | OFF:
        raise Refusal(400, f"The header `{OPT_OUT}` must be `on` or `off`.", param=OPT_OUT)
    return given in OFF


def _extension(body: Json, name: str, shape: type[ShapeT]) -> ShapeT:
    given = body.get(name)
    try:
        return shape.model_validate({} if given is None else given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join([name, *map(str, first["loc"])])
        raise Refusal(400, f"`{path}`: {plain_words(first)}.", param=path) from error


def is_user(named: str, user: User) -> bool:
    """Whether an id or email address is this user's."""
    return named.strip().casefold() in {str(user.id), user.email.casefold()}


def _conversation_id(request: HttpRequest, metadata: object) -> str:
    given = metadata.get("conversation_id") if isinstance(metadata, Mapping) else None
    named: Any = request.headers.get(CONVERSATION) or given or ""
    return str(named).strip()
