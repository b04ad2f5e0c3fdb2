"""Trades told in passing: "hi I'm a school bus driver up in Saskatoon", "been driving for UPS"."""

from dataclasses import replace

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import EMPLOYER, HOME, OCCUPATION, Template

_TRADE = replace(OCCUPATION, shape="occupation", confidence=0.8)
_STAGE = Template("identity", "trait_{slug}", "is", "The user is {object}.", confidence=0.75)
_TEACHES = Template("identity", "teaches_{slug}", "teaches", "The user teaches {object}.", confidence=0.8)
_OWNS = Template("identity", "owner_{slug}", "owns", "The user owns {object}.", confidence=0.75)

_SUBJECT = r"(?:maths?|physics|chemistry|history|english|biology|piano|music|art|french|german|spanish|latin|geography|economics|pilates|yoga|drama|dance|swimming|guitar|violin|welding|coding|ceramics|pottery|science|computing|literature|philosophy|sociology|psychology|kindergarten|nursery|reception|primary|esl|efl|adults|first graders|(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) grade(?:rs)?|year \d+s?(?: (?:maths?|physics|chemistry|history|english|biology|science|art|music|french))?|grade \d+s?)"
_AT_WORK = r"(?:driving|flying|cooking|nursing|teaching|cleaning|coding|delivering|welding|farming|fishing|sailing|selling|bartending|waiting tables|waitressing|tutoring|coaching|photographing|translating|editing|reporting|programming|consulting|contracting|freelancing|baking|guarding|trucking|roofing|plumbing|painting|building|gardening|managing|lecturing|researching|policing|soldiering)"
_WORK = r"(?:drive|fly|cook|nurse|clean|code|deliver|weld|farm|sell|bartend|tutor|coach|translate|edit|report|program|consult|contract|freelance|bake|manage|lecture|research|volunteer|clerk|intern|temp|photograph|do (?:nights|shifts|days|reception|security|admin|sales|support|accounts|payroll|hr|it|pr|marketing|qa))"

