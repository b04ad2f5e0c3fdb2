"""Words in a message that are somebody else's: handed over to be answered, told as speech, or said
in jest."""

import re

# What is asked about a text that stands before it.
_ABOUT_A_TEXT = (
    r"(?:das|so) stand (?:im|in|auf|an|am)\b|(?:schreib|antwort)\w* ich (?:da |ihm |ihr |darauf |dem |der )|(?:hat|schrieb|schreibt) (?:er|sie|man|jemand) mir\b|guter (?:erster )?(?:satz|anfang)|wie klingt das"
    r"|(?:bon|bonne) (?:début|première phrase|accroche)|(?:c['\u2019]est|c['\u2019]était|ce qui est) (?:écrit|marqué)|(?:que|quoi|comment) (?:lui |leur )?(?:réponds|répondre)|je (?:lui |leur )?réponds quoi|un voisin a (?:laissé|écrit)"
    r"|(?:qué|cómo) le (?:respondo|contesto|digo)|ponía (?:en|la|el)\b|me (?:llegó|mandaron|escribieron)|(?:buen|qué tal el) (?:comienzo|principio)|resum\w+ (?:del|el|este) (?:chat|hilo|mensaje)"
    r"|что (?:ему |ей |им )?ответить|как (?:ему |ей |им )?ответить|вот так(?:ую|ое|ой) (?:записк|сообщени|письм|объявлени)\w*|(?:нашла?|пришло|висит|висело) (?:под|на|в)\b|как (?:тебе|вам) (?:начало|фраза)"
    r"|怎么回(?!事)|怎麼回(?!事)|如何回复|怎么回复|帮我回|留言|收到(?:这|一)[条封]"
)
_HANDED_OVER = re.compile(
    rf".{{15,}}?(?:\n|\s[—–-]\s|[”\"»]\s?)[^\n]{{0,60}}?(?:{_ABOUT_A_TEXT})",
    re.IGNORECASE | re.DOTALL,
)
_LINE_OF_A_CHAT = re.compile(
    r"^[ \t]*(?:\[\d{1,2}[:.]\d\d(?::\d\d)?\]\s*[^\W\d_][\w .]{0,20}|\d{1,2}[:.]\d\d\s+[^\W\d_][\w .]{0,20}):\s",
    re.MULTILINE,
)
_IN_JEST = re.compile(
    r"\W*(?:(?:haha\w*|hehe\w*|lol|mdr|ptdr|jaja\w*|хаха\w*|ха-ха|ахах\w*|ага|哈哈+)[\s,]*)?(?:ja(?:,)? (?:genau|klar|sicher)|na klar|aber sicher|klar doch|oui bien sûr|bien sûr|mais oui|claro|sí claro|sí,? cómo no|ну да|ага|конечно|对对+|是啊是啊|行行行)"
    r"[\s,!.…-]*(?:und |et |y |а |и )?(?:nebenbei |ganz nebenbei )?(?:ich|bin|moi|je|j['\u2019]|yo|soy|я|我)\b",
    re.IGNORECASE,
)
_THEN_SAID = re.compile(
    r"\s?[»\"”«]?[,!.]?[»\"”]?\s?[–—-]?\s?(?:sagte|meinte|rief|fragte|flüsterte|murmelte|dit-(?:il|elle|on)|répondit|s['\u2019]exclama|murmura|dijo|respondió|exclamó|murmuró|contestó|сказала?|ответила?|воскликнула?|прошептала?|крикнула?)\b(?!\s+(?:ich|je|yo|я)\b)",
    re.IGNORECASE,
)
TAIL = 40


def handed_on(words: str) -> bool:
    """Whether a message holds a text by somebody else that it asks about, lines of a chat, or is a
    joke from its first word on."""
    return bool(
        _HANDED_OVER.match(words)
        or len(_LINE_OF_A_CHAT.findall(words)) > 1
        or _IN_JEST.match(words)
    )


def said_by_another(words: str, end: int) -> bool:
    """Whether the words up to `end` are speech: "…, sagte er" comes after them."""
    return bool(_THEN_SAID.match(words[end : end + TAIL]))
