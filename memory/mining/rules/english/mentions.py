"""Machines and programs of one's own, named in passing: "the Kia won't charge", "Scala at work"."""

from dataclasses import replace

from memory.mining.rules.english.classes import FRESH, NOT_MINE
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.lexicon import TECHNOLOGY
from memory.mining.rules.table import Examples, Rule, Wording
from memory.mining.rules.templates import USES, Template

_USES = replace(USES, many=False, shape="tool", confidence=0.75)
_OWNS = Template("technical", "owns_{slug}", "owns", "The user owns this: {object}.", confidence=0.75)
_TOOL = r"(?:(?-i:[A-Z][\w.+#-]*|[a-z]+[A-Z]\w*)|[a-z][\w.+#-]{3,})(?: (?:v?\d[\w.]*|(?-i:[A-Z][\w.]*)))?"
_CARS = r"(?:Ford|Fiesta|Focus|Kia|Hyundai|Toyota|Corolla|Prius|Yaris|Honda|Civic|Jazz|Mazda|Nissan|Leaf|Micra|Volkswagen|VW|Golf GTI|Polo|Passat|Skoda|Octavia|Fabia|Seat Ibiza|Renault|Clio|Zoe|Peugeot|Citroen|Berlingo|Dacia|Duster|Fiat|Panda|Vauxhall|Corsa|Astra|Opel|BMW|Audi|Mercedes|Sprinter|Volvo|Saab|Subaru|Outback|Forester|Tesla|Model [3SXY]|Land Rover|Defender|Jeep|Dodge|Chevy|Chevrolet|Silverado|F-?150|Tacoma|Jimny|Vespa|Ducati|Triumph|Yamaha|Kawasaki|Harley|Brompton|Transit|e-Niro)"
_GEAR = r"(?:iPhone|iPad|iMac|MacBook|Mac mini|Mac Studio|Chromebook|ThinkPad|Surface|XPS|Pixel|Galaxy|Fairphone|OnePlus|Kindle|Kobo|reMarkable|Garmin|Fitbit|Apple Watch|Synology|QNAP|Raspberry Pi|Steam Deck|PlayStation|PS[45]|Xbox|Switch|Oculus|Quest|Sonos|Alexa|Echo|HomePod|Roomba|Dyson|Miele|Bosch|Smeg|Aga|Rayburn|Weber|Traeger|Thermomix|Instant Pot|KitchenAid|Gaggia|Sage|Breville|Bialetti|Aeropress|DeLonghi|Nespresso|Singer|Bernina|Janome|Husqvarna|Stihl|Makita|DeWalt|Prusa|Bambu|Ender|Cricut|Wacom|Canon|Nikon|Fuji(?:film)?|Leica|Olympus|Hasselblad|GoPro|DJI|Roland|Korg|Moog|Fender|Gibson|Yamaha|Steinway|Epson|Brother|LaserJet|OfficeJet|libre|Dexcom|Framework)"
_ITS = r"(?:'s| (?:is|won't|wouldn't|keeps|stopped|drops|died|refuses|can't|doesn't|beeps|leaks|needs|has|goes|shuts|makes|says|runs|just|still|suddenly|always|never|randomly|freezes|crashes|overheats|jams|and|after|since|when|below|every|for|with)\b|$|[,.;!?)])"
_THING = r"(?:printer|laptop|phone|camera|car|van|bike|e-bike|motorbike|oven|router|tv|telly|machine|sewing machine|amp|synth|guitar|keyboard|pump|sensor|hearing aids?|watch|tablet|boiler|heat pump|dishwasher|washing machine|fridge|mower|chainsaw|tractor|kiln|loom|lathe|mixer|grinder|monitor|drone|telescope|microscope|nas|server|desktop|pc|console|headset|mic|microphone|lens|boat|engine|campervan|motorhome|wheelchair|scooter|stove|wood ?burner|smoker|barbecue|bbq)"

_NO_TASK = r"(?![^\n]*\b(?:errors?|problems?|issues?|questions?|bugs?|trouble|this|that|task|assignment|homework|class|course|exam|function|script|query|array|list|loop|string|file)\b)"

# What is thought of buying is nobody's yet.
_WEIGHED = r"(?![^\n]*\b(?:heard|consider\w*|leaning|tempted|torn|deciding|decided on|looking (?:at|into)|thinking (?:of|about)|interested|versus|vs|compar\w+|recommend\w*|reviews?|worth (?:it|buying|the)|right fit|upgrad\w+ to|(?:buy|get|getting|buying|want|order|ordering) the)\b)"


def _known(wording: Wording, yes: Examples, no: tuple[str, ...]) -> Rule:
    return replace(_USES.worded(wording, yes, no), only=TECHNOLOGY)


