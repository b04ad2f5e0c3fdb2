"""How something on a page is seen: how large it is, whether anything covers it, whether it is ringed."""

from dataclasses import dataclass

from playwright.sync_api import Locator

LOOK = """(target) => {
  const style = getComputedStyle(target);
  const inline = style.display === "inline" && target.tagName === "A";
  const box = inline ? target.getClientRects()[0] : target.getBoundingClientRect();
  const form = getComputedStyle(target.closest("form:focus-within") ?? target);
  const ring = target.matches(":focus-visible") && (
    (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
    || style.boxShadow !== "none"
    || target.matches("textarea") && form.boxShadow !== "none"
  );
  const left = Math.max(0, box.left), right = Math.min(innerWidth, box.right);
  const top = Math.max(0, box.top), bottom = Math.min(innerHeight, box.bottom);
  const points = [[0.5, 0.5], [0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8]];
  const label = target.closest("label");
  const open = right > left && bottom > top && points.some(([across, down]) => {
    const there = document.elementFromPoint(
      left + across * (right - left), top + down * (bottom - top),
    );
    return there && (target.contains(there) || there.contains(target) && there === label);
  });
  return [box.width, box.height, ring, open, inline];
}"""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something stands, in CSS pixels, and how it is seen there.

    A text that fills its form, as where a message is written, is ringed by the ring of the form.
    `is_inline` says that it is a link among words, whose size is that of the line. One that goes on in
    the next line stands where it begins.
    """

    width: float
    height: float
    is_ringed: bool
    is_uncovered: bool
    is_inline: bool


def spot_of(target: Locator) -> Spot:
    """How something is seen at this moment."""
    return Spot(*target.evaluate(LOOK))
