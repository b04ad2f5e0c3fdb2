"""Filter: decide whether memory can help with a message at all.

Word lists cover English, German, Spanish, French, Italian, Portuguese, Russian, Chinese, Japanese,
Korean and Arabic.
"""

import re
from collections.abc import Iterable

from django.utils.translation import gettext_noop

from memory.aaak import find_pointers
from memory.recall.types import Decision
from memory.text.patterns import AFTER_WORD, compile_pattern, compile_words
from memory.text.sanitizing import normalise, storable

_MAX_READ = 20_000
_MAX_SMALL_TALK_LENGTH = 80
_MAX_QUESTION_LENGTH = 160


# First person, as whole words in lower case; a word may be listed by several languages.
_FIRST_PERSON = """
i i'm i've i'd i'll im ive my mine me myself we we're we've our ours us ourselves
ich mein meine meinen meinem meiner meines mir mich wir unser unsere unseren unserem uns
yo mi mis mí mío mía míos mías me conmigo nosotros nosotras nuestro nuestra nuestros nuestras nos
je j' j mon ma mes moi m' nous notre nos mien mienne
io mio mia miei mie noi nostro nostra nostri nostre
eu meu minha meus minhas mim comigo nós nosso nossa nossos nossas
я мой моя моё мое мои мне меня мной моего моей моих моему моим мою мы наш наша наше наши нам нас
나 내 나는 내가 나의 나를 나한테 저 제 저는 제가 저의 저를 저한테 우리 우리는 우리가
أنا انا نحن لي لدي لديّ عندي معي بي
"""
_FIRST_PERSON_WORDS = frozenset(_FIRST_PERSON.split())
_FIRST_PERSON_UNSPACED = ("我", "咱", "俺", "私", "僕", "わたし", "ぼく", "自分")

# Whole words that point back to earlier talks.
_MEMORY_WORDS = (
    r"remember|recall|remind|last time|previous(?:ly)?|earlier|we (?:talked|discussed|spoke)",
    r"erinner\w*|letztes mal|vorhin|neulich",
    r"recuerd\w*|acuerd\w*|última vez",
    r"souvi\w+|rappel\w*|dernière fois",
    r"ricord\w*|ultima volta",
    r"lembr\w*",
    r"помн\w*|напомн\w*|прошл\w+ раз\w*",
    r"أتذكر|تتذكر|ذكرني",
)
_MEMORY_UNSPACED = (
    "记得", "上次", "之前", "提醒", "以前", "覚えて", "前回", "この前", "기억", "지난번", "저번",
)  # fmt: skip

