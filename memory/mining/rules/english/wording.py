"""English as people type it, put into one form: apostrophes, short forms, fillers and smileys."""

import re

from memory.mining.rules.reading import Reading, as_said, rewritten

_MARKS = re.compile(
    "[\u2018\u2019`\u00b4](?=\\w)|[*~`\u200d\ufe0f\u2600-\u27bf\U0001f000-\U0001faff]+|[\\s\u00a0]+"
    r"|(?<!\w)(?:[:;=]-?[)(DPp/]|<3|[xX]D)(?!\w)"
)
_SHORT = {
    "i": "I", "im": "I'm", "i'm": "I'm", "i am": "I'm", "ive": "I've", "i've": "I've", "i'd": "I'd",
    "i'll": "I'll", "id": "id", "we are": "we're", "weve": "we've", "dont": "don't", "do not": "don't",
    "cant": "can't", "cannot": "can't", "can not": "can't", "couldnt": "couldn't", "wont": "won't",
    "doesnt": "doesn't", "does not": "doesn't", "didnt": "didn't", "did not": "didn't",
    "isnt": "isn't", "is not": "isn't", "arent": "aren't", "are not": "aren't", "wasnt": "wasn't",
    "was not": "wasn't", "havent": "haven't", "have not": "haven't", "shouldnt": "shouldn't",
    "wanna": "want to", "gonna": "going to", "gotta": "have to", "tryna": "trying to", "lemme": "let me", "alergic": "allergic", "allergc": "allergic",
    "vegitarian": "vegetarian", "vegeterian": "vegetarian", "wierd": "weird", "becuase": "because", "definately": "definitely",
    "freind": "friend", "girlfreind": "girlfriend", "boyfreind": "boyfriend", "birtday": "birthday", "brithday": "birthday",
    "diabetis": "diabetes", "coliac": "coeliac", "teh": "the", "thier": "their", "untill": "until", "recieve": "receive",
    "favourit": "favourite", "i ve": "I've", "i dont": "I don't", "iam": "I'm", "hubbys": "husband's", "thats": "that's",
    "whats": "what's", "hes": "he's", "shes": "she's", "theyre": "they're",
    "fav": "favourite", "fave": "favourite", "favorite": "favourite", "favorites": "favourites",
    "faves": "favourites", "bday": "birthday", "b-day": "birthday", "yrs": "years", "yr": "year",
    "i do love": "I love", "i do like": "I like", "i do enjoy": "I enjoy", "i do have": "I have",
    "name's": "name is", "birthday's": "birthday is", "i have got": "I've got",
    "we have got": "we've got", "i have been": "I've been", "we have been": "we've been",
}  # fmt: skip
_SHORT_WORDS = re.compile(
    rf"(?<![\w'])(?:{'|'.join(sorted(map(re.escape, _SHORT), key=len, reverse=True))})(?![\w'])",
    re.IGNORECASE,
)
# Words that can be left out of a sentence without a change of what is said.
_FILLERS = (
    "really|honestly|actually|basically|literally|seriously|truly|definitely|totally|absolutely"
    "|personally|desperately|weirdly|oddly enough|funnily enough|strangely enough|strangely|kinda|sorta"
    "|pretty much|to be honest|to be fair|to be clear|to be precise|tbh|tbf|btw|by the way|lol|lmao|haha+|hehe"
    "|currently|just|also|simply|finally|recently|these days|nowadays|at the moment|at present|right now"
    "|for now|as well|of course|obviously|apparently|frankly|sadly|luckily|thankfully|fortunately"
    "|unfortunately|proudly|secretly|you know|more or less|ngl|imo|imho|if i'm honest|genuinely"
    "|as it happens|believe it or not|for what it's worth|fwiw|for the most part"
    "|oddly|surprisingly|somehow|very much|so far|admittedly|incidentally|happily"
    "|i think|i guess|i suppose|i must say|i must admit|i have to say|i have to admit|i mean|i'd say"
    "|i would say|i believe|i reckon|as i said|like i said|as you know|as mentioned|especially|particularly|mainly"
    "|mostly|primarily|indeed|still(?! life)|officially|legally|already|presently|technically|as of now|generally speaking|of all things"
)
# "penicillin and, annoyingly, cats": but a family, a jelly or Italy may stand in a list.
_BETWEEN = r"(?:(?<=\band, )|(?<=\bor, )|(?<=\bbut, )|(?<=\balso, ))[a-z]{3,}(?<!fami)(?<!je)ly(?=,)"
_FILLER = re.compile(
    rf"(?P<lead>,? |^)(?P<words>(?<!\bnot )(?<!\bif )(?:{_FILLERS})|{_BETWEEN}|(?<=\bI )(?:kind|sort) of)"
    r"(?P<tail>,(?= )|(?=[ .!?;:)]|$))",
    re.IGNORECASE,
)
_KEPT_COMMA = ("especially", "particularly", "mainly", "mostly", "primarily")


def plain(text: str) -> Reading:
    """`text` with straight apostrophes, single blanks and full forms, and without fillers."""
    return rewritten(with_fillers(text), _FILLER, _without_filler)


def with_fillers(text: str) -> Reading:
    """The same with its fillers: "so far" and "now" tell that something is counted."""
    reading = rewritten(as_said(text), _MARKS, _mark)
    return rewritten(reading, _SHORT_WORDS, lambda short: _SHORT.get(short[0].lower(), short[0]))


def _mark(found: re.Match[str]) -> str:
    if found[0] in "\u2018\u2019`\u00b4":
        return "'"
    return " " if found[0].isspace() else ""


def _without_filler(found: re.Match[str]) -> str:
    words, lead = found["words"], found["lead"]
    if lead and words[0].isupper() and not words.startswith("I"):
        return found[0]
    listed = not found["tail"] or words.lower() in _KEPT_COMMA
    return "," if lead.startswith(",") and listed and found.end() < len(found.string) else ""
