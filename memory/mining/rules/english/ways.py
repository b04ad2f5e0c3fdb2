"""Ways of life, told by a plain verb: "we bank with Nationwide", "I bake by weight", "I sell prints"."""

from dataclasses import replace

from memory.mining.rules.english.classes import KIN_WORDS, NOT_MINE
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import FAMILY, Template

_DOES = Template("behaviour", "does_{slug}", "does", "What the user does: {object}.", "deed", confidence=0.7)
_HAS = replace(FAMILY, key="family_{slug}", statement="The user's family: {object}.", confidence=0.7)

# What people do again and again, whatever they do it to.
_WAY = (
    r"(?:shop|cook|bake|brew|ferment|distil|roast|pickle|preserve|smoke (?=meat|fish|my|cigars|a pipe)|barbecue|grill|eat|drink|snack|fast|pray|worship|observe|celebrate|keep (?!it|this|that|you|me|getting|having|seeing|thinking|going|trying|running|in mind|an eye|track|up|\w+ing\b)|abstain"
    r"|cycle|bike|commute|walk|drive|ride|sail|row|swim|surf|ski|skate|climb|hike|jog|lift|box|wrestle|fence|bowl|golf|camp|fish|hunt|forage|garden|compost|grow|plant|raise|breed|rear|tend|farm|milk|shear|groom|shoe"
    r"|knit|crochet|sew|quilt|weave|spin|embroider|mend|darn|whittle|carve|turn wood|weld|forge|solder|throw pots|sculpt|paint|draw|sketch|print (?=linocuts|t-shirts|my own)|photograph|film|animate|illustrate|design|tattoo"
    r"|sing|perform|busk|dance|direct|compose|arrange|conduct|record|produce|dj|mc|gig|rehearse|teach|coach|train(?! (?:a|the) (?:model|network|neural|classifier))|mentor|tutor|lecture|instruct|volunteer|fundraise|campaign|canvass|babysit|foster|childmind|nurse|care for|look after(?! (?:the|an?|our|all|every|everything|two|three|\d+)\b)"
    r"|referee|ref|umpire|judge (?=dog|cattle|baking|competitions|shows|debates)|officiate|moderate|mod|chair|captain|skipper|steward|marshal|translate (?!this|it|that|the)|interpret (?=for|at|in|between)|proofread|copyedit|edit (?=for|a magazine|the|manuscripts|videos)|blog|vlog|podcast|stream|review (?=books|films|games|restaurants|wine)"
    r"|sell|rent|let|sublet|lodge|host|cater|deliver|courier|clean|guard|patrol|play (?=in|for|at|goalie|centre|left|right|lead|rhythm|bass|prop|hooker|wing|fly-half)|deal (?=in|cards)|trade|invest|tithe|donate|give (?=blood|platelets|lessons|tours|talks)|collect|restore|repair|service|tune|refurbish|upcycle|thrift"
    r"|run (?=a|an|the|my|our|two|three)|co-run|manage|supervise|lead|head(?! up\b)|oversee|staff|train for|swap|alternate|split|meditate|journal|stretch|nap|sleep (?=in|on|with|badly|till|until|\w+ hours)|wake (?=up )?|rise|get up|go to (?=church|mass|mosque|temple|the gym|bed|therapy|aa|physio|choir|yoga)|attend (?=church|mass|mosque|synagogue|therapy)"
    r"|wear (?=glasses|hearing|contacts|a|an|only|size|orthotics|braces|compression)|carry (?=an|a)|inject|take (?=insulin|the (?:bus|train|tram|ferry|tube|metro)|my (?:coffee|tea)|part|notes)|live (?=off|aboard|on (?:a|the)|out of)|homeschool|holiday|summer|winter (?=in)|vote|subscribe to|read (?=about|everything|mostly|only|to|aloud|in|on|two|three|a book|\w+ (?:books|novels))|listen to|watch (?=only|mostly|anime|a lot|the|everything)|follow (?=the|a)|support (?-i:[A-Z])|root for|budget|batch[- ]cook|meal[- ]prep|intermittent fast|speedrun|larp|gm|dm|game|main)"
)
_NOT = (
    r"(?![^\n]{0,90}\b(?:it|this|that|them|these|those|today|tonight|tomorrow|yesterday|right now|you|your|error|code|function|file|files|button|page|link|query|command|script|loop|variable|column|row|cell|server|app|website|question|answer|problem|issue|thoughts|feelings|opinion|attention|concern|concerns|story|news|some light|experience|screenshot|table below|following)\b)"
    r"(?!(?:to|in|on|up|out|off|down|over)?$)(?!(?:something|plenty|a lot|lots|some|more|less|up|out)\b)"
)
_WE = rf"(?:I|we|(?:my |the )?(?:{KIN_WORDS}) and I|me and (?:my |the )?(?:{KIN_WORDS})|(?:two|three|four|five|six|some|a few|both|most|all) of us|(?-i:[A-Z][a-z]+) and I)"
_STEADY = r"(?:(?:only|mostly|mainly|always|usually|normally|generally|typically|tend to|still|also|often|just|never|rarely|strictly|part-time|full-time) )*"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
# Whose being there says something of a life; everybody has a mother.
_OWN_KIN = r"(?:(?:wife|husband|hubby|spouse|girlfriend|boyfriend|fianc[eé]e?|ex-wife|ex-husband|stepson|stepdaughter|daughters?|sons?|kids|children|twins|triplets|toddler|grandkids|grandchildren|grandsons?|granddaughters?|foster (?:kids?|son|daughter)))"
_UNNAMED = r"(?![\w'-]*'s (?:name|called|new|ex|friend|boss|teacher|school)|s?,? (?:is |are )?(?:called|named)|,? \(?(?-i:[A-Z])|[\w-]|'(?!s )|:| (?:and|or) (?:I|me)\b| (?-i:[A-Z])|(?:'s)? \w+ (?:is|are) (?:called|named))"