# Phrases that may make up a message which needs no memory; one regular expression a phrase.
_SMALL_TALK_PHRASES = """
hi|hello|hey|hiya|yo|howdy|hi there|hello there|hey there
good (?:morning|afternoon|evening|night|day)
greetings|how are you(?: doing)?(?: today)?|how's it going|how is it going|what's up|sup
nice to meet you
bye|goodbye|bye bye|see you(?: later| soon| tomorrow)?|take care
have a (?:nice|good|great) (?:day|one|evening|weekend)
thanks?|thank you|thx|ty|cheers|thanks? (?:a lot|a million|again|so much)|(?:very|so) much|a lot
many thanks
much appreciated|ok|okay|k|kk|cool|great|nice|perfect|awesome|excellent|wonderful|lovely|good
fine|alright
all right|sounds good|got it|makes sense|understood|well done|good job|wow|lol|haha+|noted
will do|no problem
you're welcome|welcome|that's (?:great|perfect|all|fine|helpful)|very helpful
for (?:your|the|all your) help
hallo|guten (?:morgen|tag|abend)|gute nacht|moin|servus|grüß gott|wie geht'?s(?: dir)?
wie geht es (?:dir|ihnen)
danke(?: schön| sehr| dir| ihnen)?|dankeschön|vielen dank|besten dank|tschüss?|auf wiedersehen
bis (?:bald|morgen|später)
alles klar|gut|super|prima|toll|bitte(?: schön)?|verstanden
hola|buenos días|buenas(?: tardes| noches)?|qué tal|cómo estás|cómo está usted|gracias
muchas gracias|mil gracias
muchísimas gracias|adiós|hasta (?:luego|mañana|pronto)|vale|de acuerdo|perfecto|genial|muy bien
de nada|entendido
bonjour|bonsoir|salut|coucou|ça va|comment (?:ça va|vas-tu|allez-vous)|merci(?: beaucoup| bien)?
au revoir
à (?:bientôt|demain|plus tard)|bonne (?:nuit|journée|soirée)|d'accord|parfait|très bien|super
de rien|compris
ciao|buongiorno|buonasera|buonanotte|salve|come (?:stai|sta|va)|grazie(?: mille| tante)?
arrivederci|a (?:presto|domani)
va bene|d'accordo|perfetto|ottimo|bene|prego|capito
olá|oi|bom dia|boa (?:tarde|noite)|tudo bem|como (?:vai|está)|(?:muito )?obrigad[oa]|valeu|tchau
até (?:logo|amanhã|mais)
perfeito|ótimo|entendi|de nada
привет|здравствуй(?:те)?|добр(?:ый|ое|ой) (?:день|утро|вечер|ночи)|как дела
спасибо(?: большое| огромное)?
благодарю|пока|до (?:свидания|завтра|встречи)|хорошо|отлично|понятно|понял|поняла|ладно|ок|круто
пожалуйста
你好(?:吗)?|您好|嗨|哈喽|大家好|早上好|早安|早|上午好|中午好|下午好|晚上好|晚安|谢谢(?:你|您|啦|了)?|多谢|非常感谢|感谢|再见|拜拜
好的?|好吧|行|可以|明白(?:了)?|知道了|收到|没问题|不客气|太好了|很好|嗯|哦|了解
你好嗎|謝謝(?:你|您)?|多謝|再見|明白了
こんにちは|こんばんは|おはよう(?:ございます)?|おやすみ(?:なさい)?|はじめまして|やあ|ありがとう(?:ございます|ございました)?|どうも|さようなら
またね|了解(?:です|しました)?|わかりました|分かりました|はい|なるほど|お元気ですか|すごい|いいね
안녕(?:하세요|하십니까|히 가세요)?|반가워(?:요)?|잘 자(?:요)?|고마워(?:요)?|고맙습니다
감사(?:합니다|해요)|정말|네|예|알겠(?:습니다|어요|어)
좋아(?:요)?|잘 지내(?:요|세요)?|좋은 (?:아침|하루)
مرحبا|مرحباً|أهلا|اهلا|أهلاً(?: وسهلاً)?|السلام عليكم(?: ورحمة الله(?: وبركاته)?)?|وعليكم السلام
صباح (?:الخير|النور)|مساء (?:الخير|النور)
كيف حالك|شكرا|شكراً|شكرا (?:جزيلا|لك)|شكراً (?:جزيلاً|لك)|مع السلامة|إلى اللقاء|حسنا|حسناً|تمام
نعم|ممتاز|عفوا
"""

_PLEASE = (
    r"(?:(?:please|pls|kindly|(?:can|could|would|will) you|now|help me(?: to)?|bitte|"
    r"kannst du|por favor|puedes|peux-tu|pouvez-vous|s'il (?:te|vous) plaît|per favore|puoi|"
    r"você pode|пожалуйста|можешь|ты можешь|请|请你|帮忙|麻烦(?:你)?|من فضلك)[\s,]*)*"
)
_GIVEN = (
    r"(?:this|these|the following|the (?:text|code|sentence|paragraph|passage)s? below|below|"
    r"dies\w*|(?:den |die |das )?folgende\w*|est[aeo]s?|(?:el |la |lo )?siguiente|"
    r"ce(?:t|tte|s|ci)?|(?:le |la )?suivante?|quest[aeio]|(?:il |la )?seguente|"
    r"ist[ao]|ess[ae]|(?:o |a )?seguinte|эт\w+|следующ\w+)"
)
_WORK = (
    r"(?:translate|proofread|summari[sz]e|rewrite|rephrase|paraphrase|reword|correct|fix|shorten|"
    r"format|reformat|convert|refactor|debug|explain|spell[- ]?check|transcribe|minify|prettify|"
    r"übersetz\w*|korrigier\w*|formulier\w*|tradu[cz]\w*|tradui\w*|corr[ei]g\w*|resum\w*|"
    r"riassum\w*|résum\w*|перевед\w*|исправ\w*|сократ\w*|перефразир\w*)"
)

