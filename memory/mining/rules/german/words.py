"""Classes of German words that rules share: food, games, instruments, ailments, know-how."""

FOOD = (
    r"(?:(?:schweine|rind|geflügel|kalb)?fleisch|fisch|alkohol|zucker|kuhmilch|milch(?:produkte)?|gluten|laktose|fructose|fruktose|histamin|kaffee|koffein|schwein|eier|nüsse"
    r"|wurst|käse|weizen|meeresfrüchte|schalentiere|süßes|süßigkeiten|soja|innereien|milchprodukte|tierische produkte|bier|wein|schnaps|fast ?food|weißmehl)\b"
)
GAME = (
    r"(?:tischtennis|tennis|badminton|squash|padel|(?:fuß|hand|basket|volley|beachvolley|wasser|faust|völker|korb|base|soft)ball|rugby|hockey|eishockey|feldhockey|golf|minigolf|billard|dart"
    r"|schach|skat|doppelkopf|poker|bridge|boule|boccia|kegeln|jassen|schafkopf|cricket|lacrosse|curling|ultimate frisbee)\b"
)
INSTRUMENT = (
    r"(?:gitarre|klavier|geige|oboe|\w*flöte|schlagzeug|cello|saxo(?:ph|f)on|trompete|kontrabass|e-bass|bass|akkordeon"
    r"|ukulele|orgel|harfe|posaune|klarinette|bratsche|keyboard|tuba|horn|banjo|mandoline|zither|mundharmonika|fagott|cembalo|dudelsack|hackbrett)\b"
)
ILLNESS = (
    r"(?P<o>heuschnupfen|diabetes(?: typ \d)?|bluthochdruck|asthma|migräne|zöliakie|epilepsie|rheuma|arthrose|arthritis|adhs|ads|depressionen"
    r"|neurodermitis|tinnitus|höhenangst|flugangst|platzangst|klaustrophobie|\w+(?:intoleranz|unverträglichkeit|phobie)|skoliose|hashimoto|morbus \w+|parkinson"
    r"|multiple sklerose|endometriose|colitis(?: ulcerosa)?|gicht|reizdarm|psoriasis|schuppenflechte|schlafapnoe|herzschwäche|herzrhythmusstörungen|legasthenie"
    r"|dyskalkulie|autismus|osteoporose|angststörung|panikattacken|rot-grün-(?:schwäche|blindheit)|fibromyalgie|lipödem|long covid|hausstauballergie|pollenallergie)\b"
)
BODILY = (
    r"(?P<o>(?:[\w-]*(?:farben|nacht|rot-grün|rot-grün-)-?blind|blind|taub|gehörlos|schwerhörig|kurzsichtig|weitsichtig|\w+intolerant|querschnittsgelähmt|gehbehindert|schwerbehindert|sehbehindert"
    r"|autistisch|asthmatiker(?:in)?|diabetiker(?:in)?|epileptiker(?:in)?|legastheniker(?:in)?|allergiker(?:in)?|bluter|schwanger|nierenkrank|herzkrank|chronisch krank)\b)"
)
KNOW_HOW = (
    r"(?:(?:(?-i:[A-ZÄÖÜ])[\w-]+ )?(?:spielen|nähen|stricken|häkeln|kochen|backen|programmieren|reiten|jonglieren|schweißen|singen|tanzen|schwimmen|tauchen|segeln|surfen|klettern|jodeln|töpfern"
    r"|zeichnen|malen|fotografieren|löten|schnitzen|imkern|schneidern|pfeifen|zaubern|kraulen|skifahren|löten|tippen|steppen|morsen|stenografieren|melken|filzen|klöppeln|weben"
    r"|gebärden)|noten lesen|(?:auto|rad|fahrrad|ski|motorrad|einrad|schlittschuh|snowboard|traktor|lkw|inliner) (?:fahren|laufen))\b"
)
