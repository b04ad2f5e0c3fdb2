"""Where one can go: the one table that navigation, palette and keyboard sheet are made from."""

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Destination:
    """A page to go to: its address by name, its icon, what it is in one line, the key after `g`,
    and the other pages that belong to it. `under` names the destination it is grouped under."""

    view: str
    icon: str
    name: "str | Promise"
    sentence: "str | Promise"
    key: str = ""
    owns: tuple[str, ...] = ()
    under: str = ""

    @property
    def url(self) -> str:
        """Its address; empty while the site has no such page."""
        try:
            return reverse(self.view)
        except NoReverseMatch:
            return ""

    def is_here(self, view: str) -> bool:
        """Whether the page of this name is the destination, or one that belongs to it."""
        return view == self.view or view in self.owns


DESTINATIONS = (
    Destination(
        "chat:chat",
        "chat",
        _("Chat"),
        _("Talk with an assistant that remembers."),
        "c",
        (
            "chat:new",
            "chat:conversation",
            "chat:message",
            "chat:edit",
            "chat:rename",
            "chat:delete",
            "chat:trace",
        ),
    ),
    Destination(
        "chat:agents",
        "agents",
        _("Agents"),
        _("Assistants with instructions and switches of their own."),
        owns=("chat:new_agent", "chat:agent", "chat:delete_agent"),
        under="chat:chat",
    ),
    Destination(
        "chat:import",
        "import",
        _("Import"),
        _("Bring chats from another assistant."),
        owns=("chat:import_run", "chat:demo"),
        under="chat:chat",
    ),
    Destination(
        "memory:palace",
        "palace",
        _("Palace"),
        _("Everything that was said, by subject."),
        "p",
        (
            "memory:wing",
            "memory:room",
            "memory:closet",
            "memory:drawer",
            "memory:delete_wing",
            "memory:delete_room",
            "memory:delete_closet",
        ),
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
        _("What you deleted, and can take back for 30 days."),
        owns=("memory:deletion",),
        under="memory:palace",
    ),
    Destination(
        "forget:wizard",
        "delete",
        _("Forget"),
        _("Take a subject, a person, a chat or some days out of your memory."),
        owns=("forget:preview", "forget:receipt"),
        under="memory:palace",
    ),
    Destination(
        "memory:search",
        "search",
        _("Search"),
        _("Find what was said, and see why it was found."),
        "s",
    ),
    Destination(
        "memory:sandbox",
        "recall",
        _("Sandbox"),
        _("See what would be put before a model for a message."),
        under="memory:search",
    ),
    Destination(
        "memory:facts",
        "facts",
        _("Facts"),
        _("Single statements that Palace understood about you."),
        "f",
        ("memory:fact", "memory:add_fact", "memory:edit_fact"),
    ),
    Destination(
        "memory:review",
        "good",
        _("Review"),
        _("What Palace is unsure of and asks you about."),
        "r",
    ),
    Destination(
        "memory:graph",
        "graph",
        _("Graph"),
        _("People, places and things, and how they hang together."),
        "g",
        ("memory:entity", "memory:paths"),
    ),
    Destination(
        "memory:timeline",
        "timeline",
        _("Timeline"),
        _("What happened, by its date."),
        "t",
    ),
    Destination(
        "memory:calendar",
        "timeline",
        _("Calendar"),
        _("On which days something was said."),
        owns=("memory:day",),
        under="memory:timeline",
    ),
    Destination(
        "memory:profile",
        "profile",
        _("Profile"),
        _("Who you are, in a few sentences made of your facts."),
        "u",
    ),
    Destination(
        "memory:insights",
        "insights",
        _("Insights"),
        _("Patterns over your facts, each with its evidence."),
        "i",
        under="memory:profile",
    ),
    Destination(
        "memory:skills",
        "skills",
        _("Skills"),
        _("Ways of doing things that worked."),
        "k",
        ("memory:skill",),
    ),
    Destination(
        "memory:activity",
        "activity",
        _("Activity"),
        _("What Palace did, and what you can take back."),
        "a",
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
        _("Make one of facts that say the same; every change can be taken back."),
        owns=("memory:consolidation_run",),
        under="memory:activity",
    ),
    Destination(
        "memory:cost",
        "cost",
        _("Cost"),
        _("What models cost you, call by call."),
        under="memory:activity",
    ),
    Destination(
        "memory:health",
        "info",
        _("Health"),
        _("How well your memory stands, and what would mend it."),
        under="memory:activity",
    ),
    Destination(
        "memory:settings",
        "settings",
        _("Settings"),
        _("What your memory does, stage by stage."),
        "e",
    ),
    Destination(
        "accounts:account",
        "account",
        _("Account"),
        _("Your name, password, language, look and sessions."),
        owns=("accounts:change_password",),
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
        _("Access tokens"),
        _("Keys with which other programs reach your memory."),
        under="memory:settings",
    ),
    Destination(
        "chat:exports",
        "copy",
        _("Export and restore"),
        _("Take your memory with you as one file, or bring it back."),
        owns=("chat:restore_export", "chat:transfer"),
        under="memory:settings",
    ),
    Destination(
        "webhooks:webhooks",
        "send",
        _("Webhooks"),
        _("Addresses of your programs that are told when something happens."),
        owns=("webhooks:webhook", "webhooks:remove_webhook"),
        under="memory:settings",
    ),
    Destination(
        "keys",
        "keys",
        _("Keyboard"),
        _("Every key that does something here."),
        under="memory:settings",
    ),
)
