"""The commonest statements about oneself in Russian."""

import re

from memory.mining.rules.russian import asides, daily, pursuits
from memory.mining.rules.table import Language, Rule, said
from memory.text import kinship

KIN = kinship.KIN["ru"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_NAME = r"(?P<o>(?-i:[A-ZА-ЯЁ])[\w-]*(?: (?-i:[A-ZА-ЯЁ])[\w-]*){0,2})"
_OFTEN = r"(?:(?:очень|сейчас|теперь|тоже|давно|обычно) ){0,2}"

RULES = (
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="name",
        confidence=0.9,
        pattern=said(r"\b(?:меня зовут|мо[её] имя(?: —| -)?) <o>"),
        yes=(("Меня зовут Иван Петров.", "Иван Петров"), ("Привет, меня зовут Аня", "Аня")),
        no=("Как меня зовут?", "Меня зовут не Боб.", "Его зовут Том."),
    ),
    Rule(
        kind="identity",
        key="home_city",
        predicate="lives_in",
        statement="The user lives in {object}.",
        shape="place",
        confidence=0.9,
        pattern=said(rf"\b(?:я {_OFTEN}живу|мы {_OFTEN}живём|я переехала?) {_OFTEN}(?:в|во|на) <place>"),
        yes=(
            ("Я живу в Казани.", "Казани"),
            ("Я переехал в Берлин", "Берлин"),
            ("Я живу в Москве, где можно поесть?", "Москве"),
        ),
        no=("Если я живу в Париже, что делать?", "Я не живу в Москве.", "Моя сестра живёт в Риге."),
    ),
    Rule(
        kind="identity",
        key="hometown",
        predicate="comes_from",
        statement="The user comes from {object}.",
        shape="place",
        pattern=said(r"\bя (?:родом )?из <place>"),
        yes=(("Я родом из Казани.", "Казани"),),
        no=("Он из Казани.",),
    ),
    Rule(
        kind="identity",
        key="age",
        predicate="aged",
        statement="The user is {object} years old.",
        shape="as_is",
        confidence=0.9,
        pattern=said(r"\bмне (?P<o>1?\d{1,2}) (?:лет|год|года)\b"),
        yes=(("Мне 34 года", "34"),),
        no=("Моему сыну 5 лет",),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        many=True,
        confidence=0.8,
        pattern=said(rf"\b(?:я {_OFTEN}(?:люблю|обожаю)|мне {_OFTEN}нрав(?:ится|ятся)) {_OFTEN}<list>"),
        yes=(
            ("Я люблю джаз, сыр и горы.", "джаз|сыр|горы"),
            ("Мне очень нравится плавать", "плавать"),
        ),
        no=("Я не люблю кофе.", "Мне нравится это.", "Люблю ли я чай?"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        many=True,
        confidence=0.8,
        pattern=said(r"\b(?:я (?:не люблю|ненавижу|терпеть не могу)|мне не нрав(?:ится|ятся)) <list>"),
        yes=(("Я не люблю кофе.", "кофе"), ("Я ненавижу шум", "шум")),
        no=("Я не люблю это.",),
    ),
    Rule(
        kind="identity",
        key="allergy_{slug}",
        predicate="allergic_to",
        statement="The user is allergic to {object}.",
        many=True,
        confidence=0.9,
        pattern=said(r"\bу меня аллергия на <list>"),
        yes=(("У меня аллергия на орехи.", "орехи"),),
        no=("У меня нет аллергии на орехи.",),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="name",
        confidence=0.9,
        pattern=said(
            rf"\b(?:(?:мо[яй]|наша?) (?:(?:старш|младш|лучш)\w+ )?|мо(?:ю|его) )(?P<r>{_WORDS})(?: зовут|,| —| -)? {_NAME}"
        ),
        yes=(("Мою жену зовут Ван Минь.", "Ван Минь"), ("Моя сестра Аня живёт в Риге", "Аня")),
        no=("Моя сестра живёт в Риге.", "Как зовут мою жену?"),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="name",
        confidence=0.9,
        pattern=said(rf"(?:^|[,;] ){_NAME}(?: —| -| это)? мо[яй] (?P<r>{_WORDS})\b"),
        yes=(("Аня — моя сестра.", "Аня"),),
        no=("Кто мой начальник?", "Это моя жена."),
    ),
    Rule(
        kind="identity",
        key="employer",
        predicate="works_at",
        statement="The user works at {object}.",
        shape="organisation",
        confidence=0.9,
        pattern=said(rf"\bя {_OFTEN}работаю (?:\w+ )?(?:в|во|на) (?:компании )?(?=(?-i:[A-ZА-ЯЁ«\"]))<o>"),
        yes=(("Я работаю в Яндексе.", "Яндексе"), ("Я работаю врачом в Roche", "Roche")),
        no=("Я работаю в офисе.", "Я не работаю в Яндексе."),
    ),
    Rule(
        kind="experience",
        key="former_employer_{slug}",
        predicate="worked_at",
        statement="The user no longer works at {object}.",
        shape="organisation",
        ended=True,
        pattern=said(r"\bя (?:больше не работаю в|уволил(?:ся|ась) из) <o>"),
        yes=(("Я больше не работаю в Яндексе.", "Яндексе"),),
        no=("Я работаю в Яндексе.",),
    ),
    Rule(
        kind="identity",
        key="occupation",
        predicate="works_as",
        statement="The user's occupation is {object}.",
        pattern=said(
            rf"\bя {_OFTEN}(?:работаю (?P<o>[^\W\d_]+(?:ом|ем|ером|истом|ицей|ой))(?= в\b|[.,!]|$))"
        ),
        yes=(("Я работаю врачом.", "врачом"),),
        no=("Я работаю много.", "Я не работаю врачом."),
    ),
    Rule(
        kind="other",
        key="remember_{slug}",
        predicate="asked_to_remember",
        value="{said}",
        statement="The user asked to remember: “{said}”.",
        shape="clause",
        confidence=0.9,
        pattern=said(
            r"(?:^|\bпожалуйста,? )(?:запомни(?:те)?|не забудь|имей в виду|запиши)(?:, что|:|,) (?P<o>[^\n]{5,300})"
        ),
        yes=(("Запомни, что ключ лежит под ковриком.", "ключ лежит под ковриком"),),
        no=("Ты помнишь этот фильм?",),
    ),
)

RUSSIAN = Language(
    code="ru",
    cue=re.compile(
        r"\b(?:я|меня|мне|мы|нас|мо[йяю]|мо[её]|мо\w{2,3}|родил\w+|можно просто|зовите|наша?|бюджет|впредь|отныне|всегда|каждый|каждое|каждую|по \w+ам"
        r"|муж\w*|жен\w+|дочк\w+|сын\w*|брат|сестра|племянни\w+|свекров\w+|тёщ\w+|соседка|коллега|овчарка|такса|сами?|родом|уже лет|переехал\w*|двойняшки|никаких|отвечай|на заметку|заметка|зовите?|называйте?|пенсионер\w*|\w+, \d\d лет|лет стажа|запомни(?:те)?|забудь|запиши|имей в виду|жила?|работала?|могу|\w{2,}[ую]|\w+[ую]сь)\b",
        re.IGNORECASE,
    ),
    veto=re.compile(
        r"\b(?:если|не|никогда|бы|может быть|говорит|сказала?|думает|считает|будто|зачем|почему|где|когда)\b",
        re.IGNORECASE,
    ),
    imagined=re.compile(
        r"\b(?:представь(?:те)?|допустим|предположим|например|поиграем|сыграем|притворись|скажем|если бы"
        r"|(?:он|она|мама|муж|жена|друг|\w+а?) (?:сказала?|говорит|пишет|написала?)|вообрази(?:те)?|(?:в|во|этом|том|моём|моей|нашей) (?:фильме|книге|романе|песне|игре|сне|пьесе|спектакле|сказке|кампании|сериале)"
        r"|никогда не говорила?)\b",
        re.IGNORECASE,
    ),
    stop=re.compile(
        r"\s+(?:и|но|или|а)\s+(?:я|мне|мы|мой|моя|он|она|это|хочу|можешь)\b"
        r"|\s+(?:но|потому|так|хотя|когда|который|которая|что|чтобы|спасибо|с|из-за|(?<!ть )(?<!ться )по|уже|врачом|где)\b",
        re.IGNORECASE,
    ),
    refused=re.compile(
        r"(?:вас|вам|тебя|тебе|себя|них|нас|вон|их|теперь|сейчас|потом|вчера|сегодня|завтра|.*\b(?:верси\w|вариант\w*|ответ\w*|иде\w|черновик)\b|это|эта|этот|эти|тво\w+|его|её|всё|все|ничего|как|что|ли|не|больше|идея|то)(?:\s|$)",
        re.IGNORECASE,
    ),
    rules=(*pursuits.RULES, *asides.RULES, *RULES, *daily.RULES),
    kin=KIN,
)
