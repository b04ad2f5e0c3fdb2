"""Requests that may be sent twice: the same idempotency key gets the same answer."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.tenancy import operator
from accounts.tokens import Bearer
from api.models import KeptAnswer
from api.problems import problem

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
WRITES = ("POST", "PUT", "PATCH", "DELETE")
MAX_KEY_LENGTH = 200
NO_KEY = f"An idempotency key has 1 to {MAX_KEY_LENGTH} visible ASCII characters."
WORKED_ON = timedelta(minutes=2)
KEPT = timedelta(hours=24)
AGAIN_AFTER_S = "2"

_KEY = re.compile(f"[!-~]{{1,{MAX_KEY_LENGTH}}}")

Arguments = ParamSpec("Arguments")
Run = Callable[Concatenate[HttpRequest, Arguments], HttpResponse]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who asks what: the person, and digests of the key and of the request."""

    user_id: UUID
    key: str
    fingerprint: str


def idempotent(run: Run[Arguments]) -> Run[Arguments]:
    """Let an operation that writes answer the same when it is asked again with the same key.

    Another request with that key is refused with 422, one that comes while the first is worked on
    with 409. Only answers that succeeded are kept, for a day; they hold no words.
    """

    @wraps(run)
    def inner(request: HttpRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        key = request.headers.get(HEADER)
        bearer: Bearer | None = getattr(request, "bearer", None)
        if key is None or bearer is None or request.method not in WRITES:
            return run(request, *args, **kwargs)
        if not _KEY.fullmatch(key):
            return problem(400, NO_KEY)
        asked = _Asked(bearer.user.id, _digest(key), _fingerprint(request, bearer))
        claim = _claim(asked, timezone.now())
        if claim is None:
            return _kept(asked)
        return _worked(asked, claim, lambda: run(request, *args, **kwargs))

    return inner


def remove_old_answers(now: datetime) -> int:
    """Erase everybody's answers that were kept for a day; returns how many."""
    with operator():
        return KeptAnswer.objects.filter(kept_at__lt=now - KEPT).delete()[0]


def _claim(asked: _Asked, now: datetime) -> UUID | None:
    """Take the request in hand; None when somebody else has, or it is answered."""
    claim = uuid7()
    row = KeptAnswer(
        user_id=asked.user_id,
        key=asked.key,
        fingerprint=asked.fingerprint,
        claim=claim,
        claimed_until=now + WORKED_ON,
        kept_at=now,
    )
    KeptAnswer.objects.bulk_create([row], ignore_conflicts=True)
    rows = KeptAnswer.objects.filter(user_id=asked.user_id, key=asked.key)
    if rows.filter(claim=claim).exists():
        return claim
    given_up = Q(status=None, claimed_until__lt=now) | Q(kept_at__lt=now - KEPT)
    taken = rows.filter(given_up).update(
        fingerprint=asked.fingerprint,
        claim=claim,
        claimed_until=now + WORKED_ON,
        kept_at=now,
        status=None,
        body=None,
    )
    return claim if taken else None


def _kept(asked: _Asked) -> HttpResponse:
    row = KeptAnswer.objects.filter(user_id=asked.user_id, key=asked.key).first()
    if row is not None and row.fingerprint != asked.fingerprint:
        return problem(422, "This idempotency key was used for another request.")
    if row is None or row.status is None:
        answer = problem(409, "The request with this idempotency key is still worked on.")
        answer.headers["Retry-After"] = AGAIN_AFTER_S
        return answer
    content = b"" if row.body is None else json.dumps(row.body).encode()
    kept = HttpResponse(content, status=row.status, content_type="application/json; charset=utf-8")
    kept.headers[REPLAYED] = "true"
    return kept


def _worked(asked: _Asked, claim: UUID, work: Callable[[], HttpResponse]) -> HttpResponse:
    """Do the work, and keep its answer or let go of the key, whatever happens."""
    mine = KeptAnswer.objects.filter(user_id=asked.user_id, key=asked.key, claim=claim)
    answer = None
    try:
        answer = work()
    finally:
        if answer is None or answer.status_code >= 300:
            mine.delete()
        else:
            mine.update(status=answer.status_code, body=_body(answer))
    return answer


def _body(answer: HttpResponse) -> Any:
    return json.loads(answer.content) if answer.content else None


def _fingerprint(request: HttpRequest, bearer: Bearer) -> str:
    """All that makes this request what it is; a narrower token gets no answer of a wider one. A
    file is not read for it: it may be large, and no two uploads of it are the same bytes."""
    head = f"{bearer.token_id}\n{request.method}\n{request.get_full_path()}\n"
    body = b"" if request.content_type == "multipart/form-data" else request.body
    return hashlib.sha256(head.encode() + body).hexdigest()


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
