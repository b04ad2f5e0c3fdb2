"""Words of one class each, so that a rule for trades or ailments knows all of them."""

import re

from memory.mining.rules.lexicon import (
    LANGUAGES_SPOKEN,
    NOT_OCCUPATIONS,
    OCCUPATIONS,
    TECHNOLOGY,
)
from memory.text import kinship

KIN = kinship.KIN["en"]

_NO_TRADE_ALONE = frozenset(
    "lead model pm qa guard agent captain director founder judge minister critic driver conductor pilot magician cook coach".split()  # noqa: SIM905
)


def one_of(words: frozenset[str]) -> str:
    """A pattern for any of the words, the longest first; an underscore stands for a blank."""
    return "|".join(sorted((word.replace("_", "[ -]") for word in words), key=len, reverse=True))


_ENDINGS = r"[a-z]{3,}(?:ologist|ographer|wright|monger|smith|keeper|maker|worker|fighter|dresser|layer|setter|fitter|binder|blower|tician|trician|iatrist|opath|therapist)"
TRADE = rf"(?:{one_of(OCCUPATIONS - NOT_OCCUPATIONS)}|{_ENDINGS})"
TRADE_ALONE = rf"(?:{one_of(OCCUPATIONS - NOT_OCCUPATIONS - _NO_TRADE_ALONE)}|{_ENDINGS})"
RANK = r"(?:(?:retired|semi-retired|freelance|self-employed|trainee|(?:newly |fully )?qualified|junior|senior|part-time|amateur|professional|full-time|apprentice|former|ex-?|night-shift|night|staff|head|lead|chief|community|primary|secondary|substitute|supply|agency|mobile|wedding|theatre|rural|school|bus|lorry|taxi|truck|veterinary|dental|district|student|civil|software|data|mechanical|electrical|structural|marine|backend|frontend|front-end|back-end|web|social|care|line|pastry|sous|ward|icu|er|a&e|paediatric|pediatric|maths?|english|science|history|music|piano|violin|guitar|yoga|landscape|portrait|freelance|stage|tree|dog|horse|sheep|dairy|beef|call[- ]cent(?:re|er)|warehouse|court|patent|tax|family|human rights) )"

