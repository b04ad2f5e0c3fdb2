"""Signs scopes with a key of SECRET_KEY, so that no SQL but the application's can choose a tenant."""

import hashlib
import hmac

from django.conf import settings

from accounts.tenancy import Scope

BLOCK_BYTES = 64
INNER, OUTER = 0x36, 0x5C


def sign_scope(scope: Scope, backend: int) -> str:
    """The scope, signed for the database session with this process id and valid in no other."""
    text = _scope_text(scope)
    return f"{text} {hmac.new(_key(), f'{backend} {text}'.encode(), hashlib.sha256).hexdigest()}"


def key_pads() -> tuple[bytes, bytes]:
    """The key in the inner and outer form that HMAC hashes, 64 bytes each."""
    block = _key().ljust(BLOCK_BYTES, b"\0")
    return bytes(byte ^ INNER for byte in block), bytes(byte ^ OUTER for byte in block)


def _scope_text(scope: Scope) -> str:
    user = "" if scope.user_id is None else str(scope.user_id)
    if scope.operator:
        return f"operator:{user}"
    return f"tenant:{user}" if user else "visitor:"


def _key() -> bytes:
    return hmac.new(settings.SECRET_KEY.encode(), b"palace.postgres.signature", hashlib.sha256).digest()
