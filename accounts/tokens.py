"""Bearer tokens: API tokens, which users create, and access tokens, which connected apps get."""

import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid5

from allauth.idp.oidc.internal.resources import is_resources_subset
from allauth.idp.oidc.models import Token as OAuthToken
from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import Q, QuerySet

from accounts.hooks import TOKEN, record
from accounts.models import SCOPES, ApiToken, User
from accounts.tenancy import tenant

LAST_USED_RESOLUTION = timedelta(hours=1)
OUTAGE_GRACE_PERIOD = timedelta(minutes=5)
MAX_CACHED = 1_000
API_TOKEN = re.compile(r"pal_(?P<owner>[0-9a-f]{32})_[A-Za-z0-9_-]{43}")
ACCESS_TOKEN = re.compile(r"[A-Za-z0-9_-]{86}")


class NameTaken(Exception):
    """The user has an active token with this name."""


class TokensUnavailable(Exception):
    """The database is unreachable, so the token cannot be checked."""


@dataclass(frozen=True, slots=True)
class Bearer:
    """The owner and scopes of a token.

    `token_id` is the same for all access tokens of one app and user.
    """

    user: User
    token_id: UUID
    scopes: frozenset[str]

    def may(self, scope: str) -> bool:
        """Whether the token has this scope: `read`, `write` or `chat`."""
        return scope in self.scopes


_verified: dict[str, tuple[Bearer, datetime]] = {}


def issue_token(user_id: UUID, name: str, now: datetime, scopes: Iterable[str] = SCOPES) -> str:
    """Save a new token and return its text, which is not stored. Raises NameTaken.

    The text contains the owner's id, so that the tenant is known before the table is read.
    """
    text = f"pal_{user_id.hex}_{secrets.token_urlsafe(32)}"
    values = {"name": name, "scopes": ",".join(scopes), "digest": _digest(text), "created_at": now}
    try:
        with transaction.atomic():
            token = ApiToken.objects.create(user_id=user_id, **values)
            record(user_id, TOKEN, now, change="created", name=name, scopes=token.scope_list)
    except IntegrityError as error:
        raise NameTaken from error
    return text


def tokens_of(user_id: UUID) -> QuerySet[ApiToken]:
    """The user's active tokens, newest first."""
    return ApiToken.objects.filter(user_id=user_id, revoked_at=None).order_by("-created_at")


def revoke_token(token: ApiToken, now: datetime) -> None:
    """Revoke the token; one that was revoked before keeps its date."""
    with transaction.atomic():
        if tokens_of(token.user_id).filter(id=token.id).update(revoked_at=now):
            record(token.user_id, TOKEN, now, change="revoked", name=token.name)


def revoke_everything(user_id: UUID, now: datetime) -> None:
    """Revoke all API tokens of the user and disconnect their apps."""
    with tenant(user_id), transaction.atomic():
        revoked = tokens_of(user_id).update(revoked_at=now)
        disconnected, _ = OAuthToken.objects.filter(user_id=user_id).delete()
        if revoked or disconnected:
            record(user_id, TOKEN, now, change="all_revoked", count=revoked)


def bearer_of(header: str, address: str, now: datetime) -> Bearer | None:
    """The bearer of an `Authorization` header for this absolute URL, or None if it is invalid.

    The date of last use is written at most once an hour. While the database is unreachable, tokens that this
    process has verified within the last five minutes keep working, so that replies need not wait for memory;
    for any other, TokensUnavailable is raised.
    """
    scheme, _, text = header.partition(" ")
    text = text.strip()
    found = API_TOKEN.fullmatch(text)
    if scheme.lower() != "bearer" or not (found or ACCESS_TOKEN.fullmatch(text)):
        return None
    cache_key = _digest(text) if found else f"{_digest(text)} {address}"
    try:
        if found:
            bearer = _read_api_token(UUID(hex=found["owner"]), _digest(text), now)
        else:
            bearer = _read_access_token(text, address)
    except (OperationalError, InterfaceError) as error:
        return _recently_verified(cache_key, now, error)
    _cache(cache_key, bearer, now)
    return bearer


def _read_api_token(owner_id: UUID, digest: str, now: datetime) -> Bearer | None:
    with tenant(owner_id):
        token = tokens_of(owner_id).filter(digest=digest).first()
        owner = User.objects.filter(id=owner_id, is_active=True).first() if token else None
        if token is None or owner is None:
            return None
        _update_last_used(token, now)
    return Bearer(owner, token.id, frozenset(token.scope_list))


def _read_access_token(text: str, address: str) -> Bearer | None:
    token = OAuthToken.objects.select_related("user").lookup(OAuthToken.Type.ACCESS_TOKEN, text)
    if token is None or token.user is None or not token.user.is_active:
        return None
    if not is_resources_subset([address], token.get_resources()):
        return None
    scopes = SCOPES.keys() & set(token.get_scopes())
    return Bearer(token.user, uuid5(token.user.id, str(token.client_id)), frozenset(scopes))


def _update_last_used(token: ApiToken, now: datetime) -> None:
    if token.last_used_at and now - token.last_used_at < LAST_USED_RESOLUTION:
        return
    long_ago = Q(last_used_at=None) | Q(last_used_at__lte=now - LAST_USED_RESOLUTION)
    ApiToken.objects.filter(long_ago, user_id=token.user_id, id=token.id).update(last_used_at=now)


def _cache(cache_key: str, bearer: Bearer | None, now: datetime) -> None:
    _verified.pop(cache_key, None)
    if len(_verified) >= MAX_CACHED:
        _verified.clear()
    if bearer is not None:
        _verified[cache_key] = bearer, now


def _recently_verified(cache_key: str, now: datetime, error: DatabaseError | InterfaceError) -> Bearer:
    bearer, at = _verified.get(cache_key, (None, now))
    if bearer is None or now - at >= OUTAGE_GRACE_PERIOD:
        raise TokensUnavailable from error
    return bearer


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
