"""The commonest statements about oneself in French."""

import re

from memory.mining.rules.french import asides, daily, pursuits
from memory.mining.rules.table import Language, Rule, said
from memory.text import kinship

KIN = kinship.KIN["fr"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_NAME = r"(?P<o>(?-i:[^\W\d_a-zà-ÿ])[\w'\u2019-]*(?: (?-i:[^\W\d_a-zà-ÿ])[\w'\u2019-]*){0,2})"
_I = r"(?:je |j['\u2019])"

RULES = (
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="name",
        confidence=0.9,
        pattern=said(r"\b(?:je m['\u2019]appelle|mon nom est) <o>"),
        yes=(("Je m'appelle Élodie Durand.", "Élodie Durand"), ("Bonjour, mon nom est Luc", "Luc")),
        no=("Comment je m'appelle ?", "Je ne m'appelle pas Bob.", "Il s'appelle Tom."),
    ),
    Rule(
        kind="identity",
        key="home_city",
        predicate="lives_in",
        statement="The user lives in {object}.",
        shape="place",
        confidence=0.9,
        pattern=said(
            rf"\b(?:{_I}(?:vis|habite)(?: actuellement| maintenant)?|nous (?:vivons|habitons)"
            r"|j['\u2019]ai déménagé|je viens de déménager) (?:à|au|en|aux) <place>"
        ),
        yes=(
            ("J'habite à Lyon.", "Lyon"),
            ("Je vis au Québec depuis dix ans", "Québec"),
            ("J’habite à Nantes, tu connais un bon café ?", "Nantes"),
        ),
        no=(
            "Si j'habite à Paris, que faire ?",
            "Je n'habite pas à Paris.",
            "Ma sœur habite à Lille.",
        ),
    ),
    Rule(
        kind="identity",
        key="hometown",
        predicate="comes_from",
        statement="The user comes from {object}.",
        shape="place",
        pattern=said(r"\bje (?:viens|suis originaire) (?:de |d['\u2019]|du )<place>"),
        yes=(("Je viens de Dakar.", "Dakar"),),
        no=("Je viens de finir.",),
    ),
    Rule(
        kind="identity",
        key="age",
        predicate="aged",
        statement="The user is {object} years old.",
        shape="as_is",
        confidence=0.9,
        pattern=said(r"\bj['\u2019]ai (?P<o>1?\d{1,2}) ans\b"),
        yes=(("J'ai 34 ans", "34"),),
        no=("Mon fils a 5 ans",),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        many=True,
        confidence=0.8,
        pattern=said(
            rf"(?<!que[ ]){_I}(?:aime|adore) (?:beaucoup |bien |vraiment |aussi |surtout |particulièrement |tellement |trop |énormément |toujours )*(?!pas\b|mieux\b|juste\b|être )(?:le |la |les |l['\u2019])?<list>"
        ),
        yes=(
            ("J'aime la randonnée, le jazz et le fromage.", "randonnée|le jazz|le fromage"),
            ("J'adore danser", "danser"),
        ),
        no=(
            "Je n'aime pas le café.",
            "J'aime ça.",
            "Est-ce que j'aime le thé ?",
            "J'aimerais un café.",
        ),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        many=True,
        confidence=0.8,
        pattern=said(
            r"\b(?:je n['\u2019]aime pas(?: du tout)?|j['\u2019]aime pas|je déteste) (?:vraiment |tellement |trop |absolument |particulièrement |beaucoup )*(?:le |la |les |l['\u2019])?<list>"
        ),
        yes=(("Je n'aime pas le café.", "café"), ("Je déteste les olives", "olives")),
        no=("Je n'aime pas ça.",),
    ),
    Rule(
        kind="identity",
        key="allergy_{slug}",
        predicate="allergic_to",
        statement="The user is allergic to {object}.",
        many=True,
        confidence=0.9,
        pattern=said(
            r"\bje suis allergique (?:aux |au |à la |à l['\u2019]|à )(?!lundis?\b|travail|réunions?\b|bêtise|matin|gens\b|sport\b|effort|mensonge)<list>"
        ),
        yes=(("Je suis allergique aux arachides.", "arachides"),),
        no=("Je ne suis pas allergique aux chats.", "Je suis allergique au lundi"),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="name",
        confidence=0.9,
        pattern=said(
            rf"\b(?:ma|mon|notre) (?:(?:petite?|grande?|meilleure?) )?(?P<r>{_WORDS})(?: s['\u2019]appelle|,)? (?:M\.|Mme|Mlle|monsieur|madame)? ?{_NAME}"
        ),
        yes=(
            ("Ma femme s'appelle Wang Min.", "Wang Min"),
            ("Mon frère Paul arrive demain", "Paul"),
        ),
        no=("Ma sœur habite à Lille.", "Comment s'appelle mon chat ?"),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="name",
        confidence=0.9,
        pattern=said(rf"(?:^|[,;] ){_NAME} est (?:ma|mon) (?P<r>{_WORDS})\b"),
        yes=(("Anne est ma sœur.", "Anne"),),
        no=("Qui est mon patron ?", "Elle est ma sœur."),
    ),
    Rule(
        kind="identity",
        key="employer",
        predicate="works_at",
        statement="The user works at {object}.",
        shape="organisation",
        confidence=0.9,
        pattern=said(
            r"\bje travaille (?:comme \w+ )?(?:chez|pour|à|au) (?:la |l['\u2019])?(?=(?-i:[^\W\d_a-zà-ÿ]))<o>"
        ),
        yes=(
            ("Je travaille chez Renault.", "Renault"),
            ("Je travaille comme médecin à Airbus", "Airbus"),
        ),
        no=("Je travaille à la maison.", "Je ne travaille pas chez Renault."),
    ),
    Rule(
        kind="experience",
        key="former_employer_{slug}",
        predicate="worked_at",
        statement="The user no longer works at {object}.",
        shape="organisation",
        ended=True,
        pattern=said(r"\bje ne travaille plus (?:chez|pour|à|au) <o>"),
        yes=(("Je ne travaille plus chez Renault.", "Renault"),),
        no=("Je travaille chez Renault.",),
    ),
    Rule(
        kind="identity",
        key="occupation",
        predicate="works_as",
        statement="The user's occupation is {object}.",
        pattern=said(
            r"\bje (?:travaille comme|suis) (?:une? )?(?P<o>[^\W\d_]*(?:eur|euse|ier|ière|iste|ien|ienne|cin|ocate?|ecte|seignante?))(?= chez| à| au| et|[.,!]|$)"
        ),
        yes=(("Je suis ingénieur.", "ingénieur"), ("Je travaille comme infirmière", "infirmière")),
        no=("Je suis fatigué.", "Je ne suis pas médecin."),
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
            r"(?:^|\bs['\u2019]il te plaît,? )(?:souviens-toi|rappelle-toi|n['\u2019]oublie pas|retiens|note)(?: bien)?(?: que| qu['\u2019]|(?<!note):|(?<!note),) ?(?P<o>[^\n]{5,300})"
        ),
        yes=(("Souviens-toi que la clé est sous le pot.", "la clé est sous le pot"),),
        no=("Tu te souviens du film ?",),
    ),
)

