"""Further ways of speaking of oneself in French: who one is, whom one has, what one does."""

from memory.mining.rules import templates
from memory.mining.rules.table import Rule
from memory.text import kinship

KIN = kinship.KIN["fr"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_NAME = r"(?P<o>(?-i:[^\W\d_a-zà-ÿ])[\w'\u2019-]*(?: (?-i:[^\W\d_a-zà-ÿ])[\w'\u2019-]*){0,1})"
_PLACE = r"(?P<o>(?-i:[A-ZÀ-Ý])[\w'\u2019-]+(?:[ -](?-i:[A-ZÀ-Ý])[\w'\u2019-]+)*)"
_COUNT = r"(?:une?|deux|trois|quatre|cinq|six|\d)"
_FAMILY = r"(?:(?:petite?s?|grande?s?) )?(?:enfants?|fils|filles?|frères?|sœurs?|soeurs?|jumeaux|jumelles|petits-enfants|chiens?|chats?|chevaux|cheval|lapins?|poules?)"
_OFTEN = r"(?:(?:une|deux|trois|quatre|cinq) fois par (?:semaine|mois|jour)|tous les (?:jours|matins|soirs|lundis|mardis|mercredis|jeudis|vendredis|samedis|dimanches|week-ends|midis|mois|ans)|chaque (?:jour|matin|soir|semaine|dimanche|samedi|été|hiver|année))"
_USUALLY = r"(?:d['\u2019]habitude|normalement|en général|généralement|tous les (?:jours|matins|soirs|lundis|mardis|mercredis|jeudis|vendredis|samedis|dimanches|week-ends)|chaque (?:jour|matin|soir|dimanche|semaine|été|hiver)|le (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|matin|soir|week-end))"
_DEVICE = (
    r"(?P<r>téléphone|portable|ordinateur|ordi|tablette|voiture|vélo|appareil photo|imprimante|montre|télé)"
)

RULES: tuple[Rule, ...] = (
    templates.NAME.rule(
        rf"(?:^|[,.!] )moi,? (?:c['\u2019]est|je suis) {_NAME}(?=$|[,.!]| et\b)",
        (("moi c'est Julien", "Julien"),),
        ("Lui c'est Julien", "Moi c'est pareil"),
    ),
    templates.NICKNAME.rule(
        rf"\b(?:on|tout le monde|mes amis|mes potes) (?:m['\u2019]appelle|m['\u2019]appellent|me surnomme|me surnomment) (?:tous )?{_NAME}",
        (("on m'appelle Titi", "Titi"),),
        ("On l'appelle Titi", "on m'appelle souvent"),
    ),
    templates.AGE.rule(
        r"\bje viens d['\u2019](?:avoir|fêter mes) (?P<o>[1-9]\d) ans",
        (("je viens d'avoir 30 ans", "30"),),
        ("Il vient d'avoir 30 ans",),
    ),
    templates.HOME.rule(
        rf"\b(?:j['\u2019]habite|je vis|on habite|on vit|nous habitons|nous vivons|je loge)(?: (?!pas\b)\w+){{0,4}}? (?:à|en|au|aux|sur|près de|dans) {_PLACE}",
        (("on habite près de Lille", "Lille"), ("je vis toujours à Nice", "Nice")),
        ("Il vit à Nice.", "je ne vis pas à Nice", "où je vis à Nice ?"),
    ),
    templates.ORIGIN.rule(
        rf"\b(?:je suis (?:né|née|originaire)|j['\u2019]ai grandi|je suis du côté)(?: et j['\u2019]ai grandi)? (?:à|en|au|aux|de|du|des|près de) {_PLACE}",
        (("je suis né à Alger", "Alger"), ("j'ai grandi à Rennes", "Rennes")),
        ("Elle est née à Alger", "Je suis né en mars"),
    ),
    templates.WORKPLACE.rule(
        r"\bje (?:travaille|bosse) (?:à la|à l['\u2019]|au|dans (?:la|le|l['\u2019]|une?)) ?(?P<o>(?:mairie|hôpital|poste|banque|musée|bibliothèque|université|école|collège|lycée|crèche|usine|restaurant|boulangerie|pharmacie|gare|police|santé|finance|informatique|restauration|bâtiment|tourisme|marketing|start-up|cabinet|agence)(?: [\w'\u2019-]+){0,3})",
        (("je travaille à la mairie", "mairie"),),
        ("Il travaille à la mairie", "je travaille à la maison"),
    ),
    templates.STUDIES.rule(
        r"\b(?:j['\u2019]étudie|je fais des études de|je suis en (?:licence|master|fac|thèse|doctorat) de|je suis étudiante? en) (?:la |le |l['\u2019]|les )?(?P<o>[\w'\u2019-]+(?: [a-zé]+ales?)?)(?= à\b|[,.!]|$| et\b)",
        (("j'étudie la biologie à Montpellier", "biologie"),),
        ("Elle étudie la biologie", "j'étudie cette question"),
    ),
    templates.ALLERGY.rule(
        r"\bje (?:fais|ai) une (?:grosse )?allergie (?:au|aux|à la|à l['\u2019]|à) ?<o>",
        (("je fais une allergie au pollen", "pollen"),),
        ("Il fait une allergie au pollen",),
    ),
    templates.TRAIT.rule(
        r"\b(?:je suis|moi,? je suis) (?:une? )?(?:actuellement |désormais |maintenant )?(?P<o>gaucher|gauchère|droitier|droitière|au chômage|à la retraite|retraitée?|indépendante?|auto-entrepreneu\w+|fils unique|fille unique|enfant unique|jumeau|jumelle|veuf|veuve|pacsée?|catholique|musulmane?|juive?|protestante?|athée|bouddhiste|homo|gay|lesbienne|bi|intermittente?|fonctionnaire|mère au foyer|père au foyer|daltonien(?:ne)?|sourde?|malentendante?)(?=$|[,.!]| (?:et|mais|depuis|dans|à)\b)",
        (("je suis gaucher", "gaucher"), ("je suis au chômage", "au chômage")),
        ("Il est gaucher", "Je ne suis pas gaucher"),
    ),
    templates.LIKES.rule(
        r"(?:^|[.!] )(?P<o>(?:le|la|les|l['\u2019]) ?[\w'\u2019-]+(?: [\w'\u2019-]+){0,2}),? (?:moi )?(?:j['\u2019](?:adore|aime(?: (?:bien|beaucoup|trop))?)|je kiffe)(?=$|[.!,])",
        (("le jazz, j'adore", "le jazz"),),
        ("le jazz, il adore", "le problème, j'aime pas"),
    ),
    templates.RELATION.rule(
        rf"\b(?:j['\u2019]ai|on a|nous avons) (?:une?|des) (?:\w+ )?(?P<r>{_WORDS})(?:,| qui s['\u2019]appelle| prénommée?| nommée?| du nom de) {_NAME}",
        (
            ("on a un chat qui s'appelle Moustache", "Moustache"),
            ("j'ai un frère, Hugo", "Hugo"),
        ),
        ("ils ont un chat qui s'appelle Moustache", "On a un problème, Hugo"),
    ),
    templates.RELATION.rule(
        rf"\b(?:ma|mon|notre) (?:meilleure? )?(?P<r>{_WORDS}),? (?:c['\u2019]est|est) {_NAME}(?=$|[,.!])",
        (("ma meilleure amie, c'est Fanny", "Fanny"),),
        ("sa meilleure amie, c'est Fanny", "mon frère est grand"),
    ),
    templates.CHILD.rule(
        r"\b(?:mes|nos) (?:enfants|fils|filles|gamins|jumeaux|jumelles) (?:s['\u2019]appellent|sont|:) (?P<o>(?-i:[A-ZÀ-Ý])[\w-]+(?:(?:, | et )(?-i:[A-ZÀ-Ý])[\w-]+)*)",
        (("mes enfants s'appellent Léo et Mila", "Léo|Mila"),),
        ("ses enfants s'appellent Léo et Mila", "mes enfants sont grands"),
    ),
    templates.FAMILY.rule(
        rf"\b(?:j['\u2019]ai|on a|nous avons) (?P<o>{_COUNT} {_FAMILY})(?=$|[.!;]|,(?! (?-i:[A-ZÀ-Ý]))| et\b| en\b| de\b)(?! qui\b)",
        (("j'ai deux enfants", "deux enfants"),),
        ("Il a deux enfants", "J'ai deux questions", "je n'ai pas d'enfants"),
    ),
    templates.HABIT.rule(
        rf"\b(?P<o>(?:je|nous|on) (?!suis\b|ai\b|veux\b|peux\b|dois\b|pense\b|crois\b|trouve\b|n['\u2019e]|vais vous|vais te)[\w'\u2019-]+(?: [^\n,.;:!?]{{1,30}})? {_OFTEN})",
        (("je cours trois fois par semaine", "je cours trois fois par semaine"),),
        ("Il court trois fois par semaine", "Je cours vite"),
    ),
    templates.HABIT.rule(
        rf"(?:^|[,.] )(?P<o>{_USUALLY},? (?:je|on|nous) (?!suis\b|ai\b|veux\b|pense\b|crois\b|trouve\b|n['\u2019e])[^\n,.;:!?]{{4,50}})",
        (("d'habitude je mange à midi", "d'habitude je mange à midi"),),
        ("D'habitude il mange à midi", "tous les matins le bus passe"),
    ),
    templates.CANNOT.rule(
        r"\bje (?:ne |n['\u2019])?(?:sais|peux) pas (?P<o>conduire|nager|faire de vélo|cuisiner|prendre l['\u2019]avion|manger (?:de |du )[\w'\u2019 -]{3,20})(?=$|[,.!]| (?:et|mais|donc)\b)",
        (("je ne sais pas nager", "nager"),),
        ("Il ne sait pas nager", "Je ne sais pas"),
    ),
    templates.LIMIT.rule(
        r"\b(?P<o>(?:je n['\u2019]ai|j['\u2019]ai|on n['\u2019]a|on a) pas (?:le permis|de voiture|de four|de lave-vaisselle|de jardin|de balcon|de lave-linge))",
        (("je n'ai pas le permis", "je n'ai pas le permis"),),
        ("il n'a pas le permis", "je n'ai pas le temps"),
    ),
    templates.DEVICE.rule(
        rf"\bm(?:on|a) (?:nouve(?:au|lle) |vieille? )?{_DEVICE},? (?:est|c['\u2019]est) (?:un |une |le |la )?(?P<o>(?-i:[A-Z])?[\w-]*(?-i:[A-Z\d])[\w-]*(?: [\w-]*(?-i:[A-Z\d])[\w-]*)*)(?=$|[,.!]| (?:et|avec)\b)",
        (("mon téléphone est un iPhone 12", "iPhone 12"),),
        ("son téléphone est un iPhone 12", "mon téléphone est cassé"),
    ),
    templates.PROJECT.rule(
        r"\b(?:on|je|nous) (?:rénov\w+|retap\w+|constru\w+|restaur\w+|bricol\w+|mont\w+) (?P<o>(?:une?|notre|ma|mon|la|le) (?:\w+ )?(?:ferme|maison|appartement|appart|grange|cuisine|bateau|van|fourgon|cabane|serre|jardin|boîte|entreprise|asso\w*|voiture)(?: \w+)?)(?=$|[,.!]| (?:en|à|dans|depuis|avec|pour)\b)",
        (("on rénove une vieille ferme", "une vieille ferme"),),
        ("ils rénovent une vieille ferme", "on monte une vidéo"),
    ),
    templates.INSTRUCTION.rule(
        r"(?:^|[,.] )(?P<o>(?:tutoie|vouvoie|appelle|réponds)-moi[^\n.!?]{0,60} (?:à partir de maintenant|dorénavant|désormais|à l['\u2019]avenir|toujours))",
        (("tutoie-moi à partir de maintenant", "tutoie-moi à partir de maintenant"),),
        ("Appelle-moi maintenant", "Réponds-moi vite"),
    ),
    templates.FAMILY.rule(
        r"\b(?P<o>(?:mon|ma|notre) (?:\w+ )?(?:fils|fille|bébé|enfant|petit-fils|petite-fille|gamine?|puce|aînée?|cadette?)(?: a(?: eu)?| de|,| \()? ?(?:\d{1,2}|un|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze) (?:ans|mois))\b",
        (
            ("Mon fils de trois ans ne mange que du blanc", "Mon fils de trois ans"),
            ("ma fille a 6 ans, quel livre", "ma fille a 6 ans"),
        ),
        ("sa fille a 6 ans", "Quel âge a ma fille ?"),
    ),
    templates.CONDITION.rule(
        r"\b(?:j['\u2019](?:suis)|chuis|jsuis|je me déplace en|je suis en) (?P<o>fauteuil(?: roulant)?|daltonien(?:ne)?|dyslexique|sourde?|malvoyante?|malentendante?|asthmatique|diabétique)(?=[,.!]| (?:et|donc|mais|depuis)\b|$)",
        (
            ("je me déplace en fauteuil et les trottoirs", "fauteuil"),
            ("j'suis daltonien, donc évite le vert", "daltonien"),
        ),
        ("il se déplace en fauteuil", "je ne suis pas sourd"),
    ),
)
