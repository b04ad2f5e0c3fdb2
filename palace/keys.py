"""Which keys do something: the one table that the keyboard sheet shows and its script reads."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from palace.navigation import destinations


@dataclass(frozen=True, slots=True)
class Key:
    """Strokes separated by spaces, what they do in words, and how: an act that `keys.js` knows,
    or the address they go to."""

    strokes: str
    words: "str | Promise"
    act: str = ""
    url: str = ""

    @property
    def caps(self) -> list[str]:
        """The keys to press, one after the other, as a person reads them."""
        return self.strokes.split()


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """Keys that belong together, under a heading."""

    title: "str | Promise"
    keys: tuple[Key, ...]


EVERYWHERE = (
    Key("?", _("Show these keys"), "sheet"),
    Key("/", _("Search on this page"), "search"),
    Key("u", _("Undo what was done last, while its message is shown"), "undo"),
)
LISTS = (
    Key("j", _("To the next one in the list"), "next"),
    Key("k", _("To the one before"), "previous"),
    Key("x", _("Tick it"), "press"),
    Key("e", _("Edit it"), "press"),
    Key("p", _("Pin it, or take the pin out"), "press"),
    Key("#", _("Delete it"), "press"),
)
REVIEWING = (
    Key("a", _("Yes, that is right"), "press"),
    Key("r", _("No, that is wrong"), "press"),
    Key("b", _("Both hold"), "press"),
)


def key_groups() -> Iterator[KeyGroup]:
    """Every key, in groups. ⌘K and Ctrl-K open the palette and cannot be switched off."""
    yield KeyGroup(_("Everywhere"), EVERYWHERE)
    yield KeyGroup(_("In lists and on the page of a single thing"), LISTS)
    yield KeyGroup(_("In the review"), REVIEWING)
    jumps = tuple(Key(f"g {to.key}", to.name, "go", to.url) for to in destinations() if to.key)
    yield KeyGroup(_("Go to"), jumps)