FRENCH = Language(
    code="fr",
    cue=re.compile(
        r"\b(?:je|j['\u2019]\w+|mon|ma|mes|nos|notre|nous|on|moi|souviens-toi|rappelle-toi|n['\u2019]oublie|retiens|note|désormais"
        r"|dorénavant|c['\u2019]est|madame|monsieur|native?|originaire|étant|ici|papy|mamie|papa|maman|très peu|plutôt|arrêt(?:e|ez)|à noter|mets-toi|garde ça|mémo|jsuis|chuis|ex|toujours|jamais|systématiquement|avenir|à partir de)\b|-moi\b",
        re.IGNORECASE,
    ),
    veto=re.compile(
        r"\b(?:si|ne|pas|jamais|peut-être|dit que|pense que|croit que|quand|où|comment|pourquoi|comme si)\b|\bn['\u2019]",
        re.IGNORECASE,
    ),
    imagined=re.compile(
        r"\b(?:imagin\w+|suppos\w+|par exemple|admettons|mettons que|jouons|jeu de rôles?|fais comme si"
        r"|(?:m['\u2019]a |a |il |elle )(?:dit|répond|écrit|raconte)|dit que|faisons comme si|dans (?:ce|cette|le|la|l['\u2019]|un|une|mon|ma|notre) ?(?:film|roman|livre|jeu|rêve|pièce|partie|campagne|scénario|histoire)"
        r"|n['\u2019]ai jamais dit|si j['\u2019](?:étais|avais|habitais))\b",
        re.IGNORECASE,
    ),
    stop=re.compile(
        r"\s+(?:et|mais|ou)\s+(?:je|j['\u2019]\w+|mon|ma|nous|il|elle|tu|c['\u2019]est)\b"
        r"|\s+(?:mais|parce|car|quand|que|qui|merci|depuis|pour|comme|avec|dans)\b",
        re.IGNORECASE,
    ),
    refused=re.compile(
        r"(?:.*\b(?:version|option|variante|réponse|proposition|idée|brouillon|poème)\b|ça|cela|ce(?:s|t|tte)?|ton|ta|tes|lui|tout|rien|plus|toi|vous|moi|eux|ceux|celui|celles?|quand|désolée?|chez|en|d['\u2019]être|ici|jour|mieux|si|tous les deux|comment|quoi|que|l['\u2019]idée|idée|façon)(?:\s|$)",
        re.IGNORECASE,
    ),
    rules=(*pursuits.RULES, *RULES, *daily.RULES, *asides.RULES),
    kin=KIN,
)
