"""The one table that the navigation, the command palette and the keyboard sheet are built from."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext_lazy as _

Text = str | Promise

KEYS_COOKIE = "keys"
OFF = "off"


@dataclass(frozen=True, slots=True)
class Destination:
    """A page to go to.

    `key` is what to press after `g`, `owns` are the pages below it by view name, and `under` is the
    destination it is grouped under.
    """

    view: str
    icon: str
    name: Text
    description: Text
    key: str = ""
    owns: tuple[str, ...] = ()
    under: str = ""

    @property
    def url(self) -> str:
        """Its address, or an empty string if this site has no such page."""
        try:
            return reverse(self.view)
        except NoReverseMatch:
            return ""

    def is_here(self, view: str) -> bool:
        """Whether the view of this name is the destination or a page below it."""
        return view == self.view or view in self.owns


@dataclass(frozen=True, slots=True)
class Link:
    """A destination as one page shows it; `parts` are the destinations below it while it is open."""

    destination: Destination
    is_here: bool
    parts: "tuple[Link, ...]" = ()


@dataclass(frozen=True, slots=True)
class Key:
    """Keystrokes separated by spaces, and an action that `keys.js` knows or the URL they open."""

    strokes: str
    words: Text
    act: str = ""
    url: str = ""

    @property
    def caps(self) -> list[str]:
        """The keys to press, one after the other."""
        return self.strokes.split()


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """Keys under one heading."""

    title: Text
    keys: tuple[Key, ...]


def _of(space: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{space}:{name}" for name in names)


SIGNING_IN = (
    "account_change_password",
    "account_email",
    "account_set_password",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "mfa_deactivate_totp",
    "mfa_edit_webauthn",
    "mfa_generate_recovery_codes",
    "mfa_index",
    "mfa_list_webauthn",
    "mfa_remove_webauthn",
    "mfa_view_recovery_codes",
    "usersessions_list",
)

DESTINATIONS = (
    Destination(
        "chat:chat",
        "chat",
        _("Chat"),
        _("Chat with an assistant that remembers."),
        "c",
        owns=_of("chat", "new", "conversation", "message", "edit", "rename", "delete", "trace"),
    ),
    Destination(
        "chat:agents",
        "agents",
        _("Agents"),
        _("Assistants with their own instructions and memory switches."),
        owns=_of("chat", "new_agent", "agent", "delete_agent"),
        under="chat:chat",
    ),
    Destination(
        "chat:import",
        "import",
        _("Import"),
        _("Import chats from another assistant."),
        owns=_of("chat", "import_run", "demo"),
        under="chat:chat",
    ),
    Destination(
        "memory:palace",
        "palace",
        _("Palace"),
        _("Everything that was said, by subject."),
        "p",
        owns=_of("memory", "wing", "room", "closet", "drawer", "delete_wing", "delete_room", "delete_closet"),
    ),
    Destination(
        "memory:note",
        "edit",
        _("Save a note"),
        _("Write down what your assistants should know."),
        "n",
        under="memory:palace",
    ),
    Destination(
        "memory:trash",
        "delete",
        _("Trash"),
        _("What you deleted in the last 30 days and can restore."),
        owns=_of("memory", "deletion"),
        under="memory:palace",
    ),
    Destination(
        "forget:wizard",
        "delete",
        _("Forget"),
        _("Remove a subject, a person, a chat or a range of days from your memory."),
        owns=_of("forget", "preview", "receipt"),
        under="memory:palace",
    ),
    Destination(
        "memory:search", "search", _("Search"), _("Find what was said, and see why it was found."), "s"
    ),
    Destination(
        "memory:sandbox",
        "recall",
        _("Sandbox"),
        _("See what the model would see for a message."),
        under="memory:search",
    ),
    Destination(
        "memory:facts",
        "facts",
        _("Facts"),
        _("Single statements Palace has learned about you."),
        "f",
        owns=_of("memory", "fact", "add_fact", "edit_fact"),
    ),
    Destination(
        "memory:review",
        "good",
        _("Review"),
        _("Facts that Palace is unsure about and asks you to check."),
        "r",
    ),
    Destination(
        "memory:graph",
        "graph",
        _("Graph"),
        _("People, places and things, and how they're connected."),
        "g",
        owns=_of("memory", "entity", "paths"),
    ),
    Destination("memory:timeline", "timeline", _("Timeline"), _("Past and upcoming events."), "t"),
    Destination(
        "memory:calendar",
        "timeline",
        _("Calendar"),
        _("The days on which you or an assistant said something."),
        owns=_of("memory", "day"),
        under="memory:timeline",
    ),
    Destination("memory:profile", "profile", _("Profile"), _("A short summary of you today."), "u"),
    Destination(
        "memory:insights",
        "insights",
        _("Insights"),
        _("Patterns in your facts, each with its evidence."),
        "i",
        under="memory:profile",
    ),
    Destination(
        "memory:skills",
        "skills",
        _("Skills"),
        _("Ways of doing things that worked."),
        "k",
        owns=_of("memory", "skill"),
    ),
    Destination(
        "memory:activity", "activity", _("Activity"), _("What Palace did, and what you can undo."), "a"
    ),
    Destination(
        "memory:diary",
        "diary",
        _("Diary"),
        _("What was learned, changed and forgotten, day by day."),
        "d",
        under="memory:activity",
    ),
    Destination(
        "memory:consolidation",
        "retry",
        _("Tidying up"),
        _("Merge facts that say the same; you can undo every change."),
        owns=_of("memory", "consolidation_run"),
        under="memory:activity",
    ),
    Destination(
        "memory:cost", "cost", _("Cost"), _("What models cost you, call by call."), under="memory:activity"
    ),
    Destination("memory:health", "info", _("Health"), _("Memory health and fixes."), under="memory:activity"),
    Destination("memory:settings", "settings", _("Settings"), _("How memory works, stage by stage."), "e"),
    Destination(
        "accounts:account",
        "account",
        _("Account"),
        _("Your name, theme, email, password, passkeys and sessions."),
        owns=SIGNING_IN,
        under="memory:settings",
    ),
    Destination(
        "memory:consent",
        "info",
        _("What is kept"),
        _("What Palace keeps, and who can read it."),
        under="memory:settings",
    ),
    Destination(
        "accounts:tokens",
        "lock",
        _("Tokens and apps"),
        _("Programs that have access to your memory."),
        under="memory:settings",
    ),
    Destination(
        "chat:exports",
        "copy",
        _("Export and restore"),
        _("Take your memory with you in one file, or restore it."),
        owns=_of("chat", "restore_export", "transfer"),
        under="memory:settings",
    ),
    Destination(
        "webhooks:webhooks",
        "send",
        _("Webhooks"),
        _("Endpoints that Palace calls when something happens."),
        owns=_of("webhooks", "webhook", "remove_webhook"),
        under="memory:settings",
    ),
    Destination("keys", "keys", _("Keyboard"), _("Every keyboard shortcut."), under="memory:settings"),
)

EVERYWHERE = (
    Key("?", _("Show these keys"), "sheet"),
    Key("/", _("Search on this page"), "search"),
    Key("u", _("Undo the last action while its message is visible"), "undo"),
)
LISTS = (
    Key("j", _("Go to the next item"), "next"),
    Key("k", _("Go to the previous item"), "previous"),
    Key("x", _("Select it"), "press"),
    Key("e", _("Edit it"), "press"),
    Key("p", _("Pin or unpin it"), "press"),
    Key("#", _("Delete it"), "press"),
)
REVIEWING = (
    Key("a", _("Approve"), "press"),
    Key("r", _("Reject"), "press"),
    Key("b", _("Keep both"), "press"),
)


def destinations() -> tuple[Destination, ...]:
    """Every destination that exists on this site."""
    return tuple(each for each in DESTINATIONS if each.url)


def links(view: str) -> Iterator[Link]:
    """The navigation as the page of this view shows it."""
    found = destinations()
    for top in found:
        if top.under:
            continue
        parts = tuple(Link(each, each.is_here(view)) for each in found if each.under == top.view)
        is_open = top.is_here(view) or any(part.is_here for part in parts)
        yield Link(top, top.is_here(view), parts if is_open else ())


def key_groups() -> Iterator[KeyGroup]:
    """Every single key, in groups. ⌘K and Ctrl-K open the palette and cannot be switched off."""
    yield KeyGroup(_("Everywhere"), EVERYWHERE)
    yield KeyGroup(_("In lists and on the page of a single item"), LISTS)
    yield KeyGroup(_("In the review"), REVIEWING)
    jumps = tuple(Key(f"g {to.key}", to.name, "go", to.url) for to in destinations() if to.key)
    yield KeyGroup(_("Go to"), jumps)


def frame(request: HttpRequest) -> dict[str, object]:
    """Context processor: navigation and keys of signed-in users, built only where a template uses them."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    view = request.resolver_match.view_name if request.resolver_match else ""
    return {
        "navigation": SimpleLazyObject(partial(tuple, links(view))),
        "key_groups": SimpleLazyObject(partial(tuple, key_groups())),
        "keys_are_off": request.COOKIES.get(KEYS_COOKIE) == OFF,
    }
