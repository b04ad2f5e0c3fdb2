"""Choose the wing of a window: its project, the wing its title names, or a broad subject.

A word counts for a subject if it begins with one of the subject's stems; Chinese words count wherever
they occur.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memory.mining.phrases import content_words
from memory.mining.topics import word_weights
from memory.mining.transcripts import Transcript, Turn
from memory.mining.types import WingGuess
from memory.text.names import slugify

OTHER = "General"
MAX_NAME_LENGTH = 60
READ = 4_000

_MEANINGLESS = re.compile(
    r"\s*(?:|(?:new |neuer? |nouvelle? |nuev[oa] |新)?(?:chat|conversation|dialog(?:ue)?|thread"
    r"|session|unterhaltung"
    r"|conversaci[oó]n|对话|聊天|чат)|untitled(?: \w+)?|no title|general|default|test|hi|hello|hey|unknown"
    r"|help|question|none|null|\W*)(?:\s*[#(]?\d*\)?)?\s*",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\s*(?:[0-9a-f-]{16,}|[\d\s:./_TZ-]+)\s*", re.IGNORECASE)
_OPENING = re.compile(
    r"^(?:(?:help|advice|questions?|tips|ideas|info(?:rmation)?|assistance)\s+(?:with|on|about|for|regarding)\s+"
    r"|how (?:to|do i|can i)\s+|what (?:is|are)\s+|(?:discussion|chat|conversation) (?:about|on)\s+|re:\s*)",
    re.IGNORECASE,
)


def wing_of(
    transcript: Transcript,
    turns: Sequence[Turn],
    known: Sequence[WingGuess],
) -> WingGuess:
    """The project if there is one, else a known wing that the title names, else the broad subject of the
    user's words, because one chat is not a subject of its own."""
    if transcript.project.strip():
        return WingGuess("project", _cut(transcript.project))
    title = _from_title(transcript.title)
    named = known_wing(title, known) if title else None
    if named is not None:
        return named
    said = " ".join(turn.content[:READ] for turn in turns if turn.role == "user")
    subject = subject_of(word_weights(turns), content_words(title), f"{title} {said}") or OTHER
    return known_wing(subject, known) or WingGuess("topic", subject)


def known_wing(name: str, known: Sequence[WingGuess]) -> WingGuess | None:
    """The known wing of this name, else the longest one whose words are all part of it."""
    slug = slugify(name)
    for wing in known:
        if slugify(wing.name) == slug:
            return wing
    words = set(content_words(name))
    inside = [wing for wing in known if _is_inside(wing, words)]
    return max(inside, key=lambda wing: len(wing.name), default=None)


def _is_inside(wing: WingGuess, words: set[str]) -> bool:
    own = set(content_words(wing.name))
    if slugify(wing.name) == slugify(OTHER):
        return False
    return bool(own) and own <= words and max(map(len, own)) > 3


def _from_title(title: str) -> str:
    if _MEANINGLESS.fullmatch(title) or _IDENTIFIER.fullmatch(title):
        return ""
    bare = _OPENING.sub("", title.strip()).strip(" .?!\"'")
    return bare[:1].upper() + bare[1:] if content_words(bare) else ""


def _cut(name: str) -> str:
    clean = " ".join(name.split())
    if len(clean) <= MAX_NAME_LENGTH:
        return clean
    return clean[:MAX_NAME_LENGTH].rpartition(" ")[0] or clean[:MAX_NAME_LENGTH]


MIN_WORDS = 2
TITLE_WEIGHT = 3