RULES = (
    _known(
        sentence(
            rf"{NOT_MINE}{FRESH}(?P<o>{_TOOL}) (?:at|for|on|in) (?:the day job|my day job|work|the office|fun|hobby stuff|home|uni|side projects|my side projects|my (?:own )?(?:stuff|server|laptop|desktop|nas|homelab|phone|boxes|machines?)|the (?:desk|nas|server|laptop|desktop|side|homelab))(?=$|[,.;!&]| (?:and|but|so|&)\b)"
        ),
        (("Scala at the day job, Elixir for fun.", "Elixir"),),
        ("Is Scala for fun?", "Her Scala, Scala at work, is good", "Read at home."),
    ),
    _known(
        clause(
            rf"{_NO_TASK}(?![^\n,]{{0,60}}\b(?:interested|curious|keen|open|considering|planning|going|fish|trip|flying|travel\w*|driving) )(?:I|we|I'm|we're|I've|we've)(?: (?:have|am|are|only|ever|just|mostly|still|been|all|also|used to be|once|never really|finally|both))*(?: (?!(?:need|want|wish|hope|try|trying|tried|think|thinking|consider\w*|learn|learning|study|studying|heard|read|reading|compar\w+|choos\w+|decid\w+|torn|stuck|looking|evaluat\w+|struggl\w+|ask\w*|interview\w*|love|hate|like|prefer|know|don't|can't|won't|see|saw|not|should|could|would|might|may|never|switch|found|find|get|getting|got)\b)[a-z][\w-]*)(?: [\w'-]+){{0,4}}? (?:in|on|with|to|using|touched|over to|into|onto|off|via|through|hosting|self-hosting) (?P<o>{_TOOL})(?=$|[.,;:!?)(]| (?:and|but|so|because|since|for|with|where|which|at|if|as|now|on|last|over|in|these|behind)\b)"
        ),
        (("Ported my whole blog to Astro over the holidays", "Astro"),),
        (
            "I'm stuck between Vue and Svelte",
            "She ported it to Astro",
            "Should I port it to Astro?",
            "I want to move to Python",
            "I'm particularly interested in Todoist",
            "I'm planning to fish for salmon",
            "I'm planning a trip to Maui",
        ),
    ),
    _known(
        clause(
            rf"{_NO_TASK}(?:I|we|I've|we've)(?: (?:have|only|ever|just|mostly|still|been|also))*(?: (?:touched|self-hosting|hosting|running|using|self-host|host|administer|maintain|learned|learnt|know)) (?!(?:about|how|that|what|the|it|this)\b)(?P<o>{_TOOL})(?=$|[.,;:!?)(]| (?:and|but|so|because|since|for|with|where|which|at|if|as|now|on|last|over|in|these)\b)"
        ),
        (
            ("I've only ever touched SQLite, so assume nothing", "SQLite"),
            ("been self-hosting Nextcloud on an old laptop since 2021", "Nextcloud"),
        ),
        ("I know about Python.", "She's only touched SQLite", "Do I know Python?"),
    ),
    _known(
        sentence(
            rf"{NOT_MINE}{FRESH}(?:long[- ]?time |lifelong |seasoned |heavy |happy |die-hard |recovering |daily )+(?P<o>{_TOOL}) (?:user|dev|developer|person|hacker|admin|fan)(?=$|[,.;!]| (?:and|here|so|but)\b)"
        ),
        (("Long time Emacs user, org-mode runs my life", "Emacs"),),
        ("Is a long-time Emacs user happy?", "her long-time Emacs user group"),
    ),
    _known(
        sentence(
            rf"{NOT_MINE}<lead>(?:borked|broken|broke|crashing|failing|dead|dying|stuttering|frozen|acting up|not working|misbehaving)(?: again)? on (?:my )?(?P<o>{_TOOL})(?= again|,|\.|$)"
        ),
        (("Nvidia drivers borked on Arch again, 4070, hyprland", "Arch"),),
        ("Is it broken on Arch?", "borked on her Arch"),
    ),
    _OWNS.worded(
        sentence(
            rf"{NOT_MINE}{_WEIGHED}<lead>(?:the|my|our|this|on (?:an?|my|the|our)) (?P<o>(?:(?:old|20\d\d|19\d\d|'\d\d|second-hand|trusty) )*(?:(?-i:{_CARS}|{_GEAR}))(?: (?-i:[A-Z\d])[\w-]*){{0,2}})(?={_ITS})(?=[^\n]*\b(?:I|I'm|my|me|we|our|won't|keeps|stopped|drops|dead|broken|refuses|making|after the update|leaks?|crash\w*|error|noise|help|again)\b)(?![^\n]*\b(?:he|she|they|his|her|released|announced|launched|company|stock|ad|advert)\b)"
        ),
        (
            ("MOT is due soon and the Fiesta's making a grinding noise", "Fiesta"),
            ("the Kia won't take a charge below 4 degrees", "Kia"),
        ),
        (
            "The iPhone was released in 2007 by Apple.",
            "her Kia won't charge",
            "I've heard great things about the Sonos Beam, but is it for me?",
            "I'm leaning towards the Garmin Forerunner 945",
            "Is the Kia good?",
        ),
    ),
    _OWNS.worded(
        sentence(
            rf"{NOT_MINE}<lead>(?:the|my|our) (?:[\w'-]+ ){{0,3}}?{_THING}(?: for my [\w ]{{2,20}}?)? ?\((?:an? |the |it's an? )?(?P<o>(?:(?-i:[A-Z\d])[\w.-]+|libre|dexcom)(?: [\w.-]+){{0,4}})\)"
        ),
        (
            ("the printer (Brother HL-L2350DW) drops off the network", "Brother HL-L2350DW"),
            ("the app for my glucose sensor (libre 3) stopped alarming", "libre 3"),
        ),
        ("her printer (Brother) is old", "Is the printer (Brother) ok?"),
    ),
)
