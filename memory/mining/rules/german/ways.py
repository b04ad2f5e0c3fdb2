"""How one lives in German: habits by the time they come back, what was before, what is not possible."""

from dataclasses import replace

from memory.mining.rules import templates
from memory.mining.rules.german.grammar import CAPITAL, TRADE, i
from memory.mining.rules.german.words import FOOD
from memory.mining.rules.table import Rule
from memory.mining.rules.templates import Template

_WEEKDAY = r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)"
_NUMBER = r"(?:ein|zwei|drei|vier|fünf|sechs|zwölf|\d{1,2})"
_WHEN = (
    rf"(?:{_NUMBER}[- ]?mal (?:die|pro|in der|im|am) (?:woche|monat|tag|jahr)|alle (?:{_NUMBER}|paar) (?:tage|wochen|monate)|(?:immer )?{_WEEKDAY}(?:vor|nach)?(?:mittag|abend|morgen)?s"
    rf"|jede[nrs] (?:zweiten |dritten )?(?:tag|morgen|abend|mittag|nacht|woche|monat|jahr|sommer|winter|herbst|wochenende|{_WEEKDAY}(?:abend|morgen|nachmittag)?)|unter der woche|werktags|nach feierabend|nach der arbeit|vor der arbeit|vor dem frühstück|vor dem schlafen(?:gehen)?"
    r"|in der mittagspause|mittags|vormittags|nachmittags|nachts|morgens|abends|täglich|fast täglich|normalerweise|meistens|in der regel|gewöhnlich|immer nur|am wochenende immer)"
)
_NOT_A_DEED = (
    r"(?!(?:habe?|hab|bin|ist|war|waren|hatte|hatten|will|wollte|möchte|muss|musste|soll|sollte|kann|konnte|darf|durfte|würde|hätte|wäre|mag|finde?|denke?|glaube?|freue?|fühle?|frage?|wünsche?|brauche?|suche?|kriege?|bekomme?"
    r"|ging|kam|fuhr|machte|aß|trank|spielte|lernte|wohne?|lebe?|vergesse?|hasse?|liebe?|werde|wurde|auch|noch|nicht|wieder|sich|mich|mir)\b)"
)
_TAIL = r"(?: (?!nicht\b|nie\b)[^\n,.;:!?]{2,70})"
_LIVED_AS = Template("experience", "did_{slug}", "did", "The user said: “{said}”.", "clause")
_FEAR = r"(?:Hunden|Spinnen|Höhe|Schlangen|Spritzen|Nadeln|Mäusen|Gewitter|Pferden|Clowns|dem Fliegen|großen Hunden|engen Räumen|Wespen|Vögeln|tiefem Wasser)"
_MEDICINE = r"(?:Metformin|Insulin|Ibuprofen|Blutverdünner|Marcumar|Antidepressiva|Betablocker|L-Thyroxin|Cortison|Kortison|Ritalin|Lithium|ASS|Aspirin|Antihistaminika|Schilddrüsentabletten|Blutdrucktabletten|Cetirizin|Pantoprazol|Omeprazol|Ramipril|Bisoprolol)"
_GEAR = r"(?:auto|führerschein|backofen|ofen|balkon|garten|fernseher|spülmaschine|geschirrspüler|mikrowelle|smartphone|handy|kreditkarte|waschmaschine|trockner|mixer|drucker|keller|badewanne|thermomix|aufzug|internet|gefrierfach|gefrierschrank|airfryer|heißluftfritteuse|küchenwaage|waage|pürierstab|fahrrad|whatsapp|instagram|facebook|wlan)"

