"""Computes what WCAG 2.2 AA asks of the colours, in light and in dark."""

import re
from pathlib import Path

import pytest
from django.conf import settings

TOKENS = Path(settings.BASE_DIR) / "static" / "css" / "tokens.css"
PAIR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
GROUNDS = ("paper", "surface", "sunken")
HUES = ("person", "project", "topic", "agent", "place", "info", "good", "warn", "error")
WORDS = [
    *((word, ground) for word in ("ink", "ink-soft") for ground in GROUNDS),
    *((word, ground) for word in ("accent", "accent-strong") for ground in GROUNDS),
    *((hue, ground) for hue in (*HUES, "accent-strong", "ink") for ground in ("paper", "surface")),
    *((hue, f"{hue}-soft") for hue in HUES),
    *(("ink", f"{hue}-soft") for hue in HUES),
    ("ink", "accent-soft"),
    ("ink-soft", "accent-soft"),
    ("accent-strong", "accent-soft"),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("ink", "marked"),
    ("paper", "ink"),
]
SHAPES = [
    *(("line-strong", ground) for ground in GROUNDS),
    *(("accent", ground) for ground in (*GROUNDS, "accent-soft")),
]


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def palettes() -> dict[str, dict[str, str]]:
    ordinary, _, more = TOKENS.read_text().partition("@media (prefers-contrast: more)")
    found: dict[str, dict[str, str]] = {}
    for index, theme in enumerate(("light", "dark")):
        found[theme] = {pair[0]: pair[index + 1] for pair in PAIR.findall(ordinary)}
        changed = {pair[0]: pair[index + 1] for pair in PAIR.findall(more)}
        found[f"{theme}, more contrast"] = found[theme] | changed
    return found


@pytest.mark.parametrize("theme", palettes())
@pytest.mark.parametrize(("pairs", "least"), [(WORDS, 4.5), (SHAPES, 3.0)])
def test_colours_can_be_told_apart(theme: str, pairs: list[tuple[str, str]], least: float) -> None:
    colours = palettes()[theme]
    weak = {
        f"{word} on {ground}": round(contrast(colours[word], colours[ground]), 2)
        for word, ground in pairs
        if contrast(colours[word], colours[ground]) < least
    }
    assert weak == {}


def test_more_contrast_is_more() -> None:
    found = palettes()
    for theme in ("light", "dark"):
        more = found[f"{theme}, more contrast"]
        for word in ("ink", "ink-soft", "accent"):
            assert contrast(more[word], more["paper"]) >= 7
