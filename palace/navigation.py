"""The one table that the navigation, the command palette and the keyboard sheet are built from."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext_lazy as _

Text = str | Promise

KEYS_COOKIE = "keys"
SIDEBAR_COOKIE = "sidebar"
OFF = "off"
REVIEW = "memory:review"


@dataclass(frozen=True, slots=True)
class Destination:
    """A page to go to: its name is also its title and its entry in the palette.

    `key` is what to press after `g`, `owns` are the pages below it by view name, and `tab` is a shorter
    name beside its neighbours.
    """

    view: str
    icon: str
    name: Text
    description: Text
    key: str = ""
    owns: tuple[str, ...] = ()
    tab: Text = ""

    @property
    def url(self) -> str:
        return reverse(self.view)

    def holds(self, view: str) -> bool:
        """Whether the view of this name is the destination or a page below it."""
        return view == self.view or view in self.owns


@dataclass(frozen=True, slots=True)
class Section:
    """Pages that are each other's tabs. Its link leads to the first."""

    name: Text
    icon: str
    tabs: tuple[Destination, ...]

    def holds(self, view: str) -> bool:
        """Whether the view of this name is one of the pages or below one."""
        return any(tab.holds(view) for tab in self.tabs)


@dataclass(frozen=True, slots=True)
class Place:
    """One of the four entries of the navigation."""

    name: Text
    icon: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """An entry as one page shows it. `current` is what `aria-current` says, `reviews` whether facts that
    wait are counted there, and `parts` are the entries below it."""

    name: Text
    icon: str
    url: str
    current: str
    reviews: bool = False
    parts: "tuple[Link, ...]" = ()


@dataclass(frozen=True, slots=True)
class Key:
    """Keystrokes separated by spaces, and an action that `keys.js` knows or the URL they open."""

    strokes: str
    words: Text
    act: str = ""
    url: str = ""