RULES: tuple[Rule, ...] = (
    templates.HABIT.rule(
        rf"(?:^|(?<=[,.;:][ ])|\bund )(?P<o>{_WHEN} {_NOT_A_DEED}(?:\w+e?|ess|les|hör) (?:ich|wir){_TAIL}?)(?=$|[,.;:!])",
        (
            (
                "Nach Feierabend geh ich eine Runde spazieren.",
                "Nach Feierabend geh ich eine Runde spazieren",
            ),
            (
                "zweimal pro Woche schwimm ich im Hallenbad",
                "zweimal pro Woche schwimm ich im Hallenbad",
            ),
            ("Freitagabends spielen wir Skat", "Freitagabends spielen wir Skat"),
        ),
        (
            "Nach Feierabend geht er spazieren.",
            "Zweimal pro Woche war ich dort",
            "Gehe ich nach Feierabend spazieren?",
            "Normalerweise bin ich nett",
            "Nachts kann ich nicht schlafen",
        ),
    ),
    templates.HABIT.rule(
        rf"(?:^|[,;:–—-] |\b(?:und|aber|denn|also|ja) )(?P<o>(?:ich|wir) {_NOT_A_DEED}\w+(?: [^\n,.;:!?]{{2,30}})? {_WHEN}{_TAIL}?)(?=$|[,.;:!])",
        (("Ich geh dreimal die Woche ins Gym.", "Ich geh dreimal die Woche ins Gym"),),
        (
            "Er geht dreimal die Woche ins Gym.",
            "Ich war dreimal die Woche im Gym",
            "Ich habe jeden Tag Probleme",
        ),
    ),
    templates.HABIT.rule(
        r"(?:^|[,;:–—-] |\b(?:und|aber|denn|also|ja) )(?P<o>(?:ich )?(?:steh|stehe) (?:\w+ ){0,2}?um (?:halb |viertel (?:vor|nach) )?[\w:.]{1,6}(?: uhr)? auf|(?:ich )?(?:geh|gehe) (?:immer |erst |meist |meistens |schon |nie vor )*(?:um|gegen|nach|vor) (?:halb )?[\w:.]{1,12}(?: uhr)? (?:ins bett|schlafen))",
        (("Ich steh um halb sechs auf.", "Ich steh um halb sechs auf"),),
        ("Er steht um fünf auf", "Ich stehe auf Jazz", "Steh ich um fünf auf?"),
    ),
    templates.WAS.rule(
        rf"(?:\bich war|(?<=\w[ ])war ich) (?:(?:früher|mal|einmal|lange|jahrelang|bis \d{{4}}|\w+ Jahre(?: lang)?|selbst|auch|selber) ){{1,3}}(?:eine? )?(?P<o>{TRADE}|{CAPITAL}[\w-]*(?:raucher|vegetarier|veganer|leistungssportler|sportler|turner|schwimmer|soldat|mönch|nonne|messdiener|pfadfinder|hausmann|hausfrau|model)(?:in)?)\b",
        (
            ("Ich war früher Kellner in Ulm.", "Kellner"),
            ("Bis 2019 war ich selbst Lehrerin", "Lehrerin"),
        ),
        ("Er war früher Kellner.", "Ich war früher Fan", "War ich früher Kellner?"),
    ),
    templates.WAS.rule(
        rf"(?:\bich hab(?:e)?|(?<=\w[ ])hab(?:e)? ich) (?:[^\n,.]{{1,30}} )?als (?:\w+e[rsn]? )?(?P<o>{TRADE}) (?:[^\n,.]{{1,25}} )?(?:gearbeitet|gejobbt|verdient|geschuftet)\b",
        (("Ich hab zehn Jahre als Koch gearbeitet.", "Koch"),),
        ("Er hat als Koch gearbeitet.", "Ich arbeite als Koch."),
    ),
    _LIVED_AS.rule(
        r"(?:^|[,;] |\bund )(?P<o>(?:ich (?:hab|habe)|(?:im|letzte[nrs]?|vor|nach|seit|mit|20\d\d|19\d\d)(?: [\wäöüß.]+){0,3} (?:hab|habe) ich) (?:(?!\bnicht\b|\bnie\b|\bkein|\bnoch\b)[^\n,.;:!?]){3,60} (?:bestanden|abgebrochen|gegründet|verkauft|geerbt|gebrochen|geheiratet|gekündigt|adoptiert|eröffnet|gewonnen|nachgeholt|promoviert|abgeschlossen|gelaufen|verbracht))(?=$|[,.;!]| und\b)",
        (
            (
                "Ich habe letztes Jahr meine Meisterprüfung bestanden.",
                "Ich habe letztes Jahr meine Meisterprüfung bestanden",
            ),
        ),
        (
            "Er hat die Prüfung bestanden",
            "Ich habe die Prüfung nicht bestanden",
            "Hab ich die Prüfung bestanden?",
        ),
    ),
    templates.CONDITION.rule(
        rf"(?:\bich hab(?:e)?|(?<=\w[ ])hab(?:e)? ich) (?:total |große |panische |schreckliche |ziemliche |leider )*(?P<o>(?:angst|panik) vor {_FEAR})\b",
        (("Ich hab panische Angst vor Spinnen.", "Angst vor Spinnen"),),
        ("Er hat Angst vor Spinnen", "Ich hab keine Angst vor Spinnen"),
    ),
    replace(
        templates.CONDITION,
        statement="The user takes {object}.",
        key="takes_{slug}",
        predicate="takes",
    ).rule(
        rf"{i('nehme?|spritze?')}(?:täglich |morgens |abends |jeden tag |seit \w+(?: \w+)? )*(?P<o>{_MEDICINE})\b",
        (("Ich nehme täglich Metformin.", "Metformin"),),
        ("Er nimmt Metformin", "Soll ich Metformin nehmen?", "Ich nehme kein Aspirin"),
    ),
    replace(templates.LIMIT, shape="clause").rule(
        rf"(?:\bich |\bwir |^)(?P<o>(?:hab|habe|haben|besitze|besitzen) (?:leider |daheim |zu hause |hier |noch |übrigens )*(?:keine?n?) {_GEAR})\b",
        (("Wir haben leider keinen Mixer.", "haben leider keinen Mixer"),),
        ("Sie haben keinen Mixer", "Ich habe keine Zeit", "Haben wir keinen Mixer?"),
    ),
    replace(templates.LIMIT, shape="clause").rule(
        r"\b(?P<o>ich (?:sitze|sitz) (?:seit [\w ]{3,25} )?im rollstuhl|ich bin auf (?:den|einen) (?:rollstuhl|rollator|blindenhund|gehstock) angewiesen|ich trage (?:ein )?(?:hörgeräte?|eine brille|einen herzschrittmacher|kontaktlinsen))\b",
        (("ich sitze seit dem Unfall im Rollstuhl", "ich sitze seit dem Unfall im Rollstuhl"),),
        ("er sitzt im Rollstuhl", "Wenn ich im Rollstuhl sitze"),
    ),
    templates.AVOIDS.rule(
        rf"(?:\bich |(?<=\w[ ])|^)(?:verzichte|meide|vermeide)(?: ich)? (?:seit \w+(?: \w+)? |komplett |weitgehend |ganz |auf )*(?P<o>{FOOD}(?:(?:,| und) {FOOD})*)",
        (("Ich verzichte seit Januar auf Zucker.", "Zucker"),),
        ("Er verzichtet auf Zucker", "Soll ich auf Zucker verzichten?"),
    ),
    templates.GOAL.rule(
        r"(?:\bich hab(?:e)? mir (?:fest |fürs neue jahr )?vorgenommen|\bich (?:versuche|plane|träume davon|habe vor|hab vor|bin dabei)|\bmein (?:ziel|traum|vorsatz|plan) ist es)(?: gerade| derzeit)?, (?P<o>(?!dass|dir\b|dich|das\b|es\b|zu verstehen|herauszufinden|mich zu erinnern|ob\b)[^\n,.;:!?]{2,50}?(?:\bzu \w+(?:en|ern|eln)|\w+zu\w+(?:en|ern|eln)))(?=$|[,.;!]| und\b)",
        (
            ("Ich habe mir vorgenommen, weniger Zucker zu essen.", "weniger Zucker zu essen"),
            ("Ich plane, nach Norwegen auszuwandern", "nach Norwegen auszuwandern"),
        ),
        ("Er plant, auszuwandern", "Ich versuche, das zu verstehen"),
    ),
)
