"""The REST API: its routers, and how each refusal is said."""

from api.description import Described
from api.doors import READ
from api.idempotency import once
from api.parsing import StrictParser
from api.refusals import say_refusals
from api.routers import (
    account,
    agents,
    arranging,
    chats,
    drawers,
    exports,
    facts,
    forgetting,
    graph,
    imports,
    insights,
    overview,
    places,
    profile,
    recalling,
    review,
    skills,
    tidying,
    traces,
    upkeep,
    webhooks,
)

ROUTERS = (
    account,
    places,
    arranging,
    drawers,
    recalling,
    traces,
    facts,
    review,
    graph,
    profile,
    skills,
    insights,
    chats,
    agents,
    overview,
    upkeep,
    tidying,
    forgetting,
    imports,
    exports,
    webhooks,
)

rest = Described(
    title="Palace",
    version="1",
    description="Everything that the pages of your memory do, for your own programs.",
    urls_namespace="rest",
    openapi_url=None,
    docs_url=None,
    auth=READ,
    parser=StrictParser(),
)
rest.add_decorator(once, mode="view")
for module in ROUTERS:
    rest.add_router("", module.router)
say_refusals(rest)