def _views(space: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{space}:{name}" for name in names)


SIGNING_IN = (
    "account_change_password", "account_email", "account_set_password", "mfa_activate_totp",
    "mfa_add_webauthn", "mfa_deactivate_totp", "mfa_edit_webauthn", "mfa_generate_recovery_codes",
    "mfa_index", "mfa_list_webauthn", "mfa_remove_webauthn", "mfa_view_recovery_codes", "usersessions_list",
)  # fmt: skip

CHAT = Destination(
    "chat:chat",
    "chat",
    _("Chat"),
    _("Chat with an assistant that remembers."),
    "c",
    owns=_views(
        "chat", "new", "conversation", "send", "message", "edit", "rename", "delete", "deleted", "trace"
    ),
)
PALACE = (
    Destination(
        "memory:palace",
        "palace",
        _("Palace"),
        _("Your chats and notes by subject, word for word."),
        "p",
        owns=_views(
            "memory",
            *("wing", "room", "closet", "drawer", "change_place", "move_drawer"),
            *("delete_wing", "delete_room", "delete_closet", "delete_drawer"),
        ),
    ),
    Destination(
        "memory:search",
        "search",
        _("Search"),
        _("Search your chats and notes, and see why something was found."),
        "s",
    ),
    Destination(
        "memory:note",
        "edit",
        _("Save a note"),
        _("Write down what your assistants should know. It is saved word for word."),
        "n",
    ),
    Destination(
        "memory:trash",
        "delete",
        _("Trash"),
        _("Drawers you moved to the trash in the last 30 days; you can restore them."),
        owns=_views("memory", "deletion"),
    ),
    Destination(
        "forget:wizard",
        "delete",
        _("Forget"),
        _("Remove a wing, a person, a chat or a range of days from your memory."),
        owns=_views("forget", "preview", "receipt"),
    ),
)
FACTS = (
    Destination(
        "memory:facts",
        "facts",
        _("Facts"),
        _("Statements about you, extracted from your chats."),
        "f",
        owns=_views("memory", "fact", "add_fact", "edit_fact"),
    ),
    Destination(
        "memory:profile",
        "profile",
        _("Profile"),
        _("A short summary of you today, and insights from your facts."),
        "u",
        owns=_views("memory", "own_words"),
    ),
    Destination(
        "memory:skills",
        "skills",
        _("Skills"),
        _("Procedures that worked. None is used until you approve it."),
        "k",
        owns=_views("memory", "skill"),
    ),
)
GRAPH = (
    Destination(
        "memory:graph",
        "graph",
        _("Graph"),
        _("People, places and things, and how they’re connected."),
        "g",
        owns=_views("memory", "entity"),
    ),
    Destination(
        "memory:paths", "graph", _("Find a connection"), _("How two people, places or things are connected.")
    ),
)
TIMELINE = (
    Destination(
        "memory:timeline",
        "timeline",
        _("Timeline"),
        _("Past and upcoming events, and when facts such as your home or job began."),
        "t",
        tab=_("List"),
    ),
    Destination(
        "memory:days",
        "timeline",
        _("Days"),
        _("Your chats and notes by day. The fuller the circle, the more was said."),
        owns=_views("memory", "day"),
    ),
)
ACTIVITY = (
    Destination(
        "memory:activity",
        "activity",
        _("Activity"),
        _("What was saved to your memory, changed and left out, chat by chat."),
        "a",
        tab=_("All"),
    ),
    Destination(
        REVIEW,
        "good",
        _("Review"),
        _("Facts that wait for your decision. New ones are not used until you approve them."),
        "r",
        owns=_views("memory", "decide"),
    ),
    Destination(
        "chat:recalls",
        "recall",
        _("Recalls"),
        _("What was recalled for your chats and for programs, and why."),
        owns=_views("chat", "recall"),
    ),
    Destination(
        "memory:changes", "edit", _("Changes"), _("What you and Palace changed, forgot or restored.")
    ),
    Destination(
        "memory:consolidation",
        "retry",
        _("Consolidation"),
        _("Merges duplicate facts and archives unused ones. Every change can be undone."),
        owns=_views("memory", "consolidation_run"),
    ),
    Destination(
        "memory:cost", "cost", _("Cost"), _("Every model call made for you, and its cost in US dollars.")
    ),
)
MEMORY_SETTINGS = (
    Destination(
        "memory:settings", "settings", _("Memory settings"), _("How your memory works, stage by stage."), "e"
    ),
    Destination("memory:health", "info", _("Health"), _("Problems with your memory, and how to fix them.")),
    Destination(
        "memory:consent",
        "info",
        _("What Palace keeps"),
        _("What is stored, where it is, and who can read it."),
    ),
)
MODELS = Destination(
    "chat:models",
    "play",
    _("Models"),
    _("The endpoint and the models that write your replies and read your chats."),
    "m",
    owns=_views("chat", "choose_models", "test_endpoint", "remove_endpoint"),
)
AGENTS = Destination(
    "chat:agents",
    "agents",
    _("Agents"),
    _("Assistants with their own instructions and their own access to memory."),
    owns=_views("chat", "new_agent", "agent", "delete_agent"),
)
CONNECTIONS = (
    Destination(
        "accounts:tokens",
        "lock",
        _("Connections"),
        _("Programs and MCP clients that have access to your memory."),
        owns=_views("accounts", "revoke_token"),
        tab=_("Tokens and apps"),
    ),
    Destination(
        "webhooks:webhooks",
        "send",
        _("Webhooks"),
        _("Endpoints that Palace calls when something happens. It sends ids and counts, never text."),
        owns=_views("webhooks", "webhook", "remove_webhook"),
    ),
    Destination("api:docs", "info", _("API"), _("Use your memory from your own programs.")),
)
IMPORT_AND_EXPORT = (
    Destination(
        "chat:import",
        "import",
        _("Import chats"),
        _("Import chats from another assistant."),
        owns=_views("chat", "import_run", "import_memories"),
    ),
    Destination(
        "chat:exports",
        "copy",
        _("Export and restore"),
        _("Export your memory into a file, or restore one."),
        owns=_views("chat", "restore_export", "transfer"),
    ),
    Destination("chat:demo", "play", _("Demo palace"), _("Look around in the palace of a fictional person.")),
)
ACCOUNT = (
    Destination(
        "accounts:account",
        "account",
        _("Account"),
        _("Your name, theme, email, password, passkeys and sessions."),
        owns=(*SIGNING_IN, "closing:close"),
    ),
    Destination("keys", "keys", _("Keyboard"), _("Every keyboard shortcut.")),
)

PLACES = (
    Place(_("Chat"), "chat", (Section(_("Chat"), "chat", (CHAT,)),)),
    Place(
        _("Memory"),
        "palace",
        (
            Section(_("Palace"), "palace", PALACE),
            Section(_("Facts"), "facts", FACTS),
            Section(_("Graph"), "graph", GRAPH),
            Section(_("Timeline"), "timeline", TIMELINE),
        ),
    ),
    Place(_("Activity"), "activity", (Section(_("Activity"), "activity", ACTIVITY),)),
    Place(
        _("Settings"),
        "settings",
        (
            Section(_("Memory settings"), "settings", MEMORY_SETTINGS),
            Section(_("Models"), "chat", (MODELS,)),
            Section(_("Agents"), "agents", (AGENTS,)),
            Section(_("Connections"), "lock", CONNECTIONS),
            Section(_("Import and export"), "import", IMPORT_AND_EXPORT),
            Section(_("Account"), "account", ACCOUNT),
        ),
    ),
)
DESTINATIONS = tuple(tab for place in PLACES for section in place.sections for tab in section.tabs)

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
    Key("#", _("Delete it or move it to the trash"), "press"),
)
REVIEWING = (
    Key("a", _("Approve, or keep a fact that may have ended"), "press"),
    Key("r", _("Reject, or end a fact that may have ended"), "press"),
    Key("b", _("Keep both"), "press"),
)


