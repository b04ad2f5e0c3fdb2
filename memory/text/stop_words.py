"""Stop words of several languages; the words are in `stop_words.toml`."""

from memory.text.tables import table_of, word_lists

_COMMON, _FUNCTION, _GRAMMAR = (word_lists(languages) for languages in table_of(__file__).values())

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
DISTINCTIVE_LETTERS = {
    "de": "ßäöü",
    "es": "ñ¿¡",
    "fr": "œêèçùûîâ",
    "pt": "ãõ",
    "sv": "å",
    "da": "øæ",
    "pl": "łąęśżźćń",
    "tr": "ığş",
}

# Function words of unspaced scripts as patterns, longest first.
_CHINESE = (
    "什么时候|为什么|是不是|有没有|怎么样|多长时间|多少|什么|哪里|哪儿|哪个|哪种|哪些|哪位|哪天|哪一|怎么|怎样|"
    "为何|几点|几岁|几个|几次|几遍|我们|你们|他们|她们|咱们|自己|这个|那个|这些|那些|那次|这次|一下|"
    "时候|以前|之前|之后|以后|因为|所以|如果|但是|可以|应该|"
    "[的了是在我你您他她它们吗呢吧啊呀嘛把被跟和与就都也还又很这那哪谁从给对向让几得着过]"
)
_JAPANESE = (
    "いつ|どこ|だれ|誰|なに|なん|何|どれ|どの|どんな|どちら|どう|いくら|いくつ|なぜ|"
    "わたし|私|僕|俺|うち|でしたか|ましたか|でしょうか|ですか|ますか|でした|ました|ません|です|ます|"
    "だったっけ|だったか|だった|だっけ|っけ|ていた|ている|ていて|ています|でいる|でいた|てくれた|てくれる|"
    "てしまった|てしまう|てもらった|してある|してい|された|される|られた|られる|して|した|する|"
    "という|について|ために|ため|こと|もの|とき|ところ|あいだ|から|まで|より|など|けど|ので|"
    "のは|のが|のを|には|では|とは|でも|"
    "なかった|ない|あった|ある|いた|いる|った|って|んだ|んで|"
    "[をはがにでとのもへかねよ](?![\u3041-\u3096])|を|(?<=[\u30a1-\u9fff])[はがにでとのも]"
)
_KOREAN = (
    "언제|어디서|어디|누구|누가|무엇|무슨|어떤|어느|얼마나|얼마|어떻게|왜|뭐|뭘|내가|제가|나는|저는|나의|"
    "우리|내|제|(?:에서|에게|한테|으로|까지|부터|하고|은|는|이|가|을|를|에|의|와|과|도|로)(?![가-힣])|"
    "(?:했었|했|였|이었)?(?:지|나|어|니|나요|어요|습니까|는지)(?![가-힣])"
)
GRAMMAR_RUNS = {"zh": _CHINESE, "ja": _JAPANESE, "ko": _KOREAN}
