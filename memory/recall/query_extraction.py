"""Extract the question from a long message: people paste letters, logs and whole pages around it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.text.patterns import compile_pattern, compile_words
from memory.text.sanitizing import storable

MAX_QUERY_LENGTH = 600

_BEGINNING, _END = 10_000, 20_000
_SHORT = 160
_BETWEEN, _AT_EDGE, _STANDALONE, _OTHER_SCRIPT, _LISTED = 3, 2, 1, 2, -3
_TIE_MARGIN, _MIN_WEIGHT = 1, 1

# Invisible characters.
HIDDEN_PATTERN = (
    "[\u00ad\u200b\u2060-\u2064\u206a-\u206f\u180e\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]+"
)
HTML_COMMENT_PATTERN = r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)"
ENCODED_PATTERN = r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_-]{60,}={0,2}"

# Machine output: logs, stack traces, shell prompts, JSON, markup, tables, code.
MACHINE_LINES = (
    r"^[ \t]*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*$",
    r"^[ \t]*\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d\d.*$",
    r"^[ \t]*\[?\d\d:\d\d:\d\d[\],. ].*$",
    r"^[ \t]*\[\d{1,2}:\d\d[^\]\n]{0,8}\].*$",
    r"^[ \t]*\d{1,2}:\d\d(?: ?[ap]m)?[ ,-]+[^\s:]{1,20}(?: [^\s:]{1,20})?: .*$",
    r"^[ \t]*(?:\[)?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b.*$",
    r"^[ \t]*(?:at [\w$.<>/]+\(|File \"[^\"\n]+\", line \d+|Traceback \(most recent).*$",
    r"^(?:Exception in thread \"|Caused by: |[ \t]*\.\.\. \d+ (?:more|common)).*$",
    r"^[ \t]*[\w.]+(?:Error|Exception|Refused|Warning)(?::.*)?$",
    r"^[ \t]*(?:\$|>>>|#!|PS [A-Z]:).*$",
    r"^[ \t]*[{}\[\]<>/|+=-]{2,}.*$",
    r"^[ \t]*[)}\]][)}\];,]*[ \t]*$",
    r"^[ \t]*\|.*\|[ \t]*$",
    r"^[ \t]*\"[^\"\n]+\"\s*:.*$",
    r"^[ \t]*<[^>\n]+>.*$",
    r"^.*[;{}][ \t]*$",
    r"^[!-~]{80,}$",
    r"^[^,\n]{0,40}(?:,[^,\s][^,\n]{0,40}){3,}$",
    r"^[ \t]*(?://|/\*|\*/).*$",
    r"^[ \t]*(?:return|def|class|function|const|export|import|public|private|protected|elif|except|"
    r"static|var|from \S+ import)\b(?!.*\?[ \t]*$).*$",
    r"^[ \t]*[\w.]+\([^()\n]*\)[ \t]*$",
)

# Lines of e-mails and quoted answers.
LETTER_LINES = (
    r"^[ \t]*>.*$",
    r"^[ \t]*-{3,}.*-{3,}[ \t]*$",
    r"^[ \t]*(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To|Von|An|Gesendet|Datum|Betreff|De|Para|"
    r"Enviado|Fecha|Asunto|À|Envoyé|Objet|Da|Inviato|Oggetto|От|Кому|Дата|Тема|发件人|收件人|"
    r"发送时间|主题|日期|差出人|宛先|件名)[ \t]?[:：].*$",
    r"^[ \t]*(?:On|Am|El|Le|Il) .{6,120}(?:wrote|schrieb.{0,60}|escribió|a écrit|ha scritto)[ \t]?:[ \t]*$",
    r"^[ \t*_#]*(?:answer|response|assistant|ai|antwort|respuesta|réponse|risposta|resposta|ответ|回答|答案|"
    r"Answer|Response|Assistant|AI|Antwort|Respuesta|Réponse|Risposta|Resposta|Ответ|答え|답변|الجواب)"
    r"[ \t*_]*[:：][ \t*_]*$",
    r"^.{6,120}(?:пиш[еу]т?|написала?|写道|书写)[ \t]?[:：][ \t]*$",
)

# List items, headings, speaker labels, quotations: rarely a question.
LISTED_PATTERN = (
    r"[ \t]*(?:[-*•·–+] |\d{1,3}[.)] |#{1,6} |[Qq]\d{0,3}[:.] |[\"“”„«「『‘]|"
    r"[A-ZА-Я][\w-]{1,20}(?: [A-ZА-Я][\w-]{1,20})?: |[^\s:：]{1,8}：)"
)
SALUTATION_PATTERN = (
    r"[ \t]*(?:dear|hi|hello|sehr geehrte\w*|liebe\w?|hallo|estimad\w+|querid\w+|hola|cher|chère|"
    r"bonjour|gentile|caro|cara|уважаем\w+|尊敬的)\b[^\n?]{0,60},"
)

QUESTION_LABEL_PATTERN = (
    r"(?m:^[ \t>*#_-]*(?:(?:the )?(?:user(?:'s)?|current|actual|final|my|human)[ _])?"
    r"(?:question|query|request|message|frage|pregunta|domanda|pergunta|вопрос|问题|質問|질문|سؤال)"
    r"[ \t*_]*[:：][ \t*_]*"
    r"|^[ \t>*#_-]*(?:user|human)[ \t*_]*:[ \t*_]*"
    r"|(?:我真正想问的(?:问题)?是|我(?:其实|实际)?想问的(?:问题)?是|实际想问的问题是)[:：]?)"
)
# Questions that need no question mark.
QUESTION_ENDINGS_PATTERN = r"[吗呢]\s*$|です?か。?\s*$|ますか。?\s*$|(?:나요|까요|니까|는지)\.?\s*$"
_ASKING_WORDS = (
    r"what|when|where|which|who|whom|whose|why|how|did i|do i|have i|was i|am i|remind me|"
    r"remember|wann|wo|was|wer|wie|welche\w?|warum|qué|cuándo|dónde|quién|cuál|cómo|quand|où|qui|"
    r"quel\w*|comment|pourquoi|quando|dove|chi|quale|onde|quem|qual|когда|где|кто|что|как\w*|"
    r"почему|сколько|متى|أين|من|ماذا|ما|كيف|لماذا"
)
_ASKING_UNSPACED = "什么|谁|哪|几|多少|怎么|何|いつ|どこ|誰|どの|なぜ|언제|어디|누구|무엇|뭐|왜"
_PERSONAL_WORDS = (
    r"i|i'm|i've|my|me|mine|we|our|us|ich|mein\w*|mir|mich|wir|unser\w*|yo|mi|mis|je|j'\w+|mon|"
    r"ma|mes|moi|io|mio|mia|miei|eu|meu|minha|meus|minhas|я|мой|моя|моё|мои|моего|моей|моих|мою|"
    r"мне|меня|мы|наш\w*|нас|나|내|저|제|우리|나는|내가|저는|제가|أنا|لي|عندي"
)
_PERSONAL_UNSPACED = "我|私|僕|俺"
# Phrases of system prompts and templates.
_ORDERING_WORDS = (
    r"you are an?|you must|you should|you will|your (?:task|role|job|goal|answers?|response)|"
    r"always|never|do not|don't|make sure|ensure|respond|the assistant|the user|if the|ask yourself|"
    r"du bist ein|du darfst|du sollst|antworte\w?|der nutzer|die nutzerin|der kunde|frage dich|"
    r"eres un|nunca|siempre debes|el usuario|pregúntate|la usuaria|"
    r"tu es un|l'utilisateur|jamais|sei un|l'utente|você é um|o usuário|nunca|"
    r"ты —|вы —|пользовател\w+|никогда"
)
_ORDERING_UNSPACED = "你是一|不要|必须|用户|ユーザー|사용자|المستخدم"

_HIDDEN = re.compile(HIDDEN_PATTERN)
_COMMENT = re.compile(HTML_COMMENT_PATTERN, re.DOTALL | re.IGNORECASE)
_ENCODED = re.compile(ENCODED_PATTERN)
_FENCE = compile_pattern(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", dot_all=True)
_PASTED_LINE = re.compile("|".join((*LETTER_LINES, *MACHINE_LINES)), re.MULTILINE)
_LISTED_LINE = re.compile(LISTED_PATTERN)
_SALUTATION = re.compile(SALUTATION_PATTERN, re.IGNORECASE)
_BLOCK_END = compile_pattern(r"\n[ \t]*(?:\n[ \t]*)+")
_SENTENCE = re.compile(r"[^\n.!?。！？؟]+(?:[.](?=\S)[^\n.!?。！？؟]*)*[.!?。！？؟]*[\"'”’)]*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s|(?<=[。！？؟])|\n")
_QUESTION_LABEL = re.compile(QUESTION_LABEL_PATTERN, re.IGNORECASE)
_QUESTION = re.compile(f"[?？؟]|{QUESTION_ENDINGS_PATTERN}")
_ASKING = compile_words(_ASKING_WORDS, _ASKING_UNSPACED)
PERSONAL = compile_words(_PERSONAL_WORDS, _PERSONAL_UNSPACED)
_ORDERING = compile_words(_ORDERING_WORDS, _ORDERING_UNSPACED)
_SCRIPTS = tuple(
    re.compile(letters)
    for letters in (
        "[A-Za-z]",
        "[\u0400-\u04ff]",
        "[\u0590-\u06ff]",
        "[\u3040-\u9fff\uac00-\ud7ff]",
    )
)
_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece of a message that may be the question: how much it sounds like one, and a bonus for its
    position."""

    text: str
    asks: int
    bonus: int = 0

    @property
    def weight(self) -> int:
        return self.asks + self.bonus

    @property
    def at_edge(self) -> bool:
        return self.bonus >= _AT_EDGE


