"""What is told after the time, the occasion or the purpose that is put first: "Mondays I work from
home", "whenever I'm nervous I bite my nails", "when I retire I'll open a tea room"."""

from dataclasses import replace

from memory.mining.rules.english.classes import NOT_MINE
from memory.mining.rules.english.events import DAY_HINT, EVENT_WORDS
from memory.mining.rules.english.grammar import sentence
from memory.mining.rules.table import hinted
from memory.mining.rules.templates import EVENT, GOAL, HABIT, Template

_HABIT = replace(HABIT, shape="deed")
_GOAL = replace(GOAL, shape="deed")
_EVENT = replace(EVENT, confidence=0.75)
_BLOW = Template(
    "experience",
    "lived_through_{slug}",
    "lived_through",
    "The user lived through this: {object}.",
    confidence=0.75,
)

_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
_DATE = (
    rf"(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?)"
)
_STOP = r"(?= (?:and|but|so|because|which|while|though|until)\b|$|[,.;:!?()])"
# What is done, rather than felt, asked or seen on a screen.
_DOES = r"(?!(?:am|was|were|have to|had|need|want|would|could|should|can|can't|don't|didn't|get (?:an?|the|this|that|it)|got|see|saw|feel|felt|think|thought|know|like|love|hate|wish|wonder|wondered|hope|keep (?:getting|seeing)|notice|run (?:the|this|it|into)|click|try|end up|realise|realize|\w+ (?:it|this|that|them)\b|[a-z]+ed)\b)[a-z]+ [^\n,.;:!?()\"]{2,70}?"
_SCREEN = r"(?![^\n]{0,120}\b(?:error|code|script|command|page|button|app|file|build|server|test|log|login|terminal|install|query|function|model|you)\b)"
_SOME_TIME = r"(?:retire|graduate|qualify|turn \d\d|finish (?:school|uni|university|college|my \w+|the \w+)|win the lottery|leave (?:school|uni|university|college|work)|grow up|'m (?:older|retired|rich|done with \w+|\d\d|\w+ty)|'ve (?:retired|graduated|qualified|saved (?:up )?enough|paid off [\w ]{3,30}))"
_BLOWS = r"(?:stroke|heart attack|accident|crash|divorce|burn-?out|operation|surgery|transplant|bypass|amputation|miscarriage|redundancy|diagnosis|concussion|chemo(?:therapy)?|hip replacement|knee replacement|breakdown|brain injury|back injury)"