STEMS: Mapping[str, str] = {
    "Food and cooking": """
        cook recip bake baking bread dough sourdough pasta sauce dinner lunch breakfast meal ingredient
        restaurant vegetarian vegan cake dessert chocolate cheese coffee tea wine beer fruit vegetable
        soup salad spice kitchen oven flavor flavour tast eat cuisine nut allerg
        kochen rezept backen essen abendessen cocina receta comida cena cuisine recette repas dîner
        готов рецепт еда ужин обед 做饭 食谱 菜 餐 茶 吃 咖啡""",
    "Music": """
        music song sing singer album band concert guitar piano violin cello viola drum orchestr choir
        melod chord rehears audition playlist opera jazz bach beethoven record musik lied konzert
        música canción concierto musique chanson музык песн концерт 音乐 歌 演奏""",
    "Travel": """
        travel trip flight airport hotel itinerar visa passport vacation holiday tour tourist backpack
        luggage hostel airbnb beach island sightsee cruise abroad jetlag reise flug urlaub viaje vuelo
        vacacion voyage vol vacances путешеств поездк отпуск рейс 旅行 旅游 机票 酒店""",
    "Health": """
        health doctor medic sick illness pain symptom hospital therap sleep headache vaccin dentist
        blood allerg diet vitamin injur anxiety stress insomnia pregnan surgeon knee
        gesundheit arzt krank salud médico enferm santé médecin malad здоров врач болез 健康 医生 病 睡眠""",
    "Sport and outdoors": """
        sport run running marathon jog gym workout exercis yoga swim cycl bike bicycl ride hike hiking
        climb football soccer tennis basketball ski trail train fitness camping kayak golf
        laufen rad wandern fußball deporte correr bicicleta course vélo randonn спорт бег велосипед
        运动 跑步 自行车 健身""",
    "Home and garden": """
        home house apartment flat rent landlord furnitur kitchen bathroom bedroom garden plant seed tomato
        lawn paint shelf shelv clean laundr repair plumb decorat move moving neighbour neighbor mortgag
        wohnung haus garten miete casa jardín alquiler maison jardin loyer дом квартир сад аренд
        房子 公寓 花园 搬家 租""",
    "Work and career": """
        work job career boss colleague coworker salary interview resume cv promotion meeting manager
        employ company office client deadline startup business market hire linkedin freelanc
        arbeit beruf chef gehalt trabajo empleo jefe travail emploi patron работ зарплат начальник
        工作 老板 工资 面试""",
    "Learning and language": """
        learn study student school university course exam teacher lesson homework language vocabular
        grammar translat essay thesis degree class tutor math physics chemistry histor
        lernen schule sprache prüfung aprend escuela idioma examen apprend école langue
        учеб школ язык экзамен 学习 学校 语言 考试""",
    "Computers and software": """
        code coding program software python javascript java html css sql database server linux windows
        app api bug debug function algorithm computer laptop docker git github cloud network website
        data model machine script compil keyboard excel spreadsheet gpu router
        programm rechner programa ordenador logiciel ordinateur программ компьютер код 代码 程序 电脑 软件""",
    "Money": """
        money budget bank loan invest stock fund tax taxes insuranc saving credit debt pension expens
        income account pay payment crypto bitcoin geld steuer dinero impuesto argent impôt
        деньг налог банк 钱 银行 税 投资""",
    "Family and friends": """
        family mother father mom dad parent sister brother son daughter child kid baby wife husband
        partner friend wedding birthday marri grandm grandf cousin niece nephew relationship
        familie mutter vater freund familia madre padre amigo famille mère père ami
        семь мам пап друг 家人 妈妈 爸爸 朋友 孩子 妻子""",
    "Animals": """
        dog cat pet puppy kitten vet bird fish horse rabbit hamster aquarium leash litter greyhound
        hund katze perro gato chien chat собак кошк 狗 猫 宠物""",
    "Books and film": """
        book novel read author film movie series episode watch netflix director actor story poem poetr
        fiction library chapter fantasy buch libro livre película книг фильм 书 电影 小说""",
    "Writing and art": """
        write writing draft story poem blog essay edit paint drawing sketch photograph camera art artist
        design illustrat craft knit sew potter ceramic exhibition museum
        schreiben kunst escribir arte écrire писат искусств 写作 画 摄影""",
    "Cars and transport": """
        car engine tire tyre brake mechanic garage driv license motor electric vehicle truck train tram
        bus subway metro park fuel gas mileage auto coche voiture машин автомоб 汽车 地铁""",
    "Shopping": """
        buy bought shop store order deliver price discount coupon sale brand return refund gift
        kaufen laden comprar tienda acheter magasin купи магазин 买 购物""",
    "Games": """
        game gaming play player chess puzzle console nintendo playstation xbox minecraft dungeon quest
        spiel juego jeu игр 游戏""",
    "World and society": """
        politic election government law legal court country war econom climate environment energ societ
        religion philosoph science research space planet history
        politik gesetz política gobierno politique loi политик закон 政治 法律 历史 科学""",
}

_ALPHABETIC: dict[str, list[tuple[str, str]]] = {}
_DENSE: list[tuple[str, str]] = []
_IS_DENSE = re.compile(r"[\u3400-\u9fff]")

for _subject, _stems in STEMS.items():
    for _stem in _stems.split():
        if _IS_DENSE.search(_stem):
            _DENSE.append((_stem, _subject))
        else:
            _ALPHABETIC.setdefault(_stem[:2], []).append((_stem, _subject))

_SHORT = 3


def subject_of(weights: Mapping[str, int], title_words: Iterable[str], text: str) -> str:
    """The subject that most of the words indicate, or "" if too few do. `weights` are the content words
    of what was said; title words count three times. Chinese is read from `text` itself, since its words
    are not separated. The first of equals wins."""
    counted = Counter({word.casefold(): weight for word, weight in weights.items()})
    counted.update({word.casefold(): TITLE_WEIGHT for word in title_words})
    scores: dict[str, float] = dict.fromkeys(STEMS, 0.0)
    telling: dict[str, set[str]] = {subject: set() for subject in STEMS}
    for word, weight in counted.items():
        for subject in _subjects_of(word):
            scores[subject] += weight
            telling[subject].add(word)
    for stem, subject in _DENSE if _IS_DENSE.search(text) else ():
        if stem in text:
            scores[subject] += TITLE_WEIGHT * text.count(stem)
            telling[subject].add(stem)
    told = [subject for subject in STEMS if len(telling[subject]) >= MIN_WORDS]
    return max(told, key=lambda subject: scores[subject], default="")


def _subjects_of(word: str) -> set[str]:
    return {
        subject
        for stem, subject in _ALPHABETIC.get(word[:2], ())
        if (word in (stem, f"{stem}s") if len(stem) <= _SHORT else word.startswith(stem))
    }