def focus(message: str) -> str:
    """The question in a message, without invisible characters: a short message itself, else at most 600
    characters, or its beginning when it asks nothing. Empty only for an empty message."""
    text = _visible(message) or storable(message).text.strip()
    if len(text) <= MAX_QUERY_LENGTH:
        return text
    if len(text) > _BEGINNING + _END:
        text = f"{text[:_BEGINNING]}\n{text[-_END:]}"
    unpasted = _unpasted(text) or text
    if len(unpasted) <= MAX_QUERY_LENGTH:
        return unpasted
    units = list(_units(unpasted))
    return _best_question(units) or _beginning(unpasted)


def _visible(message: str) -> str:
    return _COMMENT.sub("\n", _HIDDEN.sub("", storable(message).text)).strip()


def _unpasted(text: str) -> str:
    """The text without code, logs, e-mails and tables; after a label such as "Question:", only what
    follows it."""
    bare = _PASTED_LINE.sub("", _ENCODED.sub("", _FENCE.sub("\n\n", text))).strip()
    labels = list(_QUESTION_LABEL.finditer(bare))
    announced = bare[labels[-1].end() :].strip() if labels else ""
    return announced or bare


def _units(text: str) -> Iterator[_Unit]:
    blocks = [block.strip() for block in _BLOCK_END.split(text) if _WORD.search(block)]
    if len(blocks) == 1:
        yield from _lines(blocks[0], _AT_EDGE)
        return
    script = _script(text)
    for index, block in enumerate(blocks):
        if len(block) <= MAX_QUERY_LENGTH:
            other = 0 if _script(block) == script else _OTHER_SCRIPT
            yield _unit(block, _STANDALONE + _position_bonus(blocks, index) + other)
        else:
            yield from _lines(block)