AILMENT = r"(?:stutter|stammer|asthma|epilepsy|eczema|psoriasis|tinnitus|(?:rheumatoid |psoriatic )?arthritis|migraines?|ibs|crohn'?s|(?:ulcerative )?colitis|adhd|autism|dyslexia|dyspraxia|dyscalculia|(?:type [12] )?diabetes|type [12](?= diabet|\b)|depression|anxiety|ptsd|ocd|insomnia|sciatica|gout|scoliosis|fibromyalgia|endometriosis|pcos|lupus|parkinson'?s|multiple sclerosis|cataracts?|glaucoma|macular degeneration|hearing (?:aids?|loss)|pacemaker|cochlear implants?|prosthe(?:sis|tic leg)|(?:red-green )?colou?r ?blind(?:ness)?|vertigo|hay ?fever|acid reflux|hypertension|high blood pressure|high cholesterol|osteoporosis|osteoarthritis|carpal tunnel|rsi|tremor|long covid|chronic (?:pain|fatigue|migraines?)|sleep apn(?:o?ea)|coeliac(?: disease)?|celiac(?: disease)?|lactose intoleran(?:ce|t)|gluten intoleran(?:ce|t)|misophonia|tourette'?s|narcolepsy|bipolar|hemophilia|haemophilia|sickle cell|cystic fibrosis|kidney disease|heart failure|afib|angina|copd|emphysema|raynaud'?s|me/cfs|pots|eds|hypermobility|plantar fasciitis|tennis elbow|frozen shoulder|slipped disc|herniated disc|stoma|colostomy|menopause|perimenopause|neuropathy|rosacea|vitiligo|alopecia|claustrophobia|agoraphobia|arachnophobia|dialysis|an?a?emia|hypothyroid(?:ism)?|hashimoto'?s|thyroid)"
MEDICINE = r"(?:methotrexate|metformin|warfarin|lithium|insulin|statins?|levothyroxine|sertraline|prozac|fluoxetine|citalopram|lexapro|ssris?|beta[- ]?blockers?|blood thinners|steroids|prednisone|adderall|ritalin|concerta|tamoxifen|antidepressants|antihistamines|inhalers?|ozempic|semaglutide|wegovy|finasteride|lamotrigine|gabapentin|dialysis|chemo|immunosuppressants|biologics|humira)"
TONGUE = rf"(?:{one_of(LANGUAGES_SPOKEN - frozenset(('asian', 'african', 'european', 'caribbean', 'american', 'british')))}|bsl|asl)"
INSTRUMENT = r"(?:piano|cello|violin|viola|fiddle|flute|clarinet|oboe|bassoon|trumpet|trombone|tuba|french horn|horn|euphonium|cornet|sax(?:ophone)?|guitar|ukulele|uke|banjo|mandolin|harp|drums|double bass|bass guitar|bass|organ|accordion|concertina|harmonica|recorder|bagpipes|oud|sitar|tabla|koto|erhu|dulcimer|harpsichord|bouzouki|bodhr[aá]n|tin whistle|marimba|vibraphone|keyboards?|synth)"
FAITH = r"(?:atheist|agnostic|muslim|jewish|catholic|buddhist|hindu|sikh|quaker|mormon|baptist|methodist|presbyterian|orthodox|anglican|jain|pagan|humanist|protestant|lutheran|christian)"
KIN_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
PET = r"(?:dog|cat|puppy|kitten|budgie|parrot|rabbit|bunny|hamster|gerbil|guinea pig|tortoise|terrapin|snake|gecko|lizard|horse|pony|mare|gelding|donkey|goat|hen|cockatiel|canary|whippet|greyhound|lurcher|labrador|lab|spaniel|terrier|collie|poodle|dachshund|beagle|boxer|husky|pug|corgi|bulldog|retriever|alsatian|shepherd|chihuahua|rottweiler|staffie|schnauzer|dalmatian|mastiff|tabby|ragdoll|maine coon|siamese|ferret|rat|goldfish|axolotl)"

# Words that give something to be written, or a part to be played, rather than tell of oneself.
NOT_MINE = (
    r"(?![^\n]{0,300}?\b(?:you are|act as|pretend|imagine|suppose|generate|story|poem|character|persona|article|essay|blog post|such as|e\.g|called|titled"
    r"|job (?:ad|description|title|posting)|caption|prompt|script|slogan|lyrics|translate|for example|for instance|in the sim)\b)"
)
# The beginning of a part of a sentence before which nobody else is spoken of.
FRESH = (
    rf"(?P<lead>(?:(?:(?!\b(?:{KIN_WORDS}|if you|you're|he|she|they|his|her|their|him|them|who|he's|she's|they're|your|the [a-z]+ (?:is|was|says|said))\b)[^\n]){{0,140}}?"
    r"(?:[,;:(!\u2013\u2014]|\.\.|\s-) ?(?:and |but |so |also |plus |now |yes )*)?)"
)
END = r"(?=$|[,.;:!?()\u2013\u2014]| - | (?:and|but|so|since|here|because|who|which|that|with|at|in|on|for|from|btw|if|where|by|up|down|over|to)\b)"

_PROGRAMS = TECHNOLOGY | frozenset(
    "spotify tidal deezer netflix notion obsidian evernote onenote trello asana todoist logseq roam dropbox slack discord whatsapp signal telegram gmail outlook lastpass bitwarden 1password ynab goodreads storygraph strava duolingo twitter mastodon bluesky reddit chatgpt".split()  # noqa: SIM905
)
PROGRAM = rf"(?:{'|'.join(sorted(map(re.escape, _PROGRAMS), key=len, reverse=True))})\b"

# After "moved": whoever moves from one program to another stays at home.
HOMELY = rf"(?! (?:over )?from {PROGRAM})"
