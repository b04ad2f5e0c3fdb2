"""Digests of texts."""

from hashlib import sha256


def text_digest(text: str) -> bytes:
    """The SHA-256 of a text."""
    return sha256(text.encode()).digest()
