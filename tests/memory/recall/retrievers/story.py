"""Messages of a user with family, tastes and a past, and what a retriever finds for a question."""

from datetime import timedelta

from llm import current
from memory.models import Drawer
from memory.recall.rewriting import rewrite
from memory.recall.types import Finding, Meaning, Search, SearchContext
from memory.search.index import space_for
from tests.drills.ledger import NOW, converse, mine
from tests.memory.recall.asking import question

MESSAGES = (
    "My sister Anna lives in Graz.",
    "Anna started at Siemens last month.",
    "My dog Bruno hates thunder.",
    "I live in Porto.",
    "I am allergic to peanuts.",
    "I prefer hotels with a rooftop pool.",
    "I work as a nurse.",
    "Meine Schwester heißt Lena.",
    "我的妻子叫王敏。",
    "The tax office wants form 17.",
)


def mine_messages(user, *words):
    """Mine each of these messages in a chat of its own, a day apart."""
    for number, said in enumerate(words or MESSAGES):
        converse(user.id, said, at=NOW - timedelta(days=90 - number))
    mine(user.id)


def findings_for(search: Search, user, message, most=20, **changes) -> dict[str, Finding]:
    """The findings of a retriever for a question, by the text of their drawers."""
    request = question(user, message, **changes)
    embedder = current.embedder()
    vector = embedder.embed_query(message).vectors[0]
    meaning = Meaning(embedder.model, space_for(embedder.model), vector)
    found = list(search(SearchContext(request, rewrite(request), meaning), most))
    texts = dict(Drawer.objects.filter(user_id=user.id).values_list("id", "content"))
    return {texts[finding.drawer_id]: finding for finding in reversed(found)}
