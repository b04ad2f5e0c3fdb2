"""Stems of German nouns that often end a compound, and the letters that link its members."""

_HEADS = """
abend abteil abstell adress alarm album amt angst anlag anruf anschluss anwalt anzug apfel apothek
arbeit arm artikel arzt ausflug ausgab ausweis auto bach backofen bad bahn bahnhof balkon ball
band bank bar baum becken bedarf bein berat berg bericht beruf besuch betrieb bett beutel bild
biolog bitt blatt blum boden bot brand brauch brett brief brill brot bruck bruch bruder buch bucherei
bund burg buro bus butter chef club computer creme dach dam daten datum deck dienst ding dorf dos
druck durst eimer eis ende erlebnis essen fabrik fach fahrt fahr fall familie farb feder fehler
feier feld fenster ferien fest feuer film firma fisch flasch fleisch flug fluss form foto frag frau
freund frist fritz frucht fruhstuck fuhr fuss gabel gang garten gass gast gebaud geb gebuhr gefuhl
gehalt geld gemus genoss gerat gericht geschaft geschenk geschicht gesellschaft gesicht gesprach
gewicht gewurz glas gluck gras grenz grosse grund grupp gymnas haar hafen hahn hals hand handl haus
heim heft heiz helf hemd herd herr herz hilf hof holz hos hotel huhn hund hutt idee insel instrument
jack jahr jung kabel kaff kalb kalender kamera kamm kammer kanal karton kart kas kass kast katz keks
keller kell kenntnis kett kind kino kirch kiss kist klass klavier kleid klinik knoch knopf koch
koffer konto konzert kopf korb korper kost kraft krankheit kran kreis kreuz krieg kuch kuh kund
kunst kur kurs kuss lad lag lager lampe lamp land landschaft last lauf leb leder lehr lehrer leist
leitung leut licht lied lini list loch loffel lohn luft mach mahl maler mann mannschaft mantel
mappe markt marsch maschin maus medikament meer mehl meist meister mensch mess messer miet milch
minut mitglied mittel mobel mode monat mord motor mull musik mutter mutz nachricht nacht nadel nagel
nam nas netz note nuss ofen ohr oma onkel opa oper operation ordnung pack paket papier park
partei partn party pass pass patient pfann pfeff pferd pflanz pflaster pfleg platt platz post prax
preis pries problem projekt prozess pruf prufung pullov pult rad radio rahm rand raum rechnung recht
red regal regel reg reich reif reih reis reis rennen rent reparatur rest ring rock rohr roman
ros rock ruck ruf saal saat sach sack saft sage salat salb salz samml sand satz schad schaden schaf
schal schalt schein schiff schild schinken schirm schlaf schlag schlang schloss schlussel schmerz
schmuck schnitt schnur schok schrank schreib schrift schritt schuh schul schuld schuler schussel
schutz schwest see seel segel seif seil seit sekund sendung sessel sicherung sicht sieb sitz sofa
sohn soldat sommer sorg soss spass speis spiegel spiel sport sprach spritz sprung spur stadt stand
stein stell steuer stiefel stift stimm stock stoff strahl strand strass streifen streit strom stuck
student stuhl stund sturm suche sucht supp system tabell tablett tafel tag tal tank tant tanz
tasch tass tat tau tee teich teig teil telefon teller teppich termin test text theat therapi ticket
tier tisch tocht tod ton topf tor tort tour tracht trank traum treff trepp tropf truck tuch tun tur
turm uhr umschlag unfall unt unterricht urlaub vat verband verein verkauf verkehr versicherung vertrag
vertret vetter vieh vogel vorhang wach waffe wag wahl wald wand war wasch wass wasser weg weihnacht wein weis
weisheit weit welt werk wert wett woch wohnung wolf wolle wort wund wunsch wurst zahl zahn zaun zeich
zeit zeitung zelt zentrum zettel zeug ziel zimmer zins zoll zucker zug zustand zutat zweck
"""

_PREFIXES = """
ab an auf aus be bei dien donnerst durch ein ent er frei ge haupt her hin mit mon nach samst sonn uber
um unt ur ver vor weg wied zer zu zusamm
"""

HEADS = frozenset(_HEADS.split())
# Beginnings that make no compound of a word.
PREFIXES = frozenset(_PREFIXES.split())
LINKS = ("s", "n", "en")
