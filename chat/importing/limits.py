"""How large, deep and packed an export may be."""

from dataclasses import dataclass

_MEGABYTE = 1024**2


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is read: sizes in bytes once unpacked, `ratio` of unpacked to packed."""

    total_bytes: int = 4096 * _MEGABYTE
    entry_bytes: int = 128 * _MEGABYTE
    depth: int = 200
    members: int = 200_000
    ratio: int = 200
    ratio_matters_from: int = 16 * _MEGABYTE
    directory_bytes: int = 64 * _MEGABYTE


DEFAULT_LIMITS = Limits()
