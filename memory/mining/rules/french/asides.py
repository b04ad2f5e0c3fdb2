"""What a French message tells in passing: who writes, from where, whose filleul it is."""

from dataclasses import replace

from memory.mining.rules import templates
from memory.mining.rules.table import Rule
from memory.text import kinship

KIN = kinship.KIN["fr"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_CAP = r"(?-i:[A-ZÀÂÉÈÊÎÔÛÇ])"
_NAME = rf"(?P<o>{_CAP}[\w'\u2019-]+(?: {_CAP}[\w'\u2019-]+)?)"
_PLACE = rf"(?P<o>{_CAP}[\w-]+(?:[ -](?:(?:de|du|la|le|les|sur|en) )*{_CAP}[\w-]+)*)"
_MY = r"\b(?:mon|ma|notre) "
_JOB = r"(?P<o>(?:infirmi(?:er|ère)(?: de nuit)?|aide-soignante?|notaire|avocate?|médecin|professeure?|prof(?: de \w+)?|institut(?:eur|rice)|maîtresse d['’]école|boulang(?:er|ère)|boucher|coiffeu(?:r|se)|plombier|électricien(?:ne)?|maçon|menuisi(?:er|ère)|cuisini(?:er|ère)|serveu(?:r|se)|chauffeur(?: routier)?|routier|comptable|secrétaire|caissi(?:er|ère)|vendeu(?:r|se)|agricult(?:eur|rice)|éleveu(?:r|se)|vigneron(?:ne)?|pompier|gendarme|polici(?:er|ère)|journaliste|traduct(?:eur|rice)|graphiste|développeu(?:r|se)|architecte|ingénieure?|sage-femme|kiné|dentiste|vétérinaire|pharmacien(?:ne)?|psychologue|bibliothécaire|couturi(?:er|ère)|musicien(?:ne)?|photographe|retraitée?|étudiante?|apprentie?(?: \w+)?|assistante maternelle|nounou|femme de ménage|facteur|factrice|soudeur|garagiste|mécanicien(?:ne)?|fonctionnaire|auto-entrepreneu(?:r|se)))"

RULES: tuple[Rule, ...] = (
    templates.NAME.rule(
        rf"(?:^|^(?:slt|salut|bonjour|coucou|hello|bonsoir),? )(?:moi[,]? c['’]est |c['’]est (?=\w+ (?:de|du|à) )|ici |(?:madame |monsieur |mme |m\. )(?=[^\n,]{{2,40}}, [1-9]\d ans\b)){_NAME}(?=[,.!]| (?:de|du|et|à)\b|$)",
        (
            ("slt moi c'est Kévin, jsuis en apprentissage à Lens", "Kévin"),
            ("Bonjour, Madame Odile Perrault, 78 ans. Comment faire", "Odile Perrault"),
        ),
        ("Salut, c'est super", "il a dit moi c'est Kévin"),
    ),
    templates.AGE.rule(
        rf"^(?:bonjour,? |bonsoir,? |salut,? )?(?:moi, |madame |monsieur |mme )?(?:{_CAP}[\w-]+ ?){{0,3}}, (?P<o>[1-9]\d) ans(?=[,.!]|$)",
        (("Bonjour, Madame Odile Perrault, 78 ans. Comment faire", "78"),),
        ("Ma mère, 78 ans, est là",),
    ),
    templates.HOME.rule(
        rf"\b(?:on|nous|j['’]) ?(?:habite|habitons|vit|vivons) (?!à|en|dans|au|chez|ensemble|loin|près){_PLACE}",
        (("on habite Clermont depuis peu, tu connais des coins", "Clermont"),),
        ("il habite Clermont", "on habite ensemble"),
    ),
    templates.ORIGIN.rule(
        rf"^(?:je suis )?(?:natif|native|originaire|née?) (?:de|d['’]|à) ?{_PLACE}(?=,| mais\b| et\b|\.|$)",
        (("Native de Saint-Pierre, je cherche la vraie recette", "Saint-Pierre"),),
        ("Une actrice native de Saint-Pierre",),
    ),
    templates.EMPLOYER.rule(
        r"\bje (?:bosse|taffe|travaille|suis caissière|suis vendeu(?:r|se)) (?:chez|pour) (?P<o>(?-i:[A-Z])[\w&'’-]*(?: (?-i:[A-Z])[\w&'’-]*)*)",
        (("vu que je bosse chez Decathlon au rayon cycle", "Decathlon"),),
        ("il bosse chez Decathlon", "je bosse chez moi"),
    ),
    templates.OCCUPATION.rule(
        rf"(?:^(?=[^\n,]{{3,30}} ici\b)|\bétant (?:une? )?|\ben tant que |^(?=[\w -]{{3,30}}, (?:je|j['’]|et|à)))(?:ancien(?:ne)? )?{_JOB}(?=[,.!]| (?:ici|de|à|en|au|chez|et|depuis|je)\b|$)",
        (
            ("infirmière de nuit ici, comment caler mes repas", "infirmière de nuit"),
            ("Étant notaire, je connais déjà la partie juridique", "notaire"),
        ),
        ("L'infirmière ici est gentille", "Il est notaire", "cherche plombier"),
    ),
    templates.STUDIES.rule(
        r"\b(?:je suis|j(?:'|’)?suis|chuis) en (?:apprentissage|alternance|cap|bts|licence|master|fac|prépa|stage)(?: (?:de|en|d['’]))? ?(?P<o>(?!à\b|chez\b|et\b)[\wéèêàçô-]+)",
        (("jsuis en apprentissage boulangerie à Lens", "boulangerie"),),
        ("il est en apprentissage boulangerie",),
    ),
    templates.RELATION.rule(
        rf"{_MY}(?:\w+ )?(?P<r>{_WORDS}) {_NAME}(?= |[,.!]|$)",
        (("un truc pour l'anniv de mon filleul Sacha, 8 ans", "Sacha"),),
        ("son filleul Sacha", "mon filleul arrive"),
    ),
    templates.RELATION.rule(
        rf"(?:^|(?<=[,.!;:][ ]))(?!(?:merci|bonjour|salut|coucou|oui|non|bravo|désolée?)\b){_NAME}(?:, | \(){_MY}(?P<r>{_WORDS})(?: \w+)?(?=[,).]|$)",
        (
            ("Ghislaine (ma belle-mère) débarque samedi", "Ghislaine"),
            ("Nougat, notre lapin nain, a rongé le câble", "Nougat"),
        ),
        ("Ghislaine (sa belle-mère) débarque", "Merci, mon ami"),
    ),
    templates.FAMILY.rule(
        r"^(?:je suis |heureux |heureuse )?(?P<o>(?:papy|mamie|papi|grand-père|grand-mère|papa|maman|mère|père) de (?:deux|trois|quatre|cinq|jumeaux|\d) ?[\w-]*)(?=[,.!]|$)",
        (("Papy de trois petites-filles, je cherche un jeu", "Papy de trois petites-filles"),),
        ("Le papy de trois petites-filles", "un papa de deux enfants m'a dit"),
    ),
    templates.LIKES.rule(
        r"\b(?:j['’]ai (?:toujours eu )?(?:un faible|une passion|un penchant) pour|j['’]ai toujours (?:aimé|adoré)|j['’]adore|j['’]raffole de|je raffole de|je kiffe) (?:le |la |les |l['’])?(?P<o>[^\n,.;!?]{3,40}?)(?= (?:mais|et|car|depuis|parce)\b|[,.!?]|$)",
        (
            (
                "j'ai toujours eu un faible pour les films de Sautet, par où continuer",
                "films de Sautet",
            ),
            ("J'adore le trail mais mes genoux beaucoup moins", "trail"),
        ),
        ("il a un faible pour les films", "tu adores le trail", "j'adore ça"),
    ),
    templates.DISLIKES.rule(
        r"^(?:non,? )?(?:le |la |les |l['’])?(?P<o>[\wéèêàçô' -]{3,30}?),? (?:très peu pour moi|c['’]est pas (?:pour moi|mon truc)|me rebute|me dégoûte)",
        (("le fromage de chèvre très peu pour moi, tu remplaces par quoi", "fromage de chèvre"),),
        ("le fromage me va", "très peu pour lui"),
    ),
    replace(templates.PREFERS, shape="clause").rule(
        r"^(?:moi,? |je suis )?plutôt (?P<o>[\wéèêàçô-]+ (?:que|qu['’]) ?[\wéèêàçô-]+)",
        (("Plutôt salé que sucré le matin, tu proposes quoi", "salé que sucré"),),
        ("C'est plutôt bien que mal", "plutôt bien"),
    ),
    templates.INSTRUCTION.rule(
        r"^(?:et |stp |svp |s['’]il te plaît,? )*(?P<o>arrêt(?:e|ez) (?:de |d['’])(?:t['’]excuser|vous excuser|me \w+|faire des|mettre des|utiliser|commencer|répéter|dire|conclure)[^\n?!]{3,80}|(?:plus|fini) (?:de |d['’]|les )(?:listes|emojis|smileys|puces|tirets|gras|anglicismes|tableaux)[^\n?!]{0,60})",
        (("Arrête de t'excuser à chaque réponse.", "Arrête de t'excuser à chaque réponse"),),
        ("il arrête de t'excuser", "arrête de courir"),
    ),
    templates.REMEMBER.rule(
        r"^(?:à noter|mets-toi ça de côté|garde ça|pour info|pense-bête|mémo|retiens ça) ?[:,] ?(?P<o>[^\n]{5,300})",
        (
            (
                "À noter : la chaudière a été révisée en novembre",
                "la chaudière a été révisée en novembre",
            ),
            (
                "Mets-toi ça de côté, le pédiatre ne consulte pas le mercredi",
                "le pédiatre ne consulte pas le mercredi",
            ),
        ),
        ("il note : rien", "tu notes ça ?"),
    ),
)
