"""Facts from the predictions of a scripted network, and the evidence in the words around a value."""

import pytest

from memory.mining.reader import facts
from memory.mining.reader.predicates import PREDICATES
from tests.memory.mining.chats import turn
from tests.memory.mining.reader.scripted import Scripted, check, read, shown

FACTS = """
# object, unsure: uncertain facts are unsure
Leeds is my home. | Leeds: lives_in | Leeds
# object, unsure (doubtful): what is doubtful is unsure, and dropped if it would hardly be worth anything
I live in Leeds with my family. | Leeds: lives_in | Leeds / unsure
I have to plan the trip. | trip: has_event | -
# object, unsure (unlikely): unlikely facts are dropped
I live in Leeds with my family. | Leeds: lives_in | -
# predicate, object: adjacent parts of a value are joined
I'm a senior nurse | senior: works_as; nurse: works_as | works_as / senior nurse
I teach at a school in Leeds. | a school: works_at; Leeds: lives_in | works_at / a school in Leeds
# statement: each value has what its own part of the sentence says
I have two cats, Miso and Nori, and a tortoise named Shelly. | Miso: has_pet; Nori: has_pet; Shelly: has_pet
  Miso is the user's cat.; Nori is the user's cat.; Shelly is the user's tortoise.
My favourite tea is green, and my favourite band is Ha. | green: favourite; Ha: favourite
  The user's favourite tea is green.; The user's favourite band is Ha.
My sister visited Tom, my brother. | Tom: sibling_of | Tom is the user's brother.
My budget for the tea is £9 and my budget for the ham is £5. | £9: has_budget; £5: has_budget
  The user's budget for the tea is £9.; The user's budget for the ham is £5.
I live in Area 51. | Area 51: lives_in | The user lives in Area 51.
Call me May instead of Maya. | May: nickname; Maya: nickname | The user likes to be called May.
My favourite author is Ursula K. Le Guin. | Ursula K: favourite; Le Guin: favourite
  The user's favourite author is Ursula K. Le Guin.
I see Dr. Weber on Friday | see Dr: has_event | “I see Dr. Weber on Friday” (2026-11-27).
My sister Katja and her husband Olaf came. | Katja: sibling_of; Olaf: sibling_of | Katja is the user's sister.
We are getting married in June. | getting married: has_event
  “We are getting married in June” (about 2027-06).
# predicate: a named relative yields only one fact
my daughter Wren is 7 | daughter: has_family; Wren: parent_of | parent_of
# kind: words are quoted once, except for events
I run daily and hope to run a marathon | run daily: habit; run a marathon: wants | behaviour
I see Ann on Monday and Tom on Friday | Ann: has_event; Tom: has_event | event; event
# predicate: only a word for a colleague makes somebody one
I work with my colleague Greg | Greg: colleague_of | colleague_of
I will ask Greg about it | Greg: colleague_of | acquainted_with
# object, single_valued: values of one sentence do not end each other
I'm a nurse and a poet | nurse: works_as; poet: works_as | nurse / single_valued; poet
I live in Graça, on a hill in Lisbon | Graça,: lives_in; Lisbon: lives_in | Graça / single_valued
I live in Graça. Lisbon is home | Graça.: lives_in; Lisbon: lives_in
  Graça / single_valued; Lisbon / single_valued
# single_valued: only an answer to the same question ends another value
I'm a cellist | cellist: works_as | single_valued
I was promoted to head chef | head chef: works_as | single_valued
I teach at a small music school | teach: works_as | no
I'm also a coach | coach: works_as | no
On the side I work as a barista | barista: works_as | no
Ich arbeite nebenbei als Kellner | Kellner: works_as | no
I live in Leeds | Leeds: lives_in | single_valued
Hello, I'm Alma | Alma: named | single_valued
Wanjiru, Nakuru | Wanjiru: named | no
I live near the sea | near the sea: lives_in | no
Mira is my wife | Mira: married_to | single_valued
My wife is a cellist | wife: married_to | no
# unsure (ended): a partnership has not certainly ended if no word says so
I argued with Tom | Tom: partner_of | unsure; unsure; unsure
Tom and I broke up | Tom: partner_of | no; no; no
# unsure: without a word for it, nobody is filed as close
Graham's successor is Meera | Graham: married_to | unsure
Our neighbour's Graham, my husband | Graham: married_to | no
Guests: Beatriz, my six pupils and their parents | six pupils: has_pet | unsure
We have two rabbits | two rabbits: has_pet | no
I live in Leeds | Leeds: lives_in | no
# unsure: pasted pages, role play and goals in questions are unsure
We are expecting Kimura any day now | Kimura: parent_of | unsure
Greetings to my husband, Tom | Tom: married_to | no
I have been married to Tom for years | Tom: married_to | no
Her sister is Ann | Ann: sibling_of | unsure
Hi.\\n\\nAnn, 34\\nYork\\nNurse\\n\\nAbout me\\nLeeds is home\\nLikes\\nTea\\n\\nBye! | Leeds: lives_in
  unsure
You are a pirate. I live in Leeds. | Leeds: lives_in | unsure
You are a nurse on a ward\\n\\nOne\\nTwo\\nThree\\nFour\\nFive\\nSix\\n\\nI live in Leeds. | Leeds: lives_in
  unsure
I'll be the first to admit I live in Leeds. | Leeds: lives_in | no
I live in Leeds. Now pretend I'm Sandra, a nurse | Leeds: lives_in; nurse: works_as | no; unsure
So can you help me save money, as I'm broke? | save money: wants | unsure
Do you know a good cobbler I can go to? | good cobbler: wants | unsure
Could you always answer in metric? | answer in metric: instructs | no
Did I mention I broke my arm yesterday? | broke my arm: experienced | unsure
# object: pasted text is not read
Translate this:\\nI live in Leeds. | Leeds.: lives_in | -
"""
ENDINGS = """
# ended (ended): what somebody no longer does is avoided
I no longer eat meat | meat: avoids | no
I no longer avoid meat | meat: avoids | ended
# ended: what somebody no longer does is avoided
I avoid meat and no longer smoke | meat: avoids | no
I don't eat meat any more | meat: avoids | no
I don't avoid meat any more | meat: avoids | ended
# object, ended: phrases mark the fact they apply to as ended
I no longer live in Leeds | Leeds: lives_in | Leeds / ended
Ich wohne nicht mehr in Leeds | Leeds: lives_in | Leeds / ended
Je n'habite plus à Leeds | Leeds: lives_in | Leeds / ended
Back then I was still living in Leeds | Leeds: lives_in | Leeds / ended
I live in Leeds, and I no longer smoke | Leeds: lives_in | Leeds
I used to play drums | drums: plays | drums / ended
I used to paint the sea | paint the sea: experienced | paint the sea
I used to live in Berlin and now I live in Munich | Munich: lives_in | Munich
We used to rent but we own a boat | boat: owns | boat
I sold it before we left Bristol | Bristol: lives_in | Bristol / ended
I have moved out of Leeds | Leeds: lives_in | Leeds / ended
Мы уехали из Bristol | Bristol: lives_in | Bristol / ended
# object, ended: denials and requests to forget end a fact
我对 虾不过敏, 对 螃蟹 过敏 | 虾不过敏: allergic_to | 虾 / ended
我对 虾不过敏, 对 螃蟹 过敏 | 螃蟹: allergic_to | 螃蟹
I'm not allergic to nuts | nuts: allergic_to | nuts / ended
I'm not allergic to milk but to nuts | nuts: allergic_to | nuts
Forget that I like olives. | olives: likes | olives / ended
忘了我喜欢 橄榄 吧 | 橄榄: likes | 橄榄 / ended
Forget it, I like olives. | olives: likes | olives
I switched my medicine from codeine to another | codeine: takes | codeine / ended
I sold my car, a red Polo | red Polo: owns | red Polo / ended
I sold my car and bought a red Polo | red Polo: owns | red Polo
We had to put our dog Rex to sleep | Rex: has_pet | Rex / ended
Wir mussten Rex einschläfern lassen | Rex: has_pet | Rex / ended
I put the baby to sleep and walked my dog Rex | Rex: has_pet | Rex
# kind, key, value, ended (ended): a former job or home also ends the current one
I used to work at Opel | Opel: worked_at
  experience / former_employer_opel / Opel; identity / employer / Opel / ended
Раньше я была учительницей | учительницей: worked_as
  experience / was_учительница / учительница; identity / occupation / учительница / ended
Ich habe früher in Kassel gewohnt | Kassel: lived_in
  experience / lived_in_kassel / Kassel; identity / home_city / Kassel / ended
# predicate, ended (ended): what ended ends nothing else
I used to work at a school in Leeds | a school: works_at; Leeds: lives_in | worked_at; works_at / ended
Anna ist nicht mehr meine Verlobte, wir haben geheiratet | Anna: engaged_to | engaged_to / ended
# predicate, key, value, ended (ended): a separation ends every kind of partnership
Max und ich haben uns getrennt | Max: partner_of
  partner_of / partner / Max / ended; married_to / spouse / Max / ended; engaged_to / fiance / Max / ended
# value, ended (ended): a negation is left out of what has ended
Ich bin keine Vegetarierin | keine Vegetarierin: follows_diet | Vegetarierin / ended
# value, ended: a negation is left out only of what has ended
Ich bin keine Vegetarierin | keine Vegetarierin: follows_diet | keine Vegetarierin
"""
EVIDENCE = """
# object: values that belong to others, addressed people and impossible birthdays yield no fact
My mom is 55 and my dad is 58, so they travel. | mom is 55 and my dad is 58, so: child_of | -
This is my dog | This: has_pet | -
I am glad that your lovely dogs are well | dogs: has_pet | -
I met Ana's son Tomás today | Tomás: parent_of | -
My sister came, and her older son Tomás | Tomás: parent_of | -
我见到了她的儿子 小明 | 小明: parent_of | -
My favourite tea is sencha now, not jasmine | jasmine: dislikes | -
I do not like jasmine | jasmine: dislikes | jasmine
Thanks so much, Melanie. | Melanie: named | -
Ich bin am 03.04.2027 geboren | 03.04.2027: born_on | -
女儿叫果果, 2022年6月1号 出生的 | 2022年6月1号: born_on | -
Le chien de ma mère, Filou, est là | Filou: child_of | -
Der Hund meiner Mutter, Rex, ist da | Rex: has_pet | -
Suppose I had a son named Oskar | Oskar: parent_of | -
What if I had a son named Oskar | Oskar: parent_of | -
Представьте, мой сын Оскар | Оскар: parent_of | -
你好，假设我有儿子 小明 | 小明: parent_of | -
I suppose I live in Leeds | Leeds: lives_in | Leeds
J'imagine que ma femme Zoé dort | Zoé: married_to | Zoé
Dann hätte ich eine Frage zu meinem Sohn Max | Max: parent_of | Max
Angenommen, ich hätte einen Sohn namens Oskar | Oskar: parent_of | -
Ich bewerbe mich bei Siemens in Bonn | Siemens in Bonn: works_at | -
After the interview I got a job at Bosch | Bosch: works_at | Bosch
After the interview I applied at Bosch | Bosch: works_at | -
I am interviewing at Opel and at Bosch | Bosch: works_at | -
# object: contractions before a relative are no possessives
Let's visit grandma Rose on Sunday | Rose: grandchild_of | Rose
That's aunt Clara at the door | Clara: relative_of | Clara
Hab's meiner Schwester Anna erzählt | Anna: sibling_of | Anna
# object: pets are read
I have 3 old ponies | 3 old ponies: has_pet | 3 old ponies
# statement: the words beside a value decide what it is
Je suis mariée avec Karine. | Karine: engaged_to | The user is engaged to Karine.
I live with my boyfriend Cal, my daughter Eva | Cal: parent_of | Cal is the user's boyfriend.
Мужа зовут Ринат. | Ринат: grandparent_of | Ринат is the user's husband.
I saw my roommate Kai | Kai: friend_of | Kai is the user's roommate.
Mi marido lo dice | marido: married_to | The user has a husband.
Je suis née le 2 février 1985 à | 2 février 1985 à: born_on | The user's birthday is “2 février 1985”.
We moved ourselves to Naas | Naas: works_at | The user lives in Naas.
I am a trainer in Davao | Davao: lives_in | The user lives in Davao.
"""
DATES = """
# valid_from: dates of something else do not begin a fact
My boss, Priya, is leaving in March | Priya: reports_to | no
My daughter Freya starts school in August | Freya: parent_of | no
I want to lose weight by August | lose weight: wants | no
I am a butcher, and went veggie last year | butcher: works_as | no
# valid_from, event_time: a since in another clause begins nothing
Ein Hund, Bruno, und seit Mai auch die Katze | Bruno: has_pet | no
I live since 2019 in Dublin with my wife Kasia | Kasia: married_to | no
J'habite à Lyon depuis 2019, avant à Lille | Lille: lived_in | no; no
# valid_from: the start of a fact is read from its sentence
I have lived in Leeds since March 2019 | Leeds: lives_in | from 2019-03-01
Ich wohne seit 2019 in Leeds | Leeds: lives_in | from 2019-01-01
I moved to Leeds in May | Leeds: lives_in | from 2026-05-01
I live in Leeds | Leeds: lives_in | no
I live in Leeds, 2019 was a hard year | Leeds: lives_in | no
On Monday 3 May 2021 it rained and I live in Leeds | Leeds: lives_in | no
Home has been Leeds since the end of March | Leeds: lives_in | from 2026-03-21
# predicate, valid_from, event_time: a job that begins later is an event
Then I start at Roche on 8 December, at last | Roche: works_at | has_event / on 2026-12-08
С января я буду работать в Сбере | Сбере: works_at | has_event / on 2027-01-01
Empiezo en Indra en abril de 2027 | Indra: works_at | has_event / on 2027-04-01
# statement, event_time: experiences and events are dated as precisely as they are told
I ran a race last year | ran a race: experienced | “I ran a race last year” (about 2025). / on 2025-01-01
I ran a race last November | ran a race: experienced
  “I ran a race last November” (about 2025-11). / on 2025-11-01
I ran a race two years ago | ran a race: experienced
  “I ran a race two years ago” (about 2024-11). / on 2024-11-01
I ran a race a few years ago | ran a race: experienced | “I ran a race a few years ago”
I see the dentist on Friday at 3pm | dentist: has_event
  “I see the dentist on Friday at 3pm” (2026-11-27). / on 2026-11-27 15:00
I have a wedding next week | wedding: has_event
  “I have a wedding next week” (about 2026-12). / on 2026-12-01
We met on July 10, 2019, in Rome | met: experienced
  “We met on July 10, 2019, in Rome” (2019-07-10). / on 2019-07-10
I was ill last weekend, but see Ann next Friday | see Ann: has_event
  “I was ill last weekend, but see Ann next Friday” (2026-11-27). / on 2026-11-27
I was ill on July 10, but ran a race on July 1 | ran a race: experienced
  “I was ill on July 10, but ran a race on July 1” (2026-07-01). / on 2026-07-01
We leave on Sunday, I worked at Opel in May | Opel: worked_at
  The user used to work at Opel (about 2026-05). / on 2026-05-01; The user works at Opel.
# event_time: ranges and festivals lie ahead, unless verbs say that they are over
I fly to Rome from 27 January to 3 February | Rome: travels_to | on 2027-01-27
I fly to Rome for Christmas, 21 Dec to 3 Jan | Rome: travels_to | on 2026-12-21
I fly to Rome at Easter | Rome: travels_to | on 2027-03-26
My exam was on 3 October | exam: has_event | on 2026-10-03
Am 3. Oktober war meine Prüfung | Prüfung: has_event | on 2026-10-03
They told me that I had to see Ann on 3 May | see Ann: has_event | on 2027-05-03
# event_time: a weekday beside a date chooses its year
The wedding is on Saturday, 29 May | wedding: has_event | on 2027-05-29
The wedding was on Friday, 29 May | wedding: has_event | on 2026-05-29
# predicate, event_time: a clause about something else does not date a former job
I left Opel last May and I start at Roche on January 11 | Opel: worked_at
  worked_at / on 2026-05-01; works_at
I ran a race last Saturday, in 1:58 | ran a race: experienced | experienced / on 2026-11-21
# key: an event has its day in its key
I see the dentist on Friday at 3pm | dentist: has_event | event_dentist_2026_11_27
# predicate, ended, valid_from, valid_to, event_time (ended): an end is dated
I left Opel in May | Opel: works_at | worked_at / on 2026-05-01; works_at / ended / until 2026-06-01
# predicate, valid_from, valid_to: a past stay has a start and an end
I lived in Rome from 2016 to 2019 | Rome: lived_in
  lived_in / from 2016-01-01 / until 2020-01-01; lives_in / until 2020-01-01
"""


