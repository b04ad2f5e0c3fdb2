"""Stop words of several languages; the words are in `stop_words.toml`."""

from memory.text.patterns import patterns, table_of, word_lists

_TABLE = table_of(__file__)
_COMMON, _FUNCTION, _GRAMMAR = (word_lists(_TABLE[name]) for name in ("common", "function", "grammar"))

COMMON_WORDS = frozenset().union(*_COMMON.values())

# Chinese characters that are mostly grammatical.
COMMON_CHARACTERS = frozenset(
    "我你您他她它们的了是在有和与就不人都一个上也很到说要去会着没看好自这那什么呢吗吧啊呀哦谁哪几多少怎样"
    "为以之于其及被把给对从让向还又再已曾能可想请问告诉地得来时候里中下前后过年月日号点分天"
)

# By language. They identify the language of a text, and queries ignore them.
FUNCTION_WORDS = {"en": _COMMON["en"], **_FUNCTION}

# The same for languages identified by their script.
GRAMMAR_WORDS = {"ru": _COMMON["ru"] | _GRAMMAR["ru"], "ar": _GRAMMAR["ar"]}

# Letters that identify one of these languages.
DISTINCTIVE_LETTERS: dict[str, str] = _TABLE["letters"]

# Function words of unspaced scripts as patterns.
GRAMMAR_RUNS = patterns(_TABLE["runs"])