# The start of a request to work on a text that the message contains.
_WORK_ON_TEXT_WORDS = (
    rf"^{_PLEASE}{_WORK}\s+{_GIVEN}{AFTER_WORD}",
    rf"^{_PLEASE}{_WORK}(?:\s+(?:to|into|in|auf|ins?|al|en|para o|на)\s+\w+)?\s*:",
    r"^(?:请|帮忙|麻烦)*(?:把|将)?(?:下面|以下|这[段句个篇])?[^\n：:我]{0,12}"
    r"(?:翻译|润色|改写|校对|总结|修改)[^\n：:我]{0,14}[：:]",
    r"^次の[^\n。私]{1,14}(?:翻訳|要約|訳|添削|修正)して",
    r"^다음[^\n.]{1,16}(?:번역|요약|교정)",
    rf"^{_PLEASE}(?:ترجم|لخص|صحح)\w*\s(?:هذا|هذه|التالي|ما يلي|النص)",
)
_PAYLOAD_MARKS = r"[:：]\s*\S|\n\s*\S|[\"“”«„「]"

_AMOUNT = r"[\d(.][\d\s.,+*/×÷^()=%-]*"

# Requests that need nothing but themselves.
_SELF_CONTAINED_WORDS = (
    rf"^{_PLEASE}(?:write|give|create|generate|make|build)\s+(?:me\s+)?(?:an?|some|the)?\s*"
    r"(?:\w+\s+){0,2}?(?:regex|regexp|regular expression|uuid|guid|lorem ipsum|cron expression|"
    r"random (?:number|password)|hello world)" + AFTER_WORD,
    r"^what(?:'s| is) (?:the |a )?(?:regex|regular expression) (?:for|to)" + AFTER_WORD,
    rf"^{_PLEASE}(?:convert|calculate|compute|what(?:'s| is)|how much is|was ist|wie viel ist|"
    rf"cuánto es|combien font|quanto fa|quanto é|сколько будет)\s+{_AMOUNT}"
    r"(?:(?:plus|minus|times|divided by|mal|por|fois|per|of)\s+[\d.,]+\s*)*"
    r"(?:[a-z°µ]{1,12}\s+(?:to|in|into)\s+[a-z°µ]{1,12})?\s*\?*$",
    rf"^{_AMOUNT}\s*\?*$",
)

_ASK = (
    rf"^{_PLEASE}(?:(?:tell|give|show) me[\s,]+)?(?:(?:what|who)(?:'s| is| are| was)|name)? ?"
    r"(?:the )?"
)

# Questions whose answer is the same for everyone.
_GENERAL_KNOWLEDGE_WORDS = (
    _ASK + r"(?:capital(?: city)?|boiling point|melting point|chemical (?:formula|symbol)|"
    r"atomic (?:number|mass|weight)|square root|cube root|plural|past tense|"
    r"meaning of the word|speed) of \w",
    _ASK + r"(?:synonyms?|antonyms?) (?:of|for) \w",
    _ASK + r"(?:population|currency|official language|president|prime minister|king|queen|"
    r"distance) (?:of|from|between) (?:the )?(?-i:[A-Z])",
    _ASK + r"(?:largest|longest|highest|tallest|deepest|biggest|smallest|fastest) \w+ "
    r"(?:in the world|on earth|in (?-i:[A-Z])\w+)\s*\?*$",
    r"^(?:who|when was|wer|quién|qui a|chi ha|quem|кто)\s+(?:the )?(?:\w+ )?(?:invented|discovered|"
    r"erfand|erfunden|entdeckte?|inventó|descubrió|inventé|découvert|inventato|scoperto|inventou|"
    r"descobriu|изобр[её]л|открыл)\b",
    r"^who (?:painted|composed) (?:the )?[\"“'‘]?(?-i:[A-Z])",
    r"^how (?:tall|high|deep|long|far|big|old) (?:is|are) (?:the )?(?:mount|mt\.?|mont|eiffel|"
    r"earth|moon|sun|everest|nile|amazon|pacific|atlantic|universe|great wall)\b",
    r"^(?:define|how do you spell) [\"“']?\w+[\"”']?\s*\??$",
    r"^what does (?:the word )?[\"“']?(?-i:[a-z]+)[\"”']? mean\s*\?*$",
    r"^how many (?:ounces|pounds|grams|cups|feet|inches|miles|met(?:re|er)s|seconds|minutes|hours|"
    r"days|weeks|cents|bytes|bits|lit(?:re|er)s|gallons|pints|teaspoons|tablespoons) "
    r"(?:are )?(?:there )?in (?:an?|one) \w+\s*\?*$",
    r"^(?:was|wie|welche)\b.{1,16}\bhauptstadt (?:von|der|des)\b",
    r"^¿?(?:cuál|quelle|qual|qual'è)\b.{1,14}\bcapitale? (?:de|del|d'|du|della|do|da|dell')",
    r"^(?:какая|какой город|назови)\b.{0,16}\bстолиц\w+ \w",
    r"^\w{1,12}的首都(?:是|在)|^\w{1,14}の首都は|^\S{1,12}의 수도(?:는|가)",
    r"^ما (?:هي |هو )?عاصمة \w",
)
# Words that tie such a question to the user's own world after all.
_POINTING_WORDS = (
    r"\b(?:this|that|these|those|its?|he|she|him|her|his|they|their|project|team|here)\b|"
    r"(?<!what)(?<!who)['’]s \w"
)


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
_PHRASES = _SMALL_TALK_PHRASES.strip().replace("\n", "|")
_SMALL_TALK = re.compile(rf"(?:(?:{_PHRASES})(?=\s|$|[{_UNSPACED}])\s*)+")
_MEMORY = compile_words("|".join(_MEMORY_WORDS), "|".join(_MEMORY_UNSPACED))
_PERSONAL_UNSPACED = compile_pattern("|".join(_FIRST_PERSON_UNSPACED), ignore_case=True)
_WORK_ON_TEXT = compile_pattern("|".join(_WORK_ON_TEXT_WORDS), ignore_case=True)
_SELF_CONTAINED = compile_pattern("|".join(_SELF_CONTAINED_WORDS), ignore_case=True)
_GENERAL_KNOWLEDGE = _any(_GENERAL_KNOWLEDGE_WORDS)
_PAYLOAD = compile_pattern(_PAYLOAD_MARKS)
_POINTING = re.compile(_POINTING_WORDS, re.IGNORECASE)
_PUNCTUATION = re.compile(r"[^\w\s'-]|_")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# "Tell me" and "for us" name the recipient, not the subject; US is a country.
_NOT_PERSONAL = re.compile(
    r"\b(?i:tell|give|show|help|write|make|for|let) (?i:me|us)\b|\bUS\b|\b(?i:let's)\b"
)
_FENCE = compile_pattern(r"```.*?(?:```|\Z)", dot_all=True)


