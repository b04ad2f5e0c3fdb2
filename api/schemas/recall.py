"""Searches, recalls and their traces, as the API tells and takes them."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from api.schemas.values import Given, Moment

MOST_HITS = 20
Words = Annotated[str, Field(min_length=1, max_length=20_000)]
HitLimit = Annotated[int, Field(ge=1, le=MOST_HITS)]


class Search(Given):
    """What to look for: words, a question, a date, or a pointer."""

    query: Words
    limit: HitLimit = 10
    at: Moment | None = None


class ToAnswer(Given):
    """A message to recall for. `history` holds the person's earlier turns, newest last; what is
    not given is as chosen in the settings. `at` is when it is said: now, unless given."""

    message: Words
    history: Annotated[list[Words], Field(max_length=20)] = []
    at: Moment | None = None
    top_k: HitLimit | None = None
    token_budget: Annotated[int, Field(ge=100, le=16_000)] | None = None
    recipe: Literal["fast", "default", "thorough"] | None = None


class Hit(Schema):
    """A recalled drawer: where it is, what it says, and why it was chosen. `scores` are what was
    measured, `shares` what part of the score each signal has; `span` is the half-open range of the
    best passage."""

    drawer_id: UUID
    pointer: str
    wing: str
    wing_kind: str
    room: str
    closet: str
    date: datetime
    role: str
    text: str
    excerpt: bool
    tokens: int
    reason: str
    score: float
    scores: dict[str, float]
    shares: dict[str, float]
    brought_by: dict[str, list[UUID]]
    span: tuple[int, int]


class Found(Schema):
    """Drawers, the best first, and how they were found."""

    hits: list[Hit]
    trace: dict[str, Any]


class Recalled(Found):
    """The same, and `block`: what to put before the model, empty when nothing fits. `profile` is
    what the block tells of the person."""

    block: str
    profile: str
