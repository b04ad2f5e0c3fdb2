"""Idempotency keys: a repeated write returns the first response."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from inspect import unwrap
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja.operation import Operation
from uuid_utils.compat import uuid7

from accounts.tenancy import operator
from accounts.tokens import Bearer
from api.auth import READ
from api.models import IdempotencyRecord
from api.problems import Refused, problem

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
WRITES = ("POST", "PUT", "PATCH", "DELETE")
MAX_KEY_LENGTH = 200
INVALID_KEY = f"An idempotency key has 1 to {MAX_KEY_LENGTH} visible ASCII characters."
CLAIM_TIMEOUT = timedelta(minutes=2)
RETENTION = timedelta(hours=24)
RETRY_AFTER_S = 2
RUNNING = "The request with this idempotency key is still running."

_KEY = re.compile(f"[!-~]{{1,{MAX_KEY_LENGTH}}}")

Arguments = ParamSpec("Arguments")
Run = Callable[Concatenate[HttpRequest, Arguments], HttpResponse]


@dataclass(frozen=True, slots=True)
class _Request:
    """The user, and digests of the key and of the request."""

    user_id: UUID
    key: str
    fingerprint: str

    @property
    def rows(self) -> QuerySet[IdempotencyRecord]:
        """The answer under this key, if there is one."""
        return IdempotencyRecord.objects.filter(user_id=self.user_id, key=self.key)


def idempotent(run: Run[Arguments]) -> Run[Arguments]:
    """Make writes with an idempotency key repeatable.

    A different request with the same key is answered with 422, a concurrent one with 409. Only successful
    responses are stored, for a day; they contain no text. Operations that only read return text, so they
    ignore the key.
    """
    operation: Operation = unwrap(run).__self__
    if READ in operation.auth_callbacks:
        return run

    @wraps(run)
    def wrapper(request: HttpRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        key = request.headers.get(HEADER)
        bearer: Bearer | None = getattr(request, "bearer", None)
        if key is None or bearer is None or request.method not in WRITES:
            return run(request, *args, **kwargs)
        try:
            for admits in operation.auth_callbacks:
                admits(request)
        except Refused as refusal:
            return refusal.response()
        if not _KEY.fullmatch(key):
            return problem(400, INVALID_KEY)
        digest = hashlib.sha256(key.encode()).hexdigest()
        sent = _Request(bearer.user.id, digest, _fingerprint(request, bearer))
        claim = _claim(sent, timezone.now())
        if claim is None:
            return _stored(sent)
        claimed = IdempotencyRecord.objects.filter(user_id=sent.user_id, key=sent.key, claim=claim)
        request.idempotency_claim = claimed  # type: ignore[attr-defined]  # for `keep_response`
        return _run(claimed, lambda: run(request, *args, **kwargs))

    return wrapper


def keep_response(request: HttpRequest, status: int, body: Mapping[str, Any]) -> None:
    """Store the response of a write within the transaction of what it does, so that a repetition after a
    crash never does it twice. Raises Refused if another request has the key by now."""
    if not _is_kept(request, status, json.loads(json.dumps(body, cls=DjangoJSONEncoder))):
        raise Refused(409, RUNNING, retry_after=RETRY_AFTER_S)


def in_one_transaction(run: Run[Arguments]) -> Run[Arguments]:
    """Commit what a write does together with its response. For writes that create something and call no
    model; what only changes something may be repeated."""

    @wraps(run)
    def wrapper(request: HttpRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        with transaction.atomic():
            answer = run(request, *args, **kwargs)
            if _succeeded(answer) and not _is_kept(request, answer.status_code, _body(answer)):
                answer = problem(409, RUNNING, retry_after=RETRY_AFTER_S)
            if not _succeeded(answer):
                transaction.set_rollback(True)
        return answer

    return wrapper


def delete_expired_responses(now: datetime) -> int:
    """Delete all users' responses older than a day; returns how many."""
    with operator():
        return IdempotencyRecord.objects.filter(stored_at__lt=now - RETENTION).delete()[0]


def _claim(sent: _Request, now: datetime) -> UUID | None:
    """Claim the key; None if it is claimed or answered already."""
    claim = uuid7()
    claimed = {
        "fingerprint": sent.fingerprint,
        "claim": claim,
        "claimed_until": now + CLAIM_TIMEOUT,
        "stored_at": now,
        "status": None,
        "body": None,
    }
    row = IdempotencyRecord(user_id=sent.user_id, key=sent.key, **claimed)
    IdempotencyRecord.objects.bulk_create([row], ignore_conflicts=True)
    if sent.rows.filter(claim=claim).exists():
        return claim
    expired = Q(status=None, claimed_until__lt=now) | Q(stored_at__lt=now - RETENTION)
    return claim if sent.rows.filter(expired).update(**claimed) else None


def _stored(sent: _Request) -> HttpResponse:
    row = sent.rows.first()
    if row is not None and row.fingerprint != sent.fingerprint:
        return problem(422, "This idempotency key was used for another request.")
    if row is None or row.status is None:
        return problem(409, RUNNING, retry_after=RETRY_AFTER_S)
    content = b"" if row.body is None else json.dumps(row.body).encode()
    kept = HttpResponse(content, status=row.status, content_type="application/json; charset=utf-8")
    kept.headers[REPLAYED] = "true"
    return kept


def _run(claimed: QuerySet[IdempotencyRecord], work: Callable[[], HttpResponse]) -> HttpResponse:
    """Run the operation, and store its response or release the key."""
    answer = None
    try:
        answer = work()
    finally:
        if answer is None or not _succeeded(answer):
            claimed.filter(status=None).delete()
        else:
            _store(claimed, answer.status_code, _body(answer))
    return answer


def _succeeded(answer: HttpResponse) -> bool:
    return answer.status_code < 300


def _is_kept(request: HttpRequest, status: int, body: Any) -> bool:
    """Store the response if the request has an idempotency key; False if another one has it by now."""
    claimed: QuerySet[IdempotencyRecord] | None = getattr(request, "idempotency_claim", None)
    return claimed is None or _store(claimed, status, body)


def _store(claimed: QuerySet[IdempotencyRecord], status: int, body: Any) -> bool:
    return bool(claimed.filter(status=None).update(status=status, body=body))


def _body(answer: HttpResponse) -> Any:
    return json.loads(answer.content) if answer.content else None


def _fingerprint(request: HttpRequest, bearer: Bearer) -> str:
    """A digest of the token, path and body. Uploads are not read: they may be large, and their multipart
    boundary differs each time."""
    head = f"{bearer.token_id}\n{request.method}\n{request.get_full_path()}\n"
    body = b"" if request.content_type == "multipart/form-data" else request.body
    return hashlib.sha256(head.encode() + body).hexdigest()