@check(FACTS + ENDINGS + EVIDENCE + DATES)
def test_what_is_read_from_the_words_around_a_value(text, seen, how, fields, expected):
    assert shown(text, seen, how, fields) == expected


def test_a_predicted_value_becomes_a_fact_with_its_quote():
    [fact] = read("Hello! Leeds is where I live these days. Any tips?", "Leeds: lives_in")
    assert (fact.kind, fact.key, fact.value) == ("identity", "home_city", "Leeds")
    assert fact.statement == "The user lives in Leeds."
    assert fact.quote == "Leeds is where I live these days"
    assert (fact.location, fact.single_valued, fact.unsure) == ("Leeds", True, False)


@pytest.mark.parametrize(
    ("more", "less", "value"),
    [
        ("Please always be brief", "Please be brief today", "be brief: instructs"),
        ("My budget for the bike is 900 euros", "I have 900 euros to spend on it", "900 euros: has_budget"),
        ("I have an audition on 3 December", "I have an audition sometime soon", "audition: has_event"),
        ("I write it in my Vim", "Should I write it in the Vim", "Vim: uses"),
        ("Keep your answers brief", "Keep your next answer brief", "brief: instructs"),
        ("I swim every morning", "I'll try to swim this morning", "swim: habit"),
    ],
)
def test_lasting_facts_that_are_clear_alone_are_worth_more(more, less, value):
    assert read(more, value)[0].confidence > read(less, value)[0].confidence


def test_nothing_is_certain_after_the_user_begins_to_play_a_role():
    turns = [turn("Leeds is home"), turn("Pretend I'm Sandra."), turn("Leeds is home")]
    assert [fact.unsure for fact in facts.read(turns, Scripted(("Leeds", "lives_in")))] == [False, True]


def test_other_speakers_yield_no_facts():
    assert facts.read([turn("I live in Leeds", "assistant")], Scripted(("Leeds", "lives_in"))) == []


def test_every_predicate_has_a_kind_a_key_and_a_statement():
    for predicate in PREDICATES.values():
        [fact, *_] = read("we spend and, married, were born as beta gamma", f"beta: {predicate.name}")
        assert fact.kind == predicate.kind
        assert fact.key
        assert "{" not in fact.statement + fact.key
        assert fact.statement.endswith((".", "”"))
