"""Who one is in German, told in passing: as what, born where, at which school, with which body."""

from memory.mining.rules import templates
from memory.mining.rules.german.grammar import CAPITAL, FRONT, TRADE, i
from memory.mining.rules.table import Rule
from memory.mining.rules.templates import Template

_END = r"(?=$|[,.!;:)–]| (?:und|aber|oder|weil|bei|in|im|an|am|auf|aus|mit|seit|für|hab|habe|bin|kann|muss|weiß)\b)"
_PLACE = rf"(?P<o>{CAPITAL}[\w-]+(?: (?:am|an der|im|ob der) {CAPITAL}\w+)?)"
_NOWHERE = r"(?!(?:Frieden|Angst|Armut|Scheidung|Trennung|Miete|Sorge|Eile|Ruhe|Rente|Pension|Urlaub|Elternzeit|Karenz|Ordnung|Schwierigkeiten|Not|Therapie|Quarantäne|Familie|Gedanken|Stimmung|Panik|Form|Topform|Kurzarbeit|Zukunft|Deutsch|Mathe|Sport|Englisch)\b)"
_REGION = r"(?:Saarland|Allgäu|Ruhrgebiet|Ruhrpott|Schwarzwald|Harz|Münsterland|Sauerland|Erzgebirge|Burgenland|Wallis|Tessin|Aargau|Thurgau|Emmental|Vogtland|Rheinland|Emsland|Odenwald|Taunus|Westerwald|Allgaeu|Elsass|Waldviertel|Innviertel|Pott|Norden|Süden|Osten|Westen)"
_BORN = Template("identity", "birth_year", "born_in_year", "The user was born in {object}.", "as_is")
_SIGN = (
    r"(?:Widder|Stier|Zwilling|Krebs|Löwe|Löwin|Jungfrau|Waage|Skorpion|Schütze|Steinbock|Wassermann|Fisch)"
)
_NATION = r"(?:Österreicher|Schweizer|Deutsche?r?|Pole|Polin|Türke|Türkin|Italiener|Spanier|Grieche|Griechin|Franzose|Französin|Russe|Russin|Ukrainer|Syrer|Kroate|Kroatin|Serbe|Serbin|Bosnier|Rumäne|Rumänin|Ungar|Niederländer|Däne|Dänin|Belgier|Luxemburger|Südtiroler|Iraner|Afghane|Afghanin|Vietnamese|Vietnamesin|Portugiese|Portugiesin|Brite|Britin|Amerikaner|Brasilianer)(?:in)?"
_TRAIT = (
    r"(?:Frühaufsteher|Nachteule|Langschläfer|Morgenmuffel|Brillenträger|Linkshänder|Hausmann|Hausfrau|Witwer|Witwe|Waise|Pazifist|Atheist|Buddhist|Katholik|Protestant|Moslem|Muslim|Nichtraucher|Raucher|Freiberufler|Pendler|Beamter|Beamtin"
    r"|Frührentner|Pensionist|Pensionär|Vielleser|Grenzgänger|Quereinsteiger|Autodidakt|Minimalist|Halbwaise|Schüler|Azubi|Single)(?:in)?|arbeitslos|verbeamtet|selbstständig|selbständig|freiberuflich|hochsensibel|konfessionslos|adoptiert|nachtaktiv|pensioniert|berentet|frischgebackene[rn]? (?:Papa|Mama|Vater|Mutter)"
)

