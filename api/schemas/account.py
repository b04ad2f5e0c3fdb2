"""The account with its tokens, webhooks and demo, as the API tells and takes them."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from api.schemas.values import Given

LONGEST_ADDRESS = 500

Events = Annotated[
    list[Literal["mined", "reviewed", "forgotten"]], Field(min_length=1, max_length=3)
]


class Owner(Schema):
    """The person the token belongs to, and what it may be used for."""

    id: UUID
    email: str
    name: str
    scopes: list[str]


class Token(Schema):
    """A token that works. Its text was shown once, when it was made."""

    id: UUID
    name: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None

    @staticmethod
    def resolve_scopes(token: Any) -> list[str]:
        """What it may be used for, in the order of the alphabet."""
        return sorted(token.scope_list)


class Closing(Given):
    """The yes to closing the account: its own e-mail address, typed out."""

    email: Annotated[str, Field(max_length=254)]
    confirmed: Literal[True]


class Rows(Schema):
    """How many rows each table has of the person."""

    rows: dict[str, int]


class Closed(Rows):
    """What was erased: rows by table, and files. So many tables were searched afterwards; `found`
    are those in which anything was left."""

    files: int
    searched: int
    found: list[str]


class Demo(Schema):
    """Whether the demo palace is there, or on its way out."""

    is_loaded: bool
    is_being_removed: bool


class NewWebhook(Given):
    """An address that is to be told, and of what."""

    url: Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)]
    events: Events = ["mined", "reviewed", "forgotten"]


class Webhook(Schema):
    """An address that is told. `paused_because` is `owner`, `gone` or `failing` while it is paused;
    `worked_at` is when something last came through."""

    id: UUID
    url: str
    events: list[str]
    created_at: datetime
    paused_at: datetime | None
    paused_because: str
    worked_at: datetime | None


class Secret(Schema):
    """What messages to an address are signed with, in the form of standardwebhooks.com."""

    secret: str


class Delivery(Schema):
    """A message to an address: `next_at` is when it is tried again, null when it came through or was
    given up; `status` is the last answer, 0 without one; `failure` says in a word why not."""

    id: UUID
    kind: str
    happened_at: datetime
    attempts: int
    next_at: datetime | None
    status: int
    failure: str
    delivered_at: datetime | None
