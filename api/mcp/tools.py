"""What a tool is: its name, what it may be used with, its arguments, and what it answers."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from mcp_types import Tool as Description
from mcp_types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, field_validator

from api.auth import Scope
from memory.text.sanitizing import storable

Json = dict[str, Any]


class Arguments(BaseModel):
    """The arguments of a tool; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, str_max_length=100_000)

    @field_validator("*", mode="before")
    @classmethod
    def _storable(cls, value: object) -> object:
        """Texts as the database can keep them."""
        return storable(value).text if isinstance(value, str) else value


GivenT = TypeVar("GivenT", bound=Arguments)


class ToolRefused(Exception):
    """A call that cannot be done as it was made; the message is a sentence for the model."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool found, as data, and in words where data alone would not do."""

    data: Json = field(default_factory=dict)
    words: str = ""

    @property
    def text(self) -> str:
        """What a model reads."""
        return self.words or json.dumps(self.plain, ensure_ascii=False)

    @property
    def plain(self) -> Json:
        """The data with dates and ids as text."""
        plain: Json = json.loads(json.dumps(self.data, cls=DjangoJSONEncoder))
        return plain


@dataclass(frozen=True, slots=True)
class Call(Generic[GivenT]):
    """A call of a tool by a program of this person."""

    user_id: UUID
    given: GivenT
    now: datetime


@dataclass(frozen=True, slots=True)
class Tool(Generic[GivenT]):
    """A tool that tokens of one scope may use. `loses` says that it takes something away."""

    name: str
    title: str
    description: str
    scope: Scope
    takes: type[GivenT]
    work: Callable[[Call[GivenT]], Answer]
    loses: bool = False

    @property
    def told(self) -> Description:
        """The tool as programs are told of it."""
        return Description(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.takes.model_json_schema(),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.scope == "read",
                destructive_hint=self.loses,
                idempotent_hint=self.scope == "read",
                open_world_hint=False,
            ),
        )

    def use(self, user_id: UUID, arguments: Json, now: datetime) -> Answer:
        """Do what is asked. Raises pydantic's ValidationError, ToolRefused and what the work
        raises."""
        return self.work(Call(user_id, self.takes.model_validate(arguments), now))
