"""What people do, want, can and cannot, in German."""

from dataclasses import replace

from memory.mining.rules import templates
from memory.mining.rules.german.grammar import CAPITAL, FILL, SPOT, i
from memory.mining.rules.table import Rule

_INSTRUMENT = (
    r"(?P<o>gitarre|klavier|geige|oboe|\w*flöte|schlagzeug|cello|saxo(?:ph|f)on|trompete|\w*bass|akkordeon"
    r"|ukulele|orgel|harfe|posaune|klarinette|bratsche|keyboard|tuba|horn|banjo|schach)\b"
)
_WHEN = (
    r"(?:jede[nrs]? \w+|jeden zweiten \w+|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|morgens"
    r"|abends|täglich|am wochenende|vor dem schlafen(?:gehen)?)"
)
_DATED = (
    r"\w*(?:termin|prüfung|hochzeit|gespräch|interview|konzert|operation|\bop|flug|reise|umzug|meeting"
    r"|klausur|besprechung|party|feier|kurs|marathon|abgabe|vorstellung|untersuchung|taufe|impfung)\b"
)
_ILLNESS = (
    r"(?P<o>diabetes(?: typ \d)?|bluthochdruck|asthma|migräne|zöliakie|epilepsie|rheuma|arthrose|adhs"
    r"|depressionen|neurodermitis|tinnitus|höhenangst|flugangst|\w+(?:intoleranz|unverträglichkeit))\b"
)
_ORDER = (
    r"(?:antworte?|schreibe?|duze?|sieze?|nenne?|sprich|verwende|benutze?|nutze?|erkläre?|gib|halte?|fasse?|formuliere?"
    r"|zeige?|rede|sag|stell|mach|füge?|lass|vermeide?|rechne)"
)
_LASTING = r"(?:immer|grundsätzlich|künftig|in zukunft|ab jetzt|ab sofort|von nun an|stets|nie|niemals|generell|jedes mal)"

