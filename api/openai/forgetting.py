"""`/v1/memory`: forget by id, by project, or everything."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.http import HttpResponse, JsonResponse, QueryDict
from django.utils import timezone

from accounts.http import BearerRequest
from accounts.models import User
from accounts.owned import NotFound
from api.openai.access import Json, Refusal, api_view
from api.openai.request import is_user
from chat.replies.streaming import in_tenant
from memory.facts.review import decisions
from memory.forgetting.requests import forget, forget_now
from memory.forgetting.scopes import ForgetRequest, NothingToForget
from memory.forgetting.trash import RETENTION
from memory.models import Forgetting

ALL = ("user_id", "project_id")
NOTHING = "There is no such memory. It may have been forgotten already."


@api_view("write", "DELETE")
async def memory(request: BearerRequest, memory_id: str) -> HttpResponse:
    """Forget a drawer by its id or pointer, or a fact by its id."""
    user_id, query = request.user.id, _query(request.GET, ("erase",))
    return await _answer(user_id, lambda: _forget_one(user_id, memory_id, query))


@api_view("write", "DELETE")
async def memories(request: BearerRequest) -> HttpResponse:
    """Forget a project, or everything with your own `user_id`."""
    user_id, query = request.user.id, _query(request.GET, ("erase", *ALL))
    wanted = _request(request.user, query)
    return await _answer(user_id, lambda: _forget(user_id, wanted, query))


async def _answer(user_id: UUID, work: Callable[[], Json]) -> JsonResponse:
    try:
        return JsonResponse(await in_tenant(user_id, work))
    except NotFound as error:
        raise Refusal(404, NOTHING, code="memory_not_found") from error


def _query(given: QueryDict, known: tuple[str, ...]) -> Mapping[str, str]:
    """The query parameters. Unknown ones are rejected, so a typo never forgets too much."""
    query = {name: str(given[name]).strip() for name in given}
    for name, value in query.items():
        if name not in known or not value:
            raise Refusal(400, f"`{name}` is not a valid parameter here.", param=name)
    if query.get("erase", "now") != "now":
        raise Refusal(400, "`erase` must be `now`.", param="erase")
    return query


def _request(user: User, query: Mapping[str, str]) -> ForgetRequest:
    if "user_id" in query and not is_user(query["user_id"], user):
        sentence = "`user_id` is not the owner of this token."
        raise Refusal(403, sentence, param="user_id", code="not_your_memory")
    if "project_id" in query:
        return ForgetRequest.named("project", query["project_id"])
    if "user_id" not in query:
        raise Refusal(400, "Pass `project_id`, or `user_id` to forget everything.")
    return ForgetRequest("everything")


def _forget_one(user_id: UUID, named: str, query: Mapping[str, str]) -> Json:
    wanted = ForgetRequest.named("drawer", named)
    try:
        return _forget(user_id, wanted, query)
    except NothingToForget:
        if "erase" in query or wanted.object_id is None:
            raise
    # A fact's drawers stay, and do not bring it back.
    decision = decisions.delete(user_id, [wanted.object_id], timezone.now())
    return {**_deleted(wanted.object_id, {"facts": 1}), "scope": "fact", "decision": str(decision.event_id)}


def _forget(user_id: UUID, wanted: ForgetRequest, query: Mapping[str, str]) -> Json:
    act = forget_now if "erase" in query else forget
    return _receipt(act(user_id, wanted, timezone.now()))


def _receipt(receipt: Forgetting) -> Json:
    deleted = _deleted(receipt.object_id or receipt.id, receipt.erased or receipt.counts)
    final = receipt.final_at or receipt.at + RETENTION
    return {
        **deleted,
        "scope": receipt.scope,
        "receipt": str(receipt.id),
        "final_at": final.isoformat(),
        "residue": receipt.residue,
    }


def _deleted(object_id: UUID, counts: Mapping[str, Any]) -> Json:
    return {
        "id": str(object_id),
        "object": "memory.deleted",
        "deleted": True,
        "counts": {store: rows for store, rows in counts.items() if rows},
    }
