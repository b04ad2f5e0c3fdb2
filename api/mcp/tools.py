"""Base types of MCP tools: arguments and results."""

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
from memory.models import Wing
from memory.pages.requests import parse_uuid
from memory.placement import find_wing
from memory.text.sanitizing import storable

Json = dict[str, Any]
WITHHELD = "Marked as sensitive. Only the owner can read it, in Palace."


class Arguments(BaseModel):
    """The arguments of a tool; unknown ones are rejected."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, str_max_length=100_000)

    @field_validator("*", mode="before")
    @classmethod
    def _storable(cls, value: object) -> object:
        """Replace what the database cannot store."""
        return storable(value).text if isinstance(value, str) else value


GivenT = TypeVar("GivenT", bound=Arguments)


class ToolRefused(Exception):
    """The call cannot be done; the message is a sentence for the model."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a tool as data, and as text if models should read something else."""

    data: Json = field(default_factory=dict)
    words: str = ""

    @property
    def text(self) -> str:
        return self.words or json.dumps(self.plain, ensure_ascii=False)

    @property
    def plain(self) -> Json:
        plain: Json = json.loads(json.dumps(self.data, cls=DjangoJSONEncoder))
        return plain


@dataclass(frozen=True, slots=True)
class Tool(Generic[GivenT]):
    """A tool for tokens with a scope. `destructive` tools remove data."""

    name: str
    title: str
    description: str
    scope: Scope
    takes: type[GivenT]
    work: Callable[[UUID, GivenT, datetime], Answer]
    destructive: bool = False

    @property
    def description_for_clients(self) -> Description:
        return Description(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.takes.model_json_schema(),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.scope == "read",
                destructive_hint=self.destructive,
                idempotent_hint=self.scope == "read",
                open_world_hint=False,
            ),
        )

    def use(self, user_id: UUID, arguments: Json, now: datetime) -> Answer:
        """Run the tool. Raises ValidationError, ToolRefused and what the tool raises."""
        return self.work(user_id, self.takes.model_validate(arguments), now)


def tool(
    name: str, title: str, scope: Scope, takes: type[GivenT], *, destructive: bool = False
) -> Callable[[Callable[[UUID, GivenT, datetime], Answer]], Tool[GivenT]]:
    """Make a function a tool; its docstring describes it to clients."""

    def make(work: Callable[[UUID, GivenT, datetime], Answer]) -> Tool[GivenT]:
        description = " ".join((work.__doc__ or "").split())
        return Tool(name, title, description, scope, takes, work, destructive)

    return make


def wing_named(user_id: UUID, named: str) -> Wing:
    """The wing with this id or name. Raises ToolRefused if the user has none."""
    own = Wing.objects.filter(user_id=user_id, merged_into_id=None)
    wing_id = parse_uuid(named)
    found = own.filter(id=wing_id).first() if wing_id else find_wing(user_id, named)
    if found is None:
        raise ToolRefused("There is no such wing.")
    return found