RULES: tuple[Rule, ...] = (
    templates.INSTRUCTION.rule(
        rf"(?:^|,|\bund )(?:bitte )?(?P<o>{_ORDER} (?:(?!\bund {_ORDER})[^\n.!?]){{0,60}}?\b{_LASTING}\b(?:(?! und {_ORDER})[^\n.!?]){{0,80}})",
        (
            (
                "Bitte duz mich immer und antworte grundsätzlich kurz",
                "duz mich immer|antworte grundsätzlich kurz",
            ),
            ("Antworte bitte immer auf Deutsch.", "Antworte bitte immer auf Deutsch"),
        ),
        ("Er antwortet immer spät.", "Antworte kurz.", "Ich schreibe immer lange Mails."),
    ),
    templates.INSTRUCTION.rule(
        r"(?:^|, )(?P<o>(?:bitte )?(?:ab jetzt|ab sofort|von nun an|in zukunft|künftig|grundsätzlich)(?: bitte)? (?!ich|wir|arbeite ich|bin)[^\n.!?]{4,120})",
        (
            (
                "Ab jetzt bitte nur noch metrische Einheiten",
                "Ab jetzt bitte nur noch metrische Einheiten",
            ),
        ),
        ("Ab jetzt bin ich Rentner.", "Kannst du ab jetzt kürzer antworten?"),
    ),
    templates.PLAYS.rule(
        rf"{i('spiele?')}(?!nicht)(?:[^\n,.]{{1,30}} )??{_INSTRUMENT}",
        (("Seit meiner Kindheit spiele ich Oboe", "Oboe"), ("Ich spiele Gitarre.", "Gitarre")),
        ("Meine Tochter spielt Geige.", "Ich spiele nicht Klavier."),
    ),
    templates.SPEAKS.rule(
        rf"{i('spreche?|rede?')}(?:fließend|gut|etwas|ein bisschen|ein wenig|perfekt|auch)? ?(?P<o>{CAPITAL}\w+(?:isch|eutsch|indi|rdu)(?:(?:,| und) (?:etwas |ein bisschen |fließend )?{CAPITAL}\w+(?:isch|eutsch))*)",
        (("Ich spreche fließend Polnisch und etwas Dänisch", "Polnisch|etwas Dänisch"),),
        ("Sprichst du Polnisch?", "Sie spricht Polnisch."),
    ),
    templates.CAN.rule(
        rf"{i('kann')}(?:gut |fließend |ziemlich gut |ganz gut )?(?P<o>(?!nicht|kein|nie)(?:[^\n,.]{{2,40}} (?:spielen|nähen|stricken|kochen|programmieren|reiten|jonglieren|backen|schweißen|singen|tanzen|fahren)|{CAPITAL}\w+isch))(?=[\s,.!]|$)",
        (
            ("Ich kann ganz gut Gitarre spielen.", "Gitarre spielen"),
            ("Ich kann Spanisch", "Spanisch"),
        ),
        ("Ich kann nicht gut tanzen.", "Ich kann morgen kommen."),
    ),
    templates.LEARNING.rule(
        rf"{i('lerne?')}(?!aus|von|viel|nicht|für|dass)<o>",
        (("Ich lerne gerade Arabisch", "Arabisch"), ("Seit Mai lerne ich Klavier", "Klavier")),
        ("Ich lerne viel.", "Sie lernt Arabisch."),
    ),
    templates.GOAL.rule(
        r"\bmein (?:\w+ )?(?:ziel|traum|vorsatz|plan)(?: für [^\n,.]{2,20})? (?:ist|wäre)(?: es)?[:,]? <o>",
        (("Mein Ziel ist B1 bis Weihnachten", "B1 bis Weihnachten"),),
        ("Was ist mein Ziel?", "Sein Ziel ist die Meisterschaft."),
    ),
    replace(templates.GOAL, shape="clause").rule(
        rf"\b(?:ich (?:will|möchte|werde)|(?:will|möchte) ich|wir (?:wollen|möchten)) {FILL}(?!dass|wissen|du |dich |es\b|das\b|dies|ihn\b|sie\b|dir\b|nicht\b|nie\b|kein)(?P<o>[^\n,.]{{0,50}}?(?:lernen|werden|abnehmen|aufhören|eröffnen|sparen|umziehen|ziehen|gründen|bestehen|schaffen|laufen|bauen|reisen|auswandern|nachholen|kündigen|ablegen|abschließen|heiraten))(?=[\s,.!]|$)",
        (("Ich möchte bis Sommer zehn Kilo abnehmen.", "bis Sommer zehn Kilo abnehmen"),),
        ("Ich möchte wissen, was das kostet.", "Ich möchte eine Liste.", "Er will abnehmen."),
    ),
    templates.GOAL.rule(
        rf"(?:{i('spare?|trainiere?|bereite mich')}(?:auf|für)|\bich (?:bereite mich|spare|trainiere) [^\n,.]{{2,20}} (?:auf|für)) (?:eine?n? |den |die |das |meinen? )?<o>",
        (
            ("Ich spare auf ein Lastenrad", "Lastenrad"),
            ("Ich trainiere für den Marathon", "Marathon"),
        ),
        ("Er spart auf ein Auto.",),
    ),
    templates.PROJECT.rule(
        rf"(?:\bich (?:schreibe?|arbeite?|baue?|entwickle|renoviere|bastle) |(?<=\w[ ])(?:schreibe?|arbeite?|baue?|entwickle|renoviere|bastle) ich )(?:{FILL}an (?:eine[mr]|meine[mr]|unsere[mr]) |(?:gerade|grad|momentan|derzeit|zur zeit|im moment|aktuell) (?:eine?n?|meine?n?|unsere?n?) )(?!e-?mail|nachricht|brief|antwort|text|bericht|aufgabe|hausaufgabe|präsentation|referat|problem|fehler|bewerbung)<o>",
        (
            ("Ich schreibe gerade an einem Krimi", "Krimi"),
            ("Momentan baue ich gerade ein Baumhaus", "Baumhaus"),
        ),
        ("Schreibe einen Krimi.", "Ich arbeite an der Uni."),
    ),
    templates.DIET.rule(
        rf"{i('bin')}(?:strikte[r]? )?(?P<o>vegan(?:er(?:in)?)?|vegetarier(?:in)?|pescetarier(?:in)?)\b",
        (("Ich bin Vegetarierin.", "Vegetarierin"), ("Seit 2019 bin ich vegan", "vegan")),
        ("Ich bin nicht vegan.", "Meine Schwester ist vegan."),
    ),
    templates.DIET.rule(
        rf"(?:{i('lebe?|esse?|koche?')}|\bich ernähre mich )(?:{FILL}|strikt |rein |nur )?(?P<o>vegan|vegetarisch|glutenfrei|laktosefrei|koscher|halal|zuckerfrei)\b",
        (("Ich esse vegetarisch.", "vegetarisch"),),
        ("Er isst vegan.", "Ich esse nicht vegan."),
    ),
    templates.AVOIDS.rule(
        rf"{i('esse?|trinke?|vertrage?|darf')}(?:gar |überhaupt |absolut |mehr )?keine?n? (?P<o>{CAPITAL}[\w-]+(?:(?:,| und| oder) (?:keine?n? )?{CAPITAL}[\w-]+)*)",
        (("Ich esse kein Fleisch.", "Fleisch"), ("Ich vertrage keine Laktose", "Laktose")),
        ("Er trinkt keinen Alkohol.", "Ich habe keine Zeit."),
    ),
    templates.CONDITION.rule(
        rf"{i('habe?|leide?')}(?:unter |an )?(?:eine[nr]? )?{_ILLNESS}",
        (("Ich habe Bluthochdruck.", "Bluthochdruck"), ("Ich leide unter Migräne", "Migräne")),
        ("Habe ich Asthma?", "Mein Vater hat Diabetes."),
    ),
    templates.LIMIT.rule(
        rf"{i('habe?|besitze?')}(?P<o>(?:leider )?keine?n? (?:auto|führerschein|backofen|ofen|balkon|garten|fernseher|spülmaschine|mikrowelle|smartphone|kreditkarte))\b",
        (("Ich habe keinen Führerschein.", "keinen Führerschein"),),
        ("Ich habe keine Ahnung.", "Sie hat kein Auto."),
    ),
    templates.BUDGET.rule(
        r"\b(?:mein |unser )?(?:budget|höchstgrenze) (?:ist|liegt bei|beträgt|sind|von)?:? ?(?:maximal |höchstens |etwa |rund |ca\. )?(?P<o>\d[\d.,]* ?(?:€|euro|eur|franken|chf)?)",
        (("Mein Budget liegt bei 500 Euro", "500 Euro"),),
        ("Was kostet das Budgethotel?", "Das Budget der Stadt wächst."),
    ),
    templates.EVENT.rule(
        rf"(?:\b(?:ich|wir) habe?n?|\bhabe?n? (?:ich|wir)) (?:[^\n,]{{0,40}}? )??(?:eine?n?|meine?n?|die|den|das|unsere?) (?P<o>(?:{CAPITAL}?\w+ )?{_DATED})",
        (
            ("Morgen um 15 Uhr hab ich einen Zahnarzttermin", "Zahnarzttermin"),
            ("Ich habe am 3. Mai meine mündliche Prüfung", "mündliche Prüfung"),
        ),
        ("Ich habe einen Termin.", "Habe ich morgen einen Termin?"),
    ),
    templates.EVENT.rule(
        rf"\b(?:ist|sind|findet|beginnt|startet) (?:meine?|unsere?) (?P<o>(?:\w+ )?{_DATED})",
        (("Am 3. Mai ist unsere Hochzeit", "Hochzeit"),),
        ("Wann ist meine Prüfung?", "Heute ist schönes Wetter."),
    ),
    templates.EVENT.rule(
        rf"\b(?:meine?|unsere?) (?P<o>(?:\w+ )?{_DATED}) (?:ist|findet|beginnt|wurde|steht)\b",
        (("Unsere Hochzeit ist am 3. Mai", "Hochzeit"),),
        ("Meine Prüfung ist schwer.", "Ist meine Prüfung am 3. Mai?"),
    ),
    templates.EVENT.rule(
        r"(?P<o>\b(?:fliege|fahre|reise|heirate|ziehe|fliegen|fahren|reisen|heiraten|ziehen)(?: ich| wir)(?: [^\n,.]{2,40})?)",
        (
            ("Am 3. Mai heiraten wir", "heiraten wir"),
            ("Morgen fliege ich nach Oslo", "fliege ich nach Oslo"),
        ),
        ("Fliege ich morgen nach Oslo?", "Wir heiraten."),
    ),
    templates.HABIT.rule(
        rf"\b(?P<o>{_WHEN} (?:um [\d:]+ (?:uhr )?|[^\n,.]{{3,25}} )?(?!habe?|wohne?|bin|mag)\w+e? (?:ich|wir)(?: [^\n,.]{{2,80}})?)",
        (
            (
                "jeden Morgen gehe ich vor der Arbeit eine Runde laufen",
                "jeden Morgen gehe ich vor der Arbeit eine Runde laufen",
            ),
        ),
        ("Jeden Morgen geht er laufen.", "Was esse ich jeden Morgen?"),
    ),
    templates.HABIT.rule(
        rf"(?:^|[,;:–—-] |\b(?:und|aber|oder|denn|also|ja|nein|naja|hallo|hi|moin) )ich (?P<o>(?!habe?|wohne?|bin|mag|hasse|hätte|liebe|möchte|will|kann|soll)\w+e? (?:[^\n,.]{{2,40}} )??(?:{_WHEN}|regelmäßig|normalerweise|meistens|gewöhnlich)(?: [^\n,.]{{2,60}})?)",
        (("Ich jogge jeden Morgen am Fluss", "jogge jeden Morgen am Fluss"),),
        ("Er joggt jeden Morgen.", "Jogge ich jeden Morgen?"),
    ),
    templates.USES.rule(
        rf"{i('benutze?|nutze?|verwende?|programmiere?|code|entwickle|arbeite(?= (?:[a-zäöü]+ )?mit)')}(?:hauptsächlich |meistens |täglich |privat |beruflich |am liebsten )?(?:mit |in |auf )?(?:eine[mnr]? |meine[mnr]? |de[mnr] )?(?P<o>(?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z\d])[\w.+#-]*)?(?: und (?-i:[A-Z])[\w.+#-]*)?)(?= (?:für|als|auf|am|zum|und|seit|im)\b|[,.!]|$)",
        (("Ich benutze Obsidian für Notizen", "Obsidian"), ("Ich programmiere in Rust", "Rust")),
        ("Ich arbeite in Wien nicht.", "Er benutzt Linux.", "Ich nutze die Zeit."),
    ),
    templates.LIVED.rule(
        rf"(?:\b(?:früher|damals) (?:habe?|haben) (?:ich|wir)|\b(?:ich|wir) (?:habe?|haben)) (?:[^\n,]{{1,30}} )??in {SPOT} (?:gewohnt|gelebt)\b",
        (("Ich habe fünf Jahre in Lyon gelebt", "Lyon"), ("Früher hab ich in Ulm gewohnt", "Ulm")),
        ("Sie hat in Lyon gelebt.", "Ich wohne in Ulm."),
    ),
    templates.WAS.rule(
        rf"\b(?:früher|damals) war ich (?:mal )?(?:eine? )?(?P<o>{CAPITAL}[\w-]+)",
        (("Früher war ich Bäcker", "Bäcker"),),
        ("Früher war alles besser.", "Früher war sie Bäckerin."),
    ),
    templates.DEGREE.rule(
        rf"\bich habe? (?:[^\n,]{{1,30}} )??(?P<o>{CAPITAL}[\w-]+) (?:an der [^\n,]{{2,30}} |in {CAPITAL}\w+ )?studiert\b",
        (("Ich habe in Jena Biologie studiert", "Biologie"),),
        ("Er hat Biologie studiert.",),
    ),
)
