"""How large, deep and packed an export may be."""

from dataclasses import dataclass

_MEGABYTE = 1024**2


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is read: sizes in bytes once unpacked, `ratio` of unpacked to packed.

    `depth` is how deep an entry may be nested, `nested` how deep it may be when replies stand
    inside of what they reply to. What is deeper than that is no export at all.
    """

    total_bytes: int = 4096 * _MEGABYTE
    entry_bytes: int = 128 * _MEGABYTE
    depth: int = 200
    nested: int = 10_000
    members: int = 200_000
    ratio: int = 200
    ratio_matters_from: int = 16 * _MEGABYTE
    directory_bytes: int = 64 * _MEGABYTE


DEFAULT_LIMITS = Limits()