RULES = (
    EMPLOYER.worded(
        clause(
            rf"(?:(?:I've|we've) been {_AT_WORK}(?: [\w' ]{{2,25}})? (?:for|at|with) |I {_WORK}(?: [\w' ]{{2,25}})? (?:for|at|with) (?=(?:the )?(?-i:[A-Z]))|I'm an? [\w -]{{3,30}} (?:over|out|down|up) at (?=(?:the )?(?-i:[A-Z])))(?!(?:about|around|over|almost|nearly|like|maybe|years|months|\d|[$€£])(?:\b|(?<=[$€£]))|[^\n,.;]{{2,30}} (?:open|running|behind|playing)\b)<o>"
        ),
        (
            ("Been driving for UPS going on fourteen years now", "UPS"),
            ("I do nights at Tesco so mornings are out", "Tesco"),
        ),
        (
            "I've been driving for years.",
            "She drives for UPS",
            "I cook for fun",
            "I translate from Finnish with DeepL open on the side",
        ),
    ),
    HOME.worded(
        clause(r"(?:I'm|we're) an? [\w '-]{3,40}? (?:up|down|out|over|based|living|here|back) in <place>"),
        (("hi I'm a school bus driver up in Saskatoon, days start at 5", "Saskatoon"),),
        ("I'm a driver in trouble.", "He's a driver up in Saskatoon", "I'm a fan, down in tears"),
    ),
    _TRADE.worded(
        clause(
            r"(?:now that I'm |being |(?:I|I've) (?:became|become|switched to being|retrained as|made it as|work now as|am now|have just become|just became) )(?:an? |the )<o>"
        ),
        (("I retrained as a florist", "florist"),),
        ("He became a florist.", "I became a fan"),
    ),
    _TRADE.worded(
        sentence(
            r"<after>(?:as|being|I'm|speaking as) (?:both )?an? (?=[^\n,]{3,60} (?:with|and|who|in|at|by|on|for|of|from) [^\n,]{2,40}?,? (?:I|my|we)\b)(?![^\n,]{3,80}, I (?:want|need|would like|should be able|can|must) to\b)<o>"
        ),
        (("As a night-shift ICU nurse with a toddler I need meals", "night-shift ICU nurse"),),
        (
            "As a nurse in training might ask, why?",
            "He works as a nurse with kids",
            "As a matter of fact and law, I lost",
        ),
    ),
    _TEACHES.worded(
        clause(
            rf"(?:(?:I|we) teach|(?:I've|we've) (?:taught|been teaching)|I'm teaching|I (?:lecture|tutor) in|I (?:tutor|used to teach)) (?:[\w-]+ ){{0,2}}?(?P<o>{_SUBJECT}(?: (?:to|at) [^\n,.;:!?()]{{2,40}}?)?)(?= (?:for|in|and|since|so|but|on|now|part)\b|$|[,.;:!?()])"
        ),
        (
            ("been teaching year 9 chemistry for eleven years", "year 9 chemistry"),
            ("I teach ESL to refugees, mostly at night", "ESL to refugees"),
        ),
        ("I teach them manners.", "She teaches chemistry", "Who taught me chemistry?"),
    ),
    _STAGE.worded(
        sentence(
            r"(?:retired|semi-retired|freelance|self-employed|trainee|newly qualified|junior|senior|part-time|amateur|professional|full-time|apprentice|former|ex-) ?(?P<o>(?:[a-z-]+ ){0,2}[a-z]+(?:er|or|ist|ian|man|woman|nurse|chef|cook|pilot|vet))(?: (?:of|for|with) [^\n,.;:!?()]{2,40})?(?=, [^\n]{0,80}\b(?:I|my|me|we|I'm)\b)"
        ),
        (("Retired bus driver, 68, and I want to learn chess", "bus driver"),),
        ("Freelance writer, who is that?", "The retired driver says I'm late"),
    ),
    _OWNS.worded(
        clause(
            r"(?:I|we) (?:own|co-own|rent out|let out|part-own|inherited|bought) (?P<o>(?:an? |the |my |our |two |three |\d+ )(?:[\w'-]+ ){0,4}?(?:house|flat|apartment|condo|cottage|cabin|farm|smallholding|orchard|vineyard|woodland|acres?|plot|field|allotment|boat|narrowboat|houseboat|caravan|campervan|motorhome|holiday home|duplex|terrace|bungalow|townhouse|studio|barn)(?: (?:in|near|on|by|outside) [^\n,.;:!?()]{2,40}?)?)(?= (?:and|but|so|which|with|that|since|from|last|two)\b|$|[,.;:!?()])"
        ),
        (("We own a narrowboat on the Kennet and it leaks", "a narrowboat on the Kennet"),),
        ("I own it.", "She owns a farm", "Should I buy a house?", "If I bought a house, what tax?"),
    ),
    _STAGE.worded(
        clause(
            r"I'm (?:now |only |just |nearly |almost )?(?:a |an )?(?P<o>(?:first|second|third|fourth|final|fifth)[- ]year (?!of\b)[\w -]{3,40}?|(?:phd|doctoral|masters?|master's|undergrad(?:uate)?|grad(?:uate)?|medical|med|law|nursing|engineering|art|exchange|mature|high school|college|uni|university) (?:student|candidate|researcher|resident|intern|trainee)|new (?:mum|mom|dad|parent|manager|teacher|driver|homeowner)|first[- ]time (?:mum|mom|dad|parent|manager|homeowner)|foster (?:carer|parent|mum|dad)|carer for my [\w -]{3,25}|(?:single|solo|working|stay[- ]at[- ]home|expectant) (?:mum|mom|dad|parent|mother|father)|landlord|homeowner|house ?wife|pensioner|retiree|empty[- ]nester|vicar's (?:wife|daughter|son)|army brat|third culture kid|only child)(?=$|[,.;:!?()]| (?:in|at|of|and|with|who|but|so|on|from|to|here|now|studying|doing|working)\b)"
        ),
        (("I'm a third-year medical student and I need mnemonics", "third-year medical student"),),
        ("I'm a bit of a student.", "She's a new mum", "I'm not a landlord"),
    ),
)
