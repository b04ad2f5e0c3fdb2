"""Owned tables that no export holds, each with the reason that its manifest gives."""

from collections.abc import Mapping

_VECTORS = "Vectors belong to one model; they are made again after a restore."
_WORDS = "The index of words is built again from the drawers."
_TOLD = "It is written anew from the facts."
_SITE = "It belongs to the server, not to the memory."
_KEYS = "It opens doors of this server only."
_RUNS = "How files came and went is the history of this server."

LEFT_OUT: Mapping[str, str] = {
    "memory_drawervector": _VECTORS,
    "memory_widevector": _VECTORS,
    "memory_sentencevectors": _VECTORS,
    "memory_factvector": _VECTORS,
    "memory_drawerwords": _WORDS,
    "memory_lexeme": _WORDS,
    "memory_profile": _TOLD,
    "memory_projectionmark": _TOLD,
    "memory_usage": "What models cost stays in the books of the server that paid.",
    "chat_generation": "A reply in the making is not yet said.",
    "chat_openincognito": "Incognito chats are not kept.",
    "chat_chatstate": "It is made again from the turns.",
    "chat_toolrefusal": _SITE,
    "chat_edit": "It only takes back what was changed lately.",
    "chat_importrun": _RUNS,
    "chat_refusedentry": _RUNS,
    "chat_transfer": _RUNS,
    "api_keptanswer": "It answers a program that asks twice, for a day.",
    "api_webhook": "An address is told by this server, which signs with a key of its own.",
    "api_webhookdelivery": "What was sent, or waits to be, belongs to this server.",
    "api_storedresponse": "The ids by which programs go on are those of this server.",
    "accounts_apitoken": _KEYS,
    "accounts_session": _KEYS,
    "accounts_user_groups": _SITE,
    "accounts_user_user_permissions": _SITE,
    "django_admin_log": _SITE,
}
"""By the name of the table."""
