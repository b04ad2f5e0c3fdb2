"""The signals by which recall chooses: what each is called, what it means, and its share in a score."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

OTHER = "other"
_LEAST = 0.0005
_TELLING = 0.5


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal in words for people."""

    name: str | Promise
    meaning: str | Promise


SIGNALS: Mapping[str, Signal] = {
    "meaning": Signal(
        _("Meaning"), _("How near its meaning is to that of your message, by the embedding model.")
    ),
    "wording": Signal(
        _("Words"), _("Words it shares with your message. The rarer a word, the more it counts.")
    ),
    "word by word": Signal(
        _("Word by word"), _("How well it meets each telling word of your message.")
    ),
    "time": Signal(_("Time"), _("It was said at or near the time that your message names.")),
    "recency": Signal(
        _("Recency"), _("A little for what was said lately, when your message names no time.")
    ),
    "pinned": Signal(_("Pinned"), _("You pinned it.")),
    "project": Signal(_("Project"), _("It belongs to the project that your message is about.")),
    "pointer": Signal(_("Pointer"), _("Your message names its pointer. That beats all else.")),
    "speaker": Signal(
        _("Speaker"),
        _("Whose words are wanted: your own before others’, unless you ask what was answered."),
    ),
    "facts": Signal(
        _("Facts"), _("A fact about you that answers your message was understood from it.")
    ),
    "profile": Signal(
        _("Profile"), _("It gave a value of your profile that your message asks for.")
    ),
    "preferences": Signal(
        _("Preferences"), _("You ask for advice, and it says what you like, want or avoid.")
    ),
    "graph": Signal(
        _("Relations"),
        _("It tells of somebody or something that your message means, by what is known of them."),
    ),
    "skills": Signal(_("Skills"), _("A way that worked, which you published, was drawn from it.")),
    "names": Signal(_("Names"), _("It has the names that your message has.")),
    "phrases": Signal(_("Quotation"), _("It says what your message quotes, word for word.")),
    "misfit": Signal(
        _("Not relevant"), _("You said that it did not fit when you asked something like this.")
    ),
    "little": Signal(
        _("Says little"), _("It only asks or cheers, and hardly tells anything by itself.")
    ),
    OTHER: Signal(_("Other"), _("What else was added or taken away when the order was made.")),
}


def signal(key: str) -> Signal:
    """What a signal is called and means. One that nobody described goes by its key."""
    known = SIGNALS.get(key)
    if known is not None:
        return known
    return Signal(key.replace("_", " ").capitalize(), _("Another sign that it fits your message."))


def shares(parts: Mapping[str, float], score: float) -> dict[str, float]:
    """What share of `score` each signal has, the largest first. They add up to 1, and what speaks
    against a drawer has a share below 0. Where that takes away more than half of what speaks for
    it, the shares are those of both together, without regard to sign."""
    named = {key: part for key, part in parts.items() if abs(part) > _LEAST}
    rest = score - sum(named.values())
    if abs(rest) > _LEAST:
        named[OTHER] = named.get(OTHER, 0.0) + rest
    gained = sum(part for part in named.values() if part > 0)
    whole = score if score > gained * _TELLING else sum(map(abs, named.values()))
    ordered = sorted(named, key=lambda key: (-named[key], key))
    return {key: named[key] / whole for key in ordered} if whole else {}