def links(view: str) -> Iterator[Link]:
    """The navigation as the page of this view shows it."""
    for place in PLACES:
        parts = tuple(_link(section, view) for section in place.sections)
        first, is_open = parts[0], any(part.current for part in parts)
        if len(parts) == 1:
            yield first
        else:
            yield Link(place.name, place.icon, first.url, "true" if is_open else "", parts=parts)


def tabs(view: str) -> tuple[Link, ...]:
    """The tabs of the page of this view; none where it has no neighbours."""
    found = next((part for place in PLACES for part in place.sections if part.holds(view)), None)
    if found is None or len(found.tabs) == 1:
        return ()
    return tuple(
        Link(tab.tab or tab.name, "", tab.url, _current(tab, view), tab.view == REVIEW) for tab in found.tabs
    )


def key_groups() -> Iterator[tuple[Text, Iterable[Key]]]:
    """Every single key, under headings. ⌘K and Ctrl-K open the palette and cannot be switched off."""
    yield _("Everywhere"), EVERYWHERE
    yield _("In lists and on the page of a single item"), LISTS
    yield _("In the review"), REVIEWING
    yield _("Go to"), [Key(f"g {to.key}", to.name, "go", to.url) for to in DESTINATIONS if to.key]


def frame(request: HttpRequest) -> dict[str, object]:
    """Context processor: navigation and keys of signed-in users, built only where a template uses them."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    view = request.resolver_match.view_name if request.resolver_match else ""
    place = next((each for each in DESTINATIONS if each.holds(view)), None)
    return {
        "here": place,
        "page_path": request.path if request.method == "GET" or place is None else place.url,
        "tabs": SimpleLazyObject(partial(tabs, view)) if user.agreed_at else (),
        "navigation": SimpleLazyObject(partial(tuple, links(view))),
        "key_groups": SimpleLazyObject(partial(tuple, key_groups())),
        "keys_are_off": request.COOKIES.get(KEYS_COOKIE) == OFF,
        "sidebar_is_off": request.COOKIES.get(SIDEBAR_COOKIE) == OFF,
    }


def _link(section: Section, view: str) -> Link:
    first = section.tabs[0]
    current = _current(first, view) or ("true" if section.holds(view) else "")
    reviews = any(tab.view == REVIEW for tab in section.tabs)
    return Link(section.name, section.icon, first.url, current, reviews)


def _current(page: Destination, view: str) -> str:
    if view == page.view:
        return "page"
    return "true" if page.holds(view) else ""
