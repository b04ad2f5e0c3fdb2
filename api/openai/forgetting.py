"""`/v1/memory`: forgetting by id, by project, or all of it."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.http import HttpResponse, JsonResponse, QueryDict
from django.utils import timezone

from accounts.http import BearerRequest
from accounts.models import User
from api.openai.access import Json, Refusal, programs_only
from api.openai.request import means
from chat.replies.streaming import in_tenant
from memory.aaak import parse_pointer
from memory.drawers import NoSuchDrawer, find_by_pointer
from memory.facts.review import decisions
from memory.facts.review.decisions import NoSuchFact
from memory.forgetting.requests import forget, forget_now
from memory.forgetting.scopes import ForgetRequest, NothingToForget
from memory.forgetting.trash import KEPT
from memory.models import Forgetting

ALL = ("user_id", "project_id")
NOTHING = "There is nothing of yours to forget by this name. It may be forgotten already."


@programs_only("write", "DELETE")
async def memory(request: BearerRequest, memory_id: str) -> HttpResponse:
    """Forget a drawer, by its id or its pointer, or a fact, by its id."""
    user_id, wish = request.user.id, _wish(request.GET, ("erase",))
    return await _answer(user_id, lambda: _forget_one(user_id, memory_id, wish))


@programs_only("write", "DELETE")
async def memories(request: BearerRequest) -> HttpResponse:
    """Forget a project, or with one's own `user_id` everything."""
    user_id, wish = request.user.id, _wish(request.GET, ("erase", *ALL))
    wanted = _wanted(request.user, wish)
    return await _answer(user_id, lambda: _forget(user_id, wanted, wish))


async def _answer(user_id: UUID, work: Callable[[], Json]) -> JsonResponse:
    try:
        return JsonResponse(await in_tenant(user_id, work))
    except (NothingToForget, NoSuchDrawer, NoSuchFact) as error:
        raise Refusal(404, NOTHING, code="memory_not_found") from error


def _wish(given: QueryDict, known: tuple[str, ...]) -> Mapping[str, str]:
    """The parameters of an address. What is not known is refused, lest more be forgotten than was
    meant."""
    wish = {name: str(given[name]).strip() for name in given}
    for name, value in wish.items():
        if name not in known or not value:
            raise Refusal(400, f"`{name}` cannot be given like this here.", param=name)
    if wish.get("erase", "now") != "now":
        raise Refusal(400, "`erase` can only be `now`.", param="erase")
    return wish


def _wanted(user: User, wish: Mapping[str, str]) -> ForgetRequest:
    if "user_id" in wish and not means(wish["user_id"], user):
        sentence = "`user_id` is not the owner of this token, and nobody else's memory can be used."
        raise Refusal(403, sentence, param="user_id", code="not_your_memory")
    if "project_id" in wish:
        return _project(wish["project_id"])
    if "user_id" not in wish:
        raise Refusal(400, "Say what to forget: `project_id`, or `user_id` for everything.")
    return ForgetRequest("everything")


def _project(named: str) -> ForgetRequest:
    try:
        return ForgetRequest("project", object_id=UUID(named))
    except ValueError:
        return ForgetRequest("project", name=named)


def _forget_one(user_id: UUID, named: str, wish: Mapping[str, str]) -> Json:
    found = _id_of(user_id, named)
    try:
        return _forget(user_id, ForgetRequest("drawer", object_id=found), wish)
    except NothingToForget:
        if "erase" in wish:
            raise
        return _forget_fact(user_id, found)


def _id_of(user_id: UUID, named: str) -> UUID:
    pointer = parse_pointer(named)
    if pointer is None:
        try:
            return UUID(named)
        except ValueError as error:
            raise NoSuchDrawer from error
    found = find_by_pointer(user_id, pointer)
    if found is None:
        raise NoSuchDrawer
    return found.id


def _forget_fact(user_id: UUID, fact_id: UUID) -> Json:
    """The words that a fact rests on stay, and do not bring it back."""
    decision = decisions.delete(user_id, fact_id, timezone.now())
    return {**_deleted(fact_id, {"facts": 1}), "scope": "fact", "decision": str(decision.event_id)}


def _forget(user_id: UUID, wanted: ForgetRequest, wish: Mapping[str, str]) -> Json:
    act = forget_now if "erase" in wish else forget
    return _told(act(user_id, wanted, timezone.now()))


def _told(receipt: Forgetting) -> Json:
    told = _deleted(receipt.object_id or receipt.id, receipt.erased or receipt.counts)
    final = receipt.final_at or receipt.at + KEPT
    return {
        **told,
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