RULES: tuple[Rule, ...] = (
    templates.OCCUPATION.rule(
        rf"(?:{FRONT}|\bich |\bmir )als (?:selbstständige[rn]? |freie[rn]? |gelernte[rn]? |angehende[rn]? |junge[rn]? )?(?P<o>{TRADE}) (?:hab|habe|bin|kann|muss|brauche?|weiß|arbeite|darf|kenne|sehe|verdiene?|sitze?|stehe?|fehlt|ist) (?:ich|mir|man als)",
        (("Als Krankenschwester hab ich oft Nachtdienst.", "Krankenschwester"),),
        (
            "Als Krankenschwester hat sie Nachtdienst",
            "Als Kind hab ich viel gelesen",
            "Was muss ich als Koch wissen?",
        ),
    ),
    templates.OCCUPATION.rule(
        rf"(?:\bich bin|^bin|(?<=\w[ ])bin ich) (?:im (?:ersten|zweiten|dritten|vierten|\d\.) lehrjahr (?:als |zum |zur )?|azubi (?:als|zum|zur) |angehende[rn]? )(?P<o>{CAPITAL}[\w-]+)",
        (("Ich bin im zweiten Lehrjahr als Tischlerin.", "Tischlerin"),),
        ("Er ist im zweiten Lehrjahr als Tischler",),
    ),
    templates.OCCUPATION.rule(
        rf"(?:\bich bin|^bin|(?<=\w[ ])bin ich|, bin) (?:(?:selbst|selber|ja|eigentlich|nämlich|seit \w+(?: jahren?)?|hauptberuflich|nebenberuflich|übrigens|jetzt|inzwischen|mittlerweile|leidenschaftliche[rn]?|freie[rn]?|selbstständige[rn]?) ){{1,3}}(?P<o>{TRADE}){_END}",
        (("Ich bin seit zehn Jahren Busfahrer.", "Busfahrer"),),
        ("Er ist seit zehn Jahren Busfahrer", "Ich bin selbst kein Lehrer"),
    ),
    templates.WORKPLACE.rule(
        r"(?:\bich |^|(?<=\w[ ]))(?:leite|betreibe|führe)(?: ich)? (?:seit \w+(?: \w+)? |gemeinsam mit [\w ]{3,20} )?(?P<o>(?:eine?n?|meine?n? eigene?n?|unsere?n?) (?:kleine?n? )?(?:[\w-]*(?:kita|kindergarten|praxis|laden|café|bäckerei|werkstatt|bauernhof|hof|verlag|agentur|firma|betrieb|restaurant|kneipe|hotel|pension|buchhandlung|apotheke|schule|salon|gärtnerei|imkerei|team|abteilung)))\b",
        (("Ich leite eine kleine Kita in Bonn.", "eine kleine Kita"),),
        ("Er leitet eine Kita", "Ich leite die Mail weiter"),
    ),
    templates.WORKPLACE.rule(
        rf"(?:\bich |^|(?<=\w[ ]))unterrichte(?: ich)? (?:seit \w+(?: \w+)? |auch )?(?P<o>{CAPITAL}[\w-]+(?: und {CAPITAL}[\w-]+)?)(?=$|[,.!;]| (?:an|am|in|auf|und)\b)",
        (("Ich unterrichte Mathe und Physik an einer Realschule.", "Mathe und Physik"),),
        ("Sie unterrichtet Mathe", "Wer unterrichtet Mathe?"),
    ),
    templates.STUDIES.rule(
        rf"(?:\bich |^|(?<=\w[ ]))studiere(?: ich)? (?:(?!nicht|nie|kein|in |an )\w+[.]? ){{0,4}}?(?:im \w+[.]? semester )?(?P<o>{CAPITAL}(?!emester)[\w-]+(?: und {CAPITAL}[\w-]+)?)(?=$|[,.!;]| (?:an|am|in|auf|im|und|auf)\b)",
        (("Ich studiere jetzt im dritten Semester Geologie.", "Geologie"),),
        ("Sie studiert Geologie", "Ich studiere nicht Geologie"),
    ),
    templates.TRAIT.rule(
        rf"{i('bin')}(?:eine? |totale[rn]? |absolute[rn]? |echte[rn]? |eher |seit \w+(?: \w+)? |überzeugte[rn]? )*(?P<o>{_TRAIT}|{_NATION})(?=$|[,.!;:]| (?:und|aber|aus|mit|seit|von|in|bei)\b)",
        (
            ("Ich bin eine totale Nachteule.", "Nachteule"),
            ("bin seit Mai arbeitslos", "arbeitslos"),
        ),
        ("Er ist Nachteule", "Ich bin keine Nachteule", "Bin ich Österreicher?"),
    ),
    templates.TRAIT.rule(
        rf"(?:\bmein sternzeichen ist |\bvom sternzeichen (?:her )?bin ich |\bich bin vom sternzeichen (?:her )?)(?P<o>{_SIGN})\b",
        (("Mein Sternzeichen ist Waage.", "Waage"),),
        ("Ihr Sternzeichen ist Waage", "Was ist mein Sternzeichen?"),
    ),
    templates.FAMILY.rule(
        r"(?:\bich bin|^bin|(?<=\w[ ])bin ich|\bals) (?:\w+e[rn]? )?(?P<o>(?:Mutter|Vater|Mama|Papa|Mami|Papi|Oma|Opa|Großmutter|Großvater) (?:von|zweier|dreier) (?:(?:zwei|drei|vier|fünf|sechs|einer?|einem|\d) )?(?:[a-zäöüß]+ )?[A-ZÄÖÜ]?\w+)(?=$|[,.!;:]| (?:und|hab|habe|bin|muss|kann)\b)",
        (("Ich bin Mutter von drei Kindern.", "Mutter von drei Kindern"),),
        ("Sie ist Mutter von drei Kindern", "Ich bin nicht Mutter von drei Kindern"),
    ),
    _BORN.rule(
        r"(?:\bich bin|^bin|(?<=\w[ ])bin ich) (?:baujahr|jahrgang) (?P<o>(?:19|20)?\d\d)\b",
        (("Ich bin Jahrgang 1985.", "1985"),),
        ("Er ist Jahrgang 1985", "Bin ich Jahrgang 1985?"),
    ),
    templates.AGE.rule(
        r"(?:\bmit meinen|\bals) (?P<o>[1-9]\d)(?:-?jährige[rn]?| jahren)?(?= (?:hab|habe|bin|kann|muss|werde|darf|fühl\w*|brauch\w*) ich\b| jahren (?:hab|habe|bin|kann|muss|werde|darf)\b)",
        (("Mit meinen 71 Jahren bin ich noch fit", "71"), ("Als 16-Jähriger darf ich das", "16")),
        ("Mit seinen 71 Jahren ist er fit", "Mit 20 war ich dort"),
    ),
    templates.HOME.rule(
        rf"(?:\bich |^|, |\bund |\bwir )(?:wohne?|lebe?|wohnen|leben)(?: (?!nicht|nie|gern|kaum)[\w.]+){{0,4}}? (?:auf|am|an der|im|in der) (?P<o>{_REGION}|Bodensee|Chiemsee|Ammersee|Nordsee|Ostsee|Mosel|Schweiz|Türkei|Ukraine|Steiermark|Pfalz|Oberpfalz|Eifel|Lausitz|Uckermark|Rhön|Rügen|Sylt|Usedom|Fehmarn|Föhr|Amrum|Mallorca|Teneriffa|Lüneburger Heide|Wetterau|Altmark)\b",
        (("Ich wohne seit Jahren am Bodensee.", "Bodensee"), ("wir leben auf Rügen", "Rügen")),
        ("Er wohnt am Bodensee", "Ich wohne nicht am Bodensee", "Wohne ich am Bodensee?"),
    ),
    templates.HOME.rule(
        rf"(?:\bich bin|^bin|(?<=\w[ ])bin ich) (?:(?:ganz|noch|gerade|frisch|relativ|erst) )*neu in {_NOWHERE}{_PLACE}(?=$|[,.!;:]| (?:und|hab)\b)",
        (("Ich bin neu in Kassel und such Leute", "Kassel"),),
        ("Sie ist neu in Kassel", "Ich bin neu in der Firma"),
    ),
    templates.ORIGIN.rule(
        rf"(?:\bich |^|, )(?:bin |wurde )?(?:geboren und )?aufgewachsen (?:bin ich )?(?:in|bei) {_PLACE}",
        (("Aufgewachsen bin ich in Jena.", "Jena"),),
        ("Aufgewachsen ist er in Jena",),
    ),
    templates.ORIGIN.rule(
        rf"(?:^|[,.] |\bund )geboren (?:bin ich|wurde ich|und aufgewachsen bin ich) in {_PLACE}",
        (("Geboren bin ich in Lübeck, aber schon lange weg", "Lübeck"),),
        ("Geboren ist sie in Lübeck",),
    ),
)
