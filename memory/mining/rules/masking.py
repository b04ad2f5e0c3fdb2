"""What in a message is the speaker's own speech, and what is pasted, quoted or code."""

import re

from memory.mining.rules.english.handed import FORMULA, LIST_TO_SORT, PROFILE_OF, TO_WHOM
from memory.mining.rules.masking_chinese import HANDED_OVER_ZH, WORK_ON_TEXT_ZH
from memory.mining.windows import without_memory

_LINE = re.compile(r"[^\n]*\n?")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_PASTED_LINE = re.compile(
    r"""\s*(?:
      >                                            # quoted mail or markdown
    | \$\s | >>>\s | \#!/ | PS\s[A-Z]:\\           # shell and interpreter sessions
    | \[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d             # log line with a time
    | \[?\d\d:\d\d:\d\d\b
    | \[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL)\b[\]:\s]
    | Traceback\ \(most\ recent | File\ "[^"]{1,200}",\ line\ \d+ | at\ [\w.$]{1,100}\(
    | (?:From|To|Subject|Date|Cc|Sent):\s          # mail headers
    | (?:import|from|def|class|return|const|let|var|function|public|private|SELECT)\b.{0,200}[;{(:=]\s*$
    | [\w"'-]{1,40}\s*[:=]\s*["'\[{].*[,;\]}"']\s*$   # configuration and JSON
    | </?[a-zA-Z][^>]{0,200}>\s*$
    | \|.*\|\s*$                                   # tables
    | [QA]\.\s
    | (?:user|assistant|human|ai|system|me|you|q|a|speaker\ \d+)\s{0,2}:\s
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_WORK_ON_TEXT = re.compile(
    r"\b(?:translate|rewrite|re-write|rephrase|paraphrase|proof-?read|summari[sz]e|correct|improve"
    r"|edit|shorten|polish|review|check|analy[sz]e|classify|continue|grammar|übersetze?|korrigiere?|verbessere?|fasse?|überarbeite|prüfe?"
    r"|traduis|traduire|corrige|reformule|résume|relis|resume|traduce|tradúc\w+|traducir|corregir|revisa|mejora"
    r"|переведи(?:те)?|перевести|исправь|проверь|отредактируй|перепиши)\b(?!(?<=correct) (?:something|myself|one thing|a (?:mistake|detail|thing)|what I|that)\b)[^\n]{0,120}?(?::(?!\d)|\n)",
    re.IGNORECASE,
)
_WRITE_FOR_ME = re.compile(
    r"\b(?:write|draft|compose|generate|create|give me|make up|tell me) (?:me |us )?(?:an? |the |some )?(?:[\w-]+ ){0,3}?(?:story|poem|(?:cover )?letter|e-?mail|speech|bio|out[- ]of[- ]office(?: \w+)?|auto-?reply|voicemail(?: \w+)?|obituary|eulogy|advert|ad|tweet|statement|apology|announcement|invitation|status|headline|slogan|vows?|blurb|pitch|dating profile|profile|dialogue|monologue|song"
    r"|text|post|diary entry|scene|message|essay|paragraph|review|toast|caption|sentences?|lyrics|reply|note|testimonial)\b[^\n:]{0,80}:(?!\d)",
    re.IGNORECASE,
)
_FICTION = (
    r"(?:geschichte|gedicht|märchen|monolog|dialog|szene|lied|songtext|tagebuch\w*|roman\w*|krimi|fabel|kurzgeschichte"
    r"|cuento|poema|relato|diálogo|escena|canción|monólogo|fábula|diario|histoire|poème|conte|dialogue|scène|chanson|journal intime|fable"
    r"|рассказ\w*|стих\w*|сказк\w*|диалог|монолог|сцен\w|песн\w|дневник\w*)"
)
_FICTION_BEGINS = re.compile(
    rf"(?:\b(?:schreib\w*|verfass\w*|dichte|erfinde?|erzähl\w*|setz\w*|führ\w*|escrib\w*|escríb\w*|redacta|cuéntame|inventa|continúa|sigue|écri[st]|écrivez|rédige|raconte|invente|continue"
    rf"|напиши(?:те)?|сочини(?:те)?|придумай(?:те)?|продолжи(?:те)?)\b[^\n:.?!]{{0,40}}?\b{_FICTION}|^[^\w\n]*(?:\w+ )?{_FICTION}(?= (?:bitte|über|aus|auf|por favor|sobre|desde|en|s['\u2019]il|sur|du|à|про|от|о)\b))\b[^\n:]{{0,80}}:(?!\d)",
    re.IGNORECASE | re.MULTILINE,
)
_HANDED_OVER = re.compile(
    r"(?:\b(?:here(?:['\u2019]s| is| are)|this is|below is|read|consider|see) (?:an? |the |my |his |her |their |our |some |what )?(?:[\w'\u2019-]+ ){0,4}?"
    r"(?:profile|e-?mail|message|letter|text|draft|bio|essay|story|poem|review|post|comment|reply|speech|paragraph|transcript|conversation"
    r"|dialogue|script|listing|description|tweet|quote|statement|excerpt|passage|testimonial|prompt|scenario|article|sentence)s?\b[^\n:.?!]{0,40}"
    r"|^[ \t]*(?:bio|profile|testimonial|review|excerpt|transcript|lyrics|caption|quote|prompt|tweet|comment|post|abstract|scenario|example|text|passage|input|output|(?:cover )?letter|cv(?: (?:no|number|#|nr)\.? ?\d+| \d+)?|résumé|resume|monologue|dialogue|skit|sketch|customer \w+|user story|perfil|profil|профиль|currículum|lebenslauf|anzeige|anuncio|annonce|объявление|резюме|biografía|biographie|об авторе)(?: (?:from|by|of|for|on)\b[^\n:]{0,40})?)"
    r":(?=\s)",
    re.IGNORECASE | re.MULTILINE,
)
_BELOW = re.compile(
    r"\b(?:below|following|pasted|attached|here goes|here it is)\b[^\n:]{0,60}:[ \t]*\n"
    r"|^[ \t]*-{3,}[ \t]*$(?=(?:.|\n){10,6000}?^[ \t]*-{3,}[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
# A letter that begins below the first line was not written to the assistant.
_MAIL_INSIDE = re.compile(
    r"(?<=[\n:])[ \t]*(?:hi|hello|hey|dear) (?-i:[A-Z])[\w.]+(?: (?-i:[A-Z])\w+)?,[ \t]*\n",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"^[ \t]*(?:dear (?:\w+[ ,]|sir|madam)|to whom it may concern)[^\n,]{0,30}|^(?:hi|hello|hey) [^\n,]{2,30},[ \t]*\n(?=(?:.|\n){1,4000}?^[ \t]*(?:best|kind|warm|many thanks|regards|sincerely|yours|cheers|thanks|love)[^\n]{0,20},?[ \t]*\n)",
    re.IGNORECASE | re.MULTILINE,
)
_DIALOGUE_LINE = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,25}\][ \t]*|\d\d?:\d\d[ \t]*(?:[ap]m)?[ \t-]*)?(?-i:[A-Z])[\w.]{1,20}(?: (?-i:[A-Z])\w{1,20})?:[ \t][^\n]*\b(?:I|my|we|I['\u2019]m)\b[^\n]*$",
    re.MULTILINE,
)
_MAIL_HEADER = re.compile(
    r"^(?:From|To|Subject|Date|Cc|Sent|Re|Von|An|Betreff|Gesendet|De|À|Objet|Asunto|Para|От|Кому|Тема|发件人|收件人|主题) ?[:\uff1a] ?.*$",
    re.MULTILINE,
)
_QUOTED = re.compile(
    "|".join(
        (
            r"\"[^\"\n]{1,1000}\"",
            r"“[^“”\n]{1,1000}”",
            r"„[^„“”\"\n]{1,1000}[“”\"]",
            r"«[^«»\n]{1,1000}»",
            r"»[^«»\n]{1,1000}[«»]",
            r"「[^「」\n]{1,500}」",
            r"『[^『』\n]{1,500}』",
            r"‹[^‹›\n]{1,1000}›",
            r"›[^‹›\n]{1,1000}‹",
            r"‚[^‚‘’\n]{1,1000}[‘’](?!\w)",
            r"(?<!\w)‘(?!\d0s)(?:[^‘’\n]|’(?=\w)){1,1000}’(?!\w)",
            r"(?<!\w)'(?!\d0s|\s)(?:[^'\n]|'(?=\w)){1,300}(?<!\s)'(?!\w)",
        )
    )
)
_FIRST_PERSON = re.compile(
    r"(?<![\w'\u2019])(?:i|i['\u2019]\w{1,3}|my|me|we|our|ich|mein\w{0,2}|mir|wir|je|j['\u2019]\w+|mon|ma|mes|moi"
    r"|yo|mi|mis|me|soy|estoy|vivo|trabajo|tengo|odio|amo|adoro|quiero|prefiero|necesito|busco|nos|nuestr[oa]s?|j'|j\u2019|nous|notre|wohne|hasse|unser\w{0,2}|mich|suche|(?<!\w[ ])(?:bin|hab|habe|mag)|я|мой|моя|мне|меня|живу|работаю|люблю|remember|always|never)(?![\w])|我|本人|俺",
    re.IGNORECASE,
)

# Words after which a quotation is somebody else's, whoever it speaks of: "on his shirt stood …".
_IS_WRITTEN = re.compile(
    r"\b(?:steht|stand|stehen|sagt|sagte|schreibt|schrieb|ruft|rief|fragt|meint|meinte|brüllte?|lautet|heißt es|mach(?:e|t)? aus|pone|ponía|dice|dijo|decía|escribió|gritó|soltó|suelta|reza|cambia"
    r"|dit|disait|écrit|lit|marqué|crie|crié|répond|répondit|lance|написано|стоит|сказала?|говорит|пишет|написала?|крикнула?|спросила?|reads|says|said|wrote|written|shouted|yelled)[\s,:–—-]*$",
    re.IGNORECASE,
)
_BY_ONESELF = re.compile(r"\b(?:I|ich|yo|je|я)\b|\bj['\u2019]ai\b", re.IGNORECASE)
# In straight single marks a name stands as often as speech: "the 'tell me about you' question".
_NAMES_A_THING = re.compile(r"\b(?:the|this|that|your|my|our|an?)[ ]$", re.IGNORECASE)
_TITLE = re.compile(r"\W*(?:(?:[A-Z\d][\w\u2019-]*|[a-z]{1,3})\W+)+")

# The head of what one person said in a recorded talk: "Ann Lee  00:24".
_SPEAKER = re.compile(
    r"^[ \t]*[^\W\d_][^\n\d]{1,30}[ \t]{1,4}\(?\d{1,2}:\d\d(?::\d\d)?\)?:?[ \t]*$", re.MULTILINE
)
_SIGNED = re.compile(
    r"^[ \t]*(?:(?:best|kind|warm|many|with)[^\n]{0,12} (?:regards|wishes|thanks)|(?:best )?regards|sincerely|yours (?:truly|faithfully|sincerely)|respectfully|mit freundlichen grüßen|cordialement|atentamente|с уважением)[,.!]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ONESELF = re.compile(
    r"\b(?:I|my|me|we|our|us|ich|mein\w*|mir|mich|wir|je|mon|ma|mes|nous|yo|mi|mis|я|мой|мне|мы)\b|我|['\u2019](?:m|ve)\b|\bj['\u2019]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\u3400-\u9fff]|\w+")
_LISTED = re.compile(r"^[ \t]*(?:[-*•●·–]|\d{1,2}[.)]|#{1,4} |[A-Z][\w &/]{2,40}:[ \t]*$)", re.MULTILINE)

# A talk without the names of those who speak: lines that ask somebody, between lines of answers.
_ASKED = re.compile(r"^[^\n]{8,300}\b(?:you|your)\b[^\n]{0,200}\?[ \t]*$", re.MULTILINE | re.IGNORECASE)
_LINES = re.compile(r"^[ \t]*\S", re.MULTILINE)
# Somebody recommends themselves, and asks for nothing.
_APPLYING = re.compile(
    r"\b(?:with an? (?:strong |deep |true )?passion for|proven (?:track )?record|(?:technical|professional|leadership|communication|interpersonal) skills"
    r"|my professional \w+|results[- ]driven|detail[- ]oriented|(?:is|am) seeking an? (?:new )?(?:position|role|opportunity)|strong (?:background|relationships) (?:in|with))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|\b(?:please|help (?:me|with|us)|can you|could you|looking for|advice|tips|suggest|recommend|I need|I want|I'd like)\b",
    re.IGNORECASE,
)

LONG = 1_200
WORD_BEFORE = 24
LEAST_ASKED = 2
LEAST_SPOKEN = 10
LONG_LETTER = 400
LEAST_LISTED = 8
ABOUT_ONESELF = 0.025
LEAST_HEADERS = 2
LEAST_LINES = 2


def spoken(content: str) -> str:
    """`content` with everything that is not the speaker's own statement blanked by line breaks.

    Blanked are memory blocks, code, pasted logs and mails, texts given to be worked on, and quoted
    speech in the first person. The length stays the same, so every offset still holds.
    """
    text = _without_talk(_without_pasted_lines(without_memory(content)))
    text = _without_dialogue(_without_mail(text, content))
    for pattern in (
        _WORK_ON_TEXT,
        _WRITE_FOR_ME,
        _FICTION_BEGINS,
        _HANDED_OVER,
        _BELOW,
        _MAIL_INSIDE,
        _LETTER,
        WORK_ON_TEXT_ZH,
        HANDED_OVER_ZH,
        TO_WHOM,
        LIST_TO_SORT,
        PROFILE_OF,
    ):
        order = pattern.search(text)
        if order:
            text = text[: order.end()] + _blank(text[order.end() :])
    text = FORMULA.sub(lambda line: _blank(line[0]), text)
    return _QUOTED.sub(_not_ones_own, text)


def handed_over(content: str) -> bool:
    """Whether a message has the shape of a text from elsewhere: a signed letter, an application that
    asks for nothing, or a long one that hardly speaks of its writer, is mostly a list or a talk."""
    if len(content) >= LONG_LETTER and _SIGNED.search(content):
        return True
    if _APPLYING.search(content) and not _ASKS.search(content):
        return True
    if len(content) < LONG:
        return False
    if _is_talk(content):
        return True
    words = len(_WORD.findall(content))
    listed = sum(1 for _ in _LISTED.finditer(content))
    own = sum(1 for _ in _ONESELF.finditer(content))
    return listed >= LEAST_LISTED or own < ABOUT_ONESELF * words


def _is_talk(content: str) -> bool:
    asked = sum(1 for _ in _ASKED.finditer(content.rstrip().rpartition("\n")[0]))
    return asked >= LEAST_ASKED and sum(1 for _ in _LINES.finditer(content)) >= LEAST_SPOKEN


def _without_pasted_lines(text: str) -> str:
    kept: list[str] = []
    fence = ""
    for line in _LINE.findall(text):
        opened = _FENCE.match(line)
        if fence:
            kept.append(_blank(line))
            fence = "" if opened and opened[1] == fence else fence
        elif opened:
            kept.append(_blank(line))
            fence = opened[1]
        else:
            kept.append(_blank(line) if _PASTED_LINE.match(line) else line)
    return "".join(kept)


def _without_mail(text: str, content: str) -> str:
    """`text` without a mail that was pasted with its head, up to the last paragraph if there is
    one after its body."""
    heads = list(_MAIL_HEADER.finditer(content))
    if len(heads) < LEAST_HEADERS:
        return text
    begin = heads[-1].end()
    paragraphs = list(re.finditer(r"\S(?:.|\n(?!\s*\n))*", content[begin:]))
    end = begin + paragraphs[-1].start() if len(paragraphs) > 1 else len(content)
    return text[:begin] + _blank(text[begin:end]) + text[end:]


def _without_talk(text: str) -> str:
    """`text` up to where a recorded talk begins, in which each speaker has a line with the time."""
    heads = list(_SPEAKER.finditer(text))
    if len(heads) < LEAST_LINES:
        return text
    return text[: heads[0].start()] + _blank(text[heads[0].start() :])


def _without_dialogue(text: str) -> str:
    """`text` without the lines of a talk between people with names."""
    lines = list(_DIALOGUE_LINE.finditer(text))
    if len(lines) < LEAST_LINES:
        return text
    return _DIALOGUE_LINE.sub(lambda line: _blank(line[0]), text)


def _not_ones_own(quotation: re.Match[str]) -> str:
    words = quotation[0]
    before = quotation.string[max(0, quotation.start() - WORD_BEFORE) : quotation.start()]
    if words[0] == "'" and (_TITLE.fullmatch(words) or _NAMES_A_THING.search(before)):
        return words
    written = _IS_WRITTEN.search(before) and not _BY_ONESELF.search(before)
    return _blank(words) if written or _FIRST_PERSON.search(words[1:-1]) else words


def _blank(text: str) -> str:
    return "\n" * len(text)
