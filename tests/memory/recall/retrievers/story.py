"""Somebody with a sister, tastes and a past, told over several chats, and what is found of them."""

from datetime import timedelta

from llm import current
from memory.models import Drawer
from memory.recall.retrievers.types import Finding, Meaning, Search, SearchContext
from memory.recall.rewriting import rewrite
from memory.search.index import space_for
from tests.drills.ledger import NOW, converse, mine
from tests.memory.recall.asking import question

TOLD = (
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


def tell(user, *words):
    """Have these said, a chat each and a day apart, and mined."""
    for number, said in enumerate(words or TOLD):
        converse(user.id, said, at=NOW - timedelta(days=90 - number))
    mine(user.id)


def bring(search: Search, user, message, most=20, **changes) -> dict[str, Finding]:
    """What one arm brings for a question, by the words of the drawers."""
    request = question(user, message, **changes)
    embedder = current.embedder()
    vector = embedder.embed_query(message).vectors[0]
    meaning = Meaning(embedder.model, space_for(embedder.model), vector)
    found = list(search(SearchContext(request, rewrite(request), meaning), most))
    texts = dict(Drawer.objects.filter(user_id=user.id).values_list("id", "content"))
    return {texts[finding.drawer_id]: finding for finding in reversed(found)}
