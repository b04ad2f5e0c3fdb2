"""Words by which a question names what is the person's own, in the languages of the rules."""

# What stands behind "my", up to three words.
OWN = (
    r"\b(?:my|our|meine?[nmrs]?|unsere?[nmrs]?|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|"
    r"мо(?:й|я|ё|е|и|его|ему|ей|ю|их|им|ими|ём)|наш\w*)\s+"
    r"(?P<what>[^\W_][\w'’-]*(?:\s+[^\W_][\w'’-]*){0,2})"
)

# Questions about oneself that name the thing by a verb, and the keys that answer them.
ASKED = {
    r"\bwhere (?:do|did|am|was) i (?:\w+ )?liv|\bi (?:currently )?live\b|\bwo(?:hne| wohne| lebe)? ich\b|"
    r"\bich (?:wohne|lebe)\b|\b(?:dónde|donde) vivo\b|\bj['’]habite\b|\bhabité-je\b|\bje vis\b|"
    r"\bя живу\b|\bживу я\b|我住|我(?:现在)?在?哪(?:里|儿)?住|我家在哪": ("home_city",),
    r"\b(?:do|did) i work\b|\bwhere i work\b|\bi do for (?:a living|work)\b|\barbeite ich\b|"
    r"\bich arbeite\b|\b(?:dónde|donde) trabajo\b|\bde qué trabajo\b|\bje travaille\b|"
    r"\bя работаю\b|\bработаю я\b|我(?:现在)?(?:在哪(?:里|儿|家)?|做什么)?(?:工作|上班)": (
        "employer",
        "occupation",
    ),
    r"\b(?:do|did) i study\b|\bstudiere ich\b|\bestudio\b|\bj['’]étudie\b|\bя учусь\b|我在哪(?:里|儿)?(?:上学|读书|学习)": (
        "university",
    ),
    r"\bi(?:'m| am) called\b|\bam i called\b|\bwho am i\b|\bheiße ich\b|\bich heiße\b|\bme llamo\b|"
    r"\bje m['’]appelle\b|\bменя зовут\b|我叫什么|我是谁": ("name",),
    r"\bhow old am i\b|\balt bin ich\b|\baños tengo\b|\bquel âge ai-je\b|\bмне лет\b|我(?:今年)?几岁|我多大": (
        "age",
        "birthday",
    ),
    r"\bwas i born\b|\bich geboren\b|\bnací\b|\bje suis née?\b|\bя родил(?:ся|ась)\b|我(?:是)?(?:在)?哪\w*出生": (
        "birthplace",
        "birthday",
    ),
    r"\bi married to\b|\bich verheiratet\b|\bestoy casad[oa]\b|\bje suis mariée?\b|\bя женат\b|\bя замужем\b": (
        "spouse",
        "marital_status",
    ),
}

# Asking for advice, where tastes, limits and wishes matter that the question does not name.
ADVICE = (
    r"\b(?:recommend\w*|suggest\w*|advi[cs]e|tips?|ideas?|inspiration|what should (?:i|we)|"
    r"should (?:i|we)\b|what (?:could|can) (?:i|we) (?:do|cook|make|eat|read|watch|buy|give|wear|try)|"
    r"where should|which \w+ should|help me (?:choose|pick|decide|find|plan)|plan (?:a|an|my|our)\b|"
    r"any (?:good|nice)|what to (?:do|cook|make|eat|read|watch|buy|give|wear|try)|"
    r"looking for (?:a|an|some)|"
    r"empfiehl\w*|empfehl\w*|vorschl\w+|schlag\w* .{0,20} vor|was soll(?:te)?n? (?:ich|wir)|tipps?|ideen?|"
    r"recom\w*nd\w*|recomiend\w*|sugier\w*|sugerencia\w*|qué (?:debería|puedo|podría)|aconsej\w*|ideas|"
    r"recommand\w*|conseill\w*|suggèr\w*|suggér\w*|propose\w*|que (?:devrais|dois|puis)-je|idées?|"
    r"посовет\w*|порекоменд\w*|рекоменд\w*|подскаж\w*|что мне|куда мне|предлож\w*|идеи?|идей)\b|"
    r"推荐|建议|适合我|该(?:怎么|吃|去|买|看|选|做)|应该(?:怎么|吃|去|买|看|选|做)|有什么好|帮我(?:选|挑|想)|"
    r"おすすめ|お勧め|オススメ|提案|추천"
)

# Asking for a way of doing something.
HOW_TO = (
    r"\b(?:how (?:do|did|can|could|should|would|to)\b|what(?:'s| is) the (?:best )?way|steps? to|"
    r"wie (?:kann|mach\w*|haben|habe|geht|bekomm\w*|lös\w*|soll\w*)|cómo (?:\w+)|comment (?:\w+)|"
    r"как (?:мне|мы|я|можно|нам|это)?|каким образом)\b|怎么|如何|怎样|どうやって|어떻게"
)