def should_search(message: str) -> Decision:
    """Whether to search memory for a message. When in doubt, yes: only small talk, work on a text in the
    message, and plain general knowledge are skipped."""
    text = normalise("NFKC", storable(message[:_MAX_READ]).text).replace("’", "'").strip()
    if not text:
        return Decision(False, gettext_noop("The message is empty."))
    if find_pointers(text):
        return Decision(True, gettext_noop("The message names a drawer."))
    if _is_small_talk(text):
        return Decision(False, gettext_noop("A greeting or thanks does not need memory."))
    return _decision_on_request(text)


def _decision_on_request(text: str) -> Decision:
    bare = _FENCE.sub("\n```", text)
    is_self_contained = _is_self_contained(bare)
    instruction = _before_payload(bare) if is_self_contained else bare
    if _MEMORY.search(instruction) or _is_personal(instruction):
        return Decision(True, gettext_noop("The message refers to you or an earlier chat."))
    if is_self_contained:
        return Decision(False, gettext_noop("The message contains everything it asks about."))
    if _is_general_knowledge(bare):
        return Decision(False, gettext_noop("The message asks for general knowledge."))
    return Decision(True, gettext_noop("Your memory may contain something about this."))


def _before_payload(text: str) -> str:
    found = _PAYLOAD.search(text)
    return text[: found.start()] if found else text


def _is_small_talk(text: str) -> bool:
    phrase = " ".join(_PUNCTUATION.sub(" ", text.lower()).split())
    if not phrase:
        return "?" not in text
    return len(phrase) <= _MAX_SMALL_TALK_LENGTH and bool(_SMALL_TALK.fullmatch(phrase))


def _is_personal(text: str) -> bool:
    about = _NOT_PERSONAL.sub(" ", text)
    if _PERSONAL_UNSPACED.search(about):
        return True
    return any(word.lower() in _FIRST_PERSON_WORDS for word in _word_forms(about))


def _word_forms(text: str) -> Iterable[str]:
    for word in _WORD.findall(text):
        yield word
        # French j' and m' precede any word.
        yield word.partition("'")[0] + "'"


def _is_self_contained(text: str) -> bool:
    if _SELF_CONTAINED.search(text):
        return True
    return bool(_WORK_ON_TEXT.search(text) and _PAYLOAD.search(text))


def _is_general_knowledge(text: str) -> bool:
    if len(text) > _MAX_QUESTION_LENGTH or _POINTING.search(text):
        return False
    return bool(_GENERAL_KNOWLEDGE.search(text))