def _position_bonus(blocks: Sequence[str], index: int) -> int:
    """The bonus for a typical place of questions: before a paste, after it, or between two."""
    if index in {0, len(blocks) - 1}:
        return _AT_EDGE
    neighbours = (blocks[index - 1], blocks[index + 1])
    return _BETWEEN if all(len(block) > MAX_QUERY_LENGTH for block in neighbours) else 0


def _script(text: str) -> int:
    """The index of the script that most of a text is written in."""
    counts = [len(script.findall(text)) for script in _SCRIPTS]
    return counts.index(max(counts))


def _lines(block: str, edge: int = 0) -> Iterator[_Unit]:
    """The lines of a long block, with long lines split into sentences."""
    lines = [line.strip() for line in block.split("\n") if _WORD.search(line)]
    for index, line in enumerate(lines):
        if len(line) <= MAX_QUERY_LENGTH:
            yield _unit(line, edge if index in {0, len(lines) - 1} else 0)
        else:
            yield from (_unit(found[0].strip()) for found in _SENTENCE.finditer(line))


def _unit(text: str, bonus: int = 0) -> _Unit:
    if _LISTED_LINE.match(text):
        return _Unit(text, _weight(text) + _LISTED)
    if _SALUTATION.match(text):
        return _Unit(text, 0)
    if bonus:
        return _Unit(text, _weight(text), bonus)
    return _Unit(text, max((_weight(found[0]) for found in _SENTENCE.finditer(text)), default=0))


def _weight(sentence: str) -> int:
    """How much a sentence sounds like a personal question."""
    weight = 2 * bool(_QUESTION.search(sentence)) + bool(_ASKING.search(sentence))
    return weight + 3 * bool(PERSONAL.search(sentence)) - 2 * bool(_ORDERING.search(sentence))


def _best_question(units: Sequence[_Unit]) -> str:
    """The most question-like unit, joined with close runners-up if all are at an edge."""
    asking = [unit for unit in units if unit.asks > _MIN_WEIGHT or _is_keyword_query(unit)]
    if not asking:
        return ""
    best_weight = max(unit.weight for unit in asking)
    best = [unit for unit in asking if unit.weight == best_weight][-1]
    kept = [
        unit
        for unit in asking
        if unit is best or (unit.at_edge and best.at_edge and unit.weight >= best_weight - _TIE_MARGIN)
    ]
    together = " ".join(dict.fromkeys(unit.text for unit in kept))
    return together if len(together) <= MAX_QUERY_LENGTH else best.text[:MAX_QUERY_LENGTH].strip()


def _is_keyword_query(unit: _Unit) -> bool:
    """A few words alone at an edge are a query without a question mark."""
    return unit.at_edge and len(unit.text) <= _SHORT and unit.asks >= 0


def _beginning(text: str) -> str:
    """The first whole sentences."""
    ends = [found.start() for found in _SENTENCE_END.finditer(text[:MAX_QUERY_LENGTH])]
    return text[: ends[-1] if ends else MAX_QUERY_LENGTH].strip() or text[:MAX_QUERY_LENGTH]