RULES = (
    _HABIT.worded(
        sentence(
            rf"{NOT_MINE}{_SCREEN}(?:and |but )?(?:whenever|every time|each time|any time) (?:I|I'm|we|we're|it|it's|there's|the|my|our|life|things|somebody|someone) ?[^\n,;:!?]{{2,50}}?,? (?:I|we) (?:always |usually |just |tend to )?(?P<o>{_DOES}){_STOP}"
        ),
        (("Whenever I'm nervous I bite my nails.", "bite my nails"),),
        (
            "Whenever he's nervous he bites his nails.",
            "Whenever I run the script I get an error",
            "Whenever I'm nervous I feel sick",
            "Every time I asked I got nothing",
        ),
    ),
    _HABIT.worded(
        sentence(
            rf"{NOT_MINE}{_SCREEN}(?:and |but )?(?P<o>{_DAY}(?: (?:and|to|through) {_DAY})?,? (?:I|we) (?:always |usually |mostly )?(?:{_DOES})){_STOP}"
        ),
        (("Mondays I work from home, else the office", "Mondays I work from home"),),
        ("Mondays he works from home.", "Mondays I need help", "Mondays I hate"),
    ),
    _HABIT.worded(
        sentence(
            rf"{NOT_MINE}{_SCREEN}<after>(?:for fun|to relax|to unwind|to wind down|to switch off|for pleasure|in my (?:spare|free) time|on my days? off|when I'm not working|when I'm bored|outside (?:of )?work|after work|at weekends),? (?:I|we) (?:always |usually |mostly |mainly )?(?P<o>{_DOES}){_STOP}"
        ),
        (
            ("For work I use Python, and for fun I read about trains", "read about trains"),
            ("To unwind I repair clocks, badly", "repair clocks"),
        ),
        ("For fun he reads.", "For fun I want to try it", "After work I had a nap"),
    ),
    _GOAL.worded(
        sentence(
            rf"{NOT_MINE}<after>(?:when|once|after|as soon as) (?:I|we) ?{_SOME_TIME},? (?:I|we)(?:'ll| will|'m going to|'re going to| want to| plan to|'d like to|'d love to| hope to| intend to) (?:finally )?(?!(?:be|let|see|know|need|tell|have to|probably|never|not)\b)(?P<o>[^\n,.;:!?()\"]{{4,80}}?)(?= (?:and|but|so|because|until)\b|$|[,.;:!?()])"
        ),
        (
            (
                "When I retire I'll open a tea room; until then I pack boxes",
                "open a tea room",
            ),
        ),
        (
            "When he retires he'll open a tea room",
            "When I finish the cake I'll tell you",
            "When I retire, will I open a tea room?",
        ),
    ),
    _BLOW.worded(
        sentence(
            rf"(?:(?:since|after|following|because of) )?(?:my|our) (?P<o>(?:[a-z]+ )?{_BLOWS})(?: (?:in|at|last|two|three) \w+(?: ago)?)?,? (?=(?:I|we)(?:'ve|'m|'re)? )"
        ),
        (("Since my stroke in 2021 I've walked with a stick", "stroke"),),
        ("Since her stroke I've walked alone.", "My stroke is better", "Since my update I see red"),
    ),
    *hinted(
        DAY_HINT,
        (
            _EVENT.worded(
                sentence(
                    rf"(?:and )?{_DATE} (?:is|will be|marks) (?:my|our) (?P<o>(?!birthday\b)(?:[\w'&-]+ ){{0,3}}?(?:{EVENT_WORDS}|anniversary)(?: (?:anniversary|party|day))?)(?![\w'-])"
                ),
                (
                    (
                        "The 14th of July is our wedding anniversary, so I need a present",
                        "wedding anniversary",
                    ),
                ),
                ("The 14th of July is a holiday.", "The 14th of July is her anniversary"),
            ),
            _EVENT.worded(
                sentence(
                    rf"(?:my|our) (?P<o>(?:[\w'&-]+ ){{0,2}}?(?:wedding|graduation|housewarming|christening|operation|surgery|house move|engagement party|citizenship ceremony|driving test)) was (?:on|in|back in) (?=(?:the )?(?:\d|{_MONTH}))"
                ),
                (("Our wedding was on the 21st of June 2019.", "wedding"),),
                ("Our wedding was fun.", "Her wedding was on 3 May", "Was our wedding on 3 May?"),
            ),
            _EVENT.worded(
                sentence(
                    rf"(?:on |this |next |in )(?:the )?(?:{_DATE}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|{_MONTH}|week|month|autumn|spring|summer|winter),? (?:I|we)(?:'ll| will|)(?: be)? (?P<o>(?:start|starting|begin|beginning|finish) (?:my |an? |the |our )(?:new )?(?:apprenticeship|internship|traineeship|training|degree|phd|master'?s|placement|residency|course|treatment|sabbatical|maternity leave|parental leave|retirement|evening class(?:es)?|job|round of [\w ]{{3,15}}|post)(?: (?:as|in|at|with) [^\n,.;:!?()]{{2,40}}?)?){_STOP}"
                ),
                (
                    (
                        "On 3 September I start my apprenticeship as an electrician.",
                        "start my apprenticeship as an electrician",
                    ),
                ),
                ("On 3 September he starts his degree.", "On 3 May I start my car"),
            ),
        ),
    ),
)
