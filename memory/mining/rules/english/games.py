"""Video games and tabletop games with a name of their own: what one does, not what one can."""

from memory.mining.rules.english.grammar import clause
from memory.mining.rules.templates import HABIT

_GAME = (
    r"(?:minecraft|fortnite|valorant|league of legends|league\b(?! (?:football|hockey|bowling|tennis|darts|cricket|rugby))|overwatch|roblox|counter-?strike|cs2|csgo|dota(?: 2)?|world of warcraft|wow\b|apex legends|fifa|skyrim|stardew(?: valley)?|zelda|elden ring|terraria|factorio"
    r"|genshin(?: impact)?|animal crossing|mario kart|rocket league|call of duty|baldur['\u2019]?s gate(?: 3)?|civ(?:ilization)?(?: \w+)?\b|dwarf fortress|hades|hollow knight|final fantasy(?: \w+)?|destiny 2|the sims|sims 4|pok[eé]mon(?: go)?|diablo(?: \w+)?|d&d|dungeons (?:and|&) dragons|pathfinder|warhammer(?: 40k)?|magic the gathering|mtg|catan|gloomhaven)"
)
_CONSOLE = r"(?:my|our|the|an?) (?:old )?(?:switch|steam deck|ps\d|playstation|xbox|pc|laptop|console|ipad|tablet|phone|gamecube|wii|game ?boy|ds|3ds|emulator)"
_ENDS = r"(?=$|[,.;:!?()]| (?:and (?:I|we|my)|but|so|because|since|when|who|which)\b)"

RULES = (
    HABIT.worded(
        clause(
            rf"(?:<I>(?:also |still |mostly |mainly |sometimes )*|I've been |we've been |<I'm>)(?P<o>play(?:ing)? (?:(?:a lot of|lots of|some|way too much|too much) )?(?:{_GAME}[^\n,.;:!?()\"]{{0,50}}?|(?-i:[A-Z])[^\n,.;:!?()\"]{{2,40}}? on {_CONSOLE}[^\n,.;:!?()\"]{{0,25}}?)){_ENDS}"
        ),
        (
            ("I play Stardew Valley on my Switch", "play Stardew Valley on my Switch"),
            ("i play minecraft with my nephew", "play minecraft with my nephew"),
            ("I play Northgard on the Steam Deck", "play Northgard on the Steam Deck"),
            ("we play D&D on Thursdays", "play D&D on Thursdays"),
        ),
        (
            "He plays minecraft",
            "I play the cello",
            "Should I play minecraft?",
            "I don't play minecraft",
            "I play chess and tennis",
        ),
    ),
)