RULES = (
    _DOES.worded(
        clause(
            rf"{_WE} {_STEADY}(?P<o>{_WAY}(?:(?<= )|(?<=\w)(?!\w))(?: ?{_NOT}[^\n,.;:!?()\"]{{2,80}}?))(?= (?:and (?:I|we|my|the|want|need|can|quotes?)|but|so|because|since|which|where|when)\b|$|[,.;:!?()])"
        ),
        (
            ("We bake by weight, cups are a mystery", "bake by weight"),
            ("I shop at Aldi, then the halal butcher", "shop at Aldi"),
            ("Partner and I keep shabbat, so no Fridays", "keep shabbat"),
            ("Two of us run a mobile dog grooming van", "run a mobile dog grooming van"),
        ),
        (
            "I keep getting an error.",
            "They bake by weight",
            "Do we bake by weight?",
            "I sell it",
            "If I sell prints, what tax?",
            "I look after the cutover",
            "I head up a crew of twelve",
        ),
    ),
    _DOES.worded(
        sentence(
            rf"(?:<after>)(?P<o>(?!\d)(?:(?!(?:except|apart|besides|until|by|from|the|his|her|their|your|my|our|an?|this|that|what|which|is|are|was|i|we|do|does)\b)[\w'-]+ ){{1,5}}?(?:(?:every|each|most) (?:{_DAY}|mornings?|evenings?|nights?|weekends?|days?|lunchtimes?)|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: nights| evenings| mornings)|before (?:work|school|breakfast) (?:most|every) \w+))(?= (?:with|since|for|at|and|in|but)\b|[,.;]|$)(?=[^\n]*\b(?:I|I'm|me|my|us|our|we)\b)(?![^\n]*\b(?:he|she|they|his|her)\b)"
        ),
        (
            (
                "Pub on Thursday nights with the same six blokes, and one of us is ill",
                "Pub on Thursday nights",
            ),
        ),
        (
            "Open every Friday.",
            "I've been in bed by eleven, except for Friday nights",
            "Closed on Sunday nights, they say to me",
            "Is it shut most weekends?",
        ),
    ),
    _HAS.worded(
        sentence(
            rf"{NOT_MINE}(?![^\n]*\b(?:jokes?|dear \w+,|riddle|my husband of)\b)<lead>(?:for|with|to|from|of|by|before|after|at|in|and|not) (?:my|our) (?:(?:older|younger|oldest|youngest|eldest|little|big|twin|late|teenage|adult|grown-up|new|pregnant|\d+[- ](?:year|month)s?[- ]old|\w+-year-old|middle|small|first|second|elderly|lovely|dear|poor|three|two|four) )*(?P<o>{_OWN_KIN}){_UNNAMED}"
        ),
        (
            ("We want a cot for my daughter's room", "daughter"),
            ("a birthday present for my son, he turns 6 in May", "son"),
        ),
        (
            "My husband is late.",
            "my daughter Mia is ill",
            "Tell me a joke about my mother-in-law",
            "Is my wife right?",
            "If my husband calls, what then?",
        ),
    ),
    _HAS.worded(
        sentence(
            r"(?P<o>(?:Wife|Husband|Hubby|The wife|The missus|The kids|The twins|Missus|Boyfriend|Girlfriend|Ex-wife|Ex-husband|Toddler))(?='s (?!name)| (?:is|has|says|won't|wants|thinks|hates|loves|can't|keeps|start|are|refuses|turns)\b)(?![^\n]*\bname)"
        ),
        (("Hubby's coeliac so our kitchen is gluten free", "Hubby"),),
        ("Is the wife here?", "Her wife's coeliac"),
    ),
)
