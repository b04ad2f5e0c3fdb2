"""Messages that contain secrets, and ordinary messages with numbers that are not secret."""

from itertools import product
from random import Random

PEM = """-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACBx8Yw1Zq
-----END OPENSSH PRIVATE KEY-----"""
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"

# Kind, sentence with {}, secret: twenty kinds, in English, German, Spanish and French.
SECRETS: tuple[tuple[str, str, str], ...] = (
    ("password", "By the way, my Netflix password is {}, in case I lose it.", "Sunfl0wer-Tango"),
    ("password", "Mein Passwort für den Mailserver lautet {}.", "Regenbogen#88"),
    ("password", "La contraseña del banco es {} y no la cambio.", "Girasol_2019"),
    ("password", "Le mot de passe de mon ordinateur est {}", "Tournesol!45"),
    ("wifi password", "Guests ask for it: wifi password: {}", "blueberry77pie"),
    ("wifi password", "Das WLAN-Passwort ist {}, falls Besuch kommt.", "KatzeAufDemDach7"),
    ("wifi password", "La clave del wifi es {}.", "perroverde9"),
    ("PIN", "The PIN of my debit card is {}.", "8305"),
    ("PIN", "Meine Geheimzahl für die EC-Karte ist {}.", "7391"),
    ("PIN", "El PIN de mi móvil es {}, no lo olvides.", "460912"),
    ("PIN", "Le code PIN de ma carte est {}.", "2846"),
    ("card number", "Book it with my Visa {}, valid until 08/29.", "4539 1488 0343 6467"),
    ("card number", "Meine Kreditkarte: {}", "5425-2334-3010-9903"),
    ("card number", "Paga con la tarjeta {} por favor.", "374245455400126"),
    ("security code", "The CVV on the back is {}.", "739"),
    ("security code", "Die Kartenprüfnummer ist {}.", "518"),
    ("security code", "Le cryptogramme visuel est {}", "604"),
    ("IBAN", "Send the rent to {} as always.", "GB29 NWBK 6016 1331 9268 19"),
    ("IBAN", "Meine IBAN ist {}.", "DE89370400440532013000"),
    ("IBAN", "Mi cuenta es {}, de CaixaBank.", "ES91 2100 0418 4502 0005 1332"),
    ("IBAN", "Voici mon RIB : {}", "FR14 2004 1010 0505 0001 3M02 606"),
    ("account number", "My account number is {} at Wells Fargo.", "000123456789"),
    ("account number", "Kontonummer {}, Bankleitzahl steht drauf.", "1039572846"),
    ("account number", "Mi número de cuenta es {}.", "4471 9920 1834"),
    ("private key", "Here is the key of the server:\n{}", PEM),
    ("private key", "Mein SSH-Schlüssel:\n{}\nHeb ihn gut auf.", PEM.replace("OPENSSH", "RSA")),
    ("recovery code", "My GitHub recovery codes are {}", "8f3k2-29slq, 7d2mm-11qpz and 4h5jc-77xxw"),
    ("recovery code", "Wiederherstellungscodes für Google: {}", "4829 1038 5573 9920"),
    ("recovery code", "Mis códigos de recuperación: {}", "k3v9-2pd8, m7x1-q4z6"),
    ("recovery code", "Mes codes de secours sont {}", "583920 118274 660391"),
    ("JWT", "Use {} for the staging API.", JWT),
    ("JWT", "Der Aufruf geht mit {} durch.", JWT),
    ("GitHub token", "Clone it with {} please.", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
    ("GitHub token", "El token es {}", "github_pat_11ABCDEFG0abcdefghijkl_MNOPQRSTUVWXYZ0123456789"),
    ("AWS key", "The deploy user has {} as its key id.", "AKIAIOSFODNN7EXAMPLE"),
    ("AWS key", "aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AWS key", "Der geheime Schlüssel dazu: {}", "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY"),
    ("Slack token", "The bot posts with {}.", "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"),
    ("Slack token", "Le webhook : https://hooks.slack.com/services/{}", "T0/B0/XXXXXXXXXXXXXXXXXXXXXXXX"),
    ("Stripe key", "Charge with {} in production.", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
    ("Stripe key", "La clave de Stripe es {}", "rk_live_51Hbc2KJd92kdLsp20dkc93Jd"),
    ("Google key", "Maps needs {} in the header.", "AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe"),
    ("Google key", "Der Client hat {} bekommen.", "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"),
    ("OpenAI key", "I set OPENAI_API_KEY={} in my shell.", "sk-proj-a1B2c3D4e5F6g7H8i9J0kLmN"),
    ("OpenAI key", "Ma clé API est {}", "sk-ant-api03-R2D2c3poXyZ9876543210"),
    ("API key", "My weather API key is {}.", "b6907d289e10d714a6e88b30761fae22"),
    ("API key", "Der API-Schlüssel lautet {}", "9f86d081884c7d659a2feaa0"),
    ("API key", "La clave de API: {}", "5e884898da28047151d0"),
    ("database URL", "Connect to postgres://app:{}@db.example.org/main", "s3cr3t-pg-pass"),
    ("database URL", "Die Datenbank: mysql://root:{}@localhost:3306/shop", "wurzel4711"),
    ("bearer token", "curl -H 'Authorization: Bearer {}' https://a.example", "mF_9.B5f-4.1JqM8kd"),
    ("bearer token", "El access token es {}", "a81bc81b-dead-4e5d-abff-90865d1e13b1"),
    ("seed phrase", "My seed phrase is {}.", "ripple canyon velvet oxygen tiny lunar fabric myth"),
    ("seed phrase", "Die Wiederherstellungsphrase ist {}.", "apfel besen dorf esel fluss garten hafen insel"),
    ("seed phrase", "Mi frase semilla es {}.", "abeja balcon cabra dado ebrio faja gafas hacha"),
    ("seed phrase", "La phrase de récupération est {}.", "abeille balcon cadeau danger eclair fable"),
    ("identity number", "My social security number is {}.", "078-05-1120"),
    ("identity number", "Meine Steuer-ID ist {}.", "86 095 742 719"),
    ("two-factor secret", "Scan otpauth://totp/Acme?secret={}&issuer=Acme", "JBSWY3DPEHPK3PXP2QRS"),
    ("password", "I changed my Amazon password to {} yesterday.", "Maple-Leaf-93"),
)  # fmt: skip

_TEMPLATES = (
    "The meeting is on {day} {month} 2024 at {hour}:30 in room {small}.",
    "Call me at +44 20 7946 0{three} or 0171 {six}.",
    "My phone is (555) {three}-{four}, the office has 030 {six}{small}.",
    "We paid {three}.{small} EUR for {small} tickets, {four} in total.",
    "The order number is {eight}, shipped on {day}.{digit}.2024.",
    "Bestellnummer {eight}-{four}, Lieferung am {day}. Mai.",
    "Our address is {small} Elm Street, {five} Springfield.",
    "Ich wohne in der Hauptstraße {small}, {five} Berlin.",
    "Vivo en la calle Mayor {small}, {five} Madrid.",
    "J'habite au {small} rue de Rivoli, {five} Paris.",
    "I weigh {small}.{digit} kg and run {small} km in {three} minutes.",
    "ISBN 978-{digit}-{six}-{small}-{digit}, page {three}.",
    "Flight LH{four} leaves at {hour}:05 from gate B{small}, seat {small}A.",
    "git commit {hex7} fixes issue #{four}, build {five} is green.",
    "The sensor reads {three}.{four} mV at {small} °C, id {six}.",
    "for i in range({four}): total += values[i] * {digit}.{small}",
    "version {digit}.{small}.{three}, released 2024-0{digit}-1{digit}",
    "My flat is on floor {small}, the rent is {four} a month.",
    "Tracking number {eight}{eight}, it should be here by {hour}:00.",
    "UUID {hex8}-{hex4}-4{hex3}-a{hex3}-{hex12} is in the log.",
    "sha256 {hex32}{hex32} matches the download.",
    "The match ended {digit}:{digit}, {five} people came.",
    "Invoice {eight} over {four},{small} € is due on {day} {month}.",
    "Coordinates {small}.{six}, {small}.{six}: the cabin.",
    "The password must have {small} characters and {digit} digits.",
    "I forgot my password {digit} times in {three} days.",
    "The token limit is {four} tokens per request, {five} a day.",
    "pin {small} of the GPIO header goes to pin {digit} of the sensor.",
    "My IP at home is 192.168.{digit}.{small} and port {four} is open.",
    "IMEI check: dial *#06#, mine starts with {small}.",
    "My daughter was born on {day} {month} 201{digit} at {hour}:1{digit}.",
    "Mi hija nació el {day} de mayo de 201{digit}, pesó {digit},{small} kg.",
    "Le train de {hour}h{small} a {small} minutes de retard, voie {digit}.",
    "https://example.org/articles/2024/{digit}/{eight}?page={small}",
    "The recipe needs {three} g flour, {small} g butter and {digit} eggs.",
    "Chapter {small}, verse {small}: I read it {three} times.",
    "My customer number is K-{six}, my contract {eight}.",
    "The licence plate is B-XY {four}, the car has {six} km.",
    "He finished in {digit}:{small}:{small}, rank {four} of {five}.",
    "Mein Geburtstag ist der {day}.{digit}.198{digit}, Größe 1,{small} m.",
    "The account has {five} followers and {four} posts.",
    "Passport photos cost {small} dollars for {digit} prints.",
    "The router model is AX{four} with {digit} antennas and {three} MB RAM.",
    "Zug ICE {three} um {hour}:{small}, Wagen {small}, Platz {small}.",
    "user{four} asked for {small} seats in row {digit}{digit}.",
    "SELECT * FROM orders WHERE id = {eight} LIMIT {small};",
    "The key signature has {digit} sharps, tempo {three} bpm.",
    "Vitamin B{digit}: {three} µg, D3: {four} IU per day.",
    "My score is {four} on level {small}, {five} points to go.",
    "The secret of the cake is {small} minutes at {three} degrees.",
)  # fmt: skip
_MONTHS = ("January", "March", "May", "July", "October")


def ordinary(count: int = 500) -> list[str]:
    """Messages with dates, phone numbers, prices, orders, addresses, measures and code, always the same."""
    random = Random(19)

    def digits(number: int) -> str:
        return str(random.randint(10 ** (number - 1), 10**number - 1))

    def hexadecimal(number: int) -> str:
        return "".join(random.choice("0123456789abcdef") for _ in range(number))

    lengths = {"digit": 1, "small": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8}

    def message(template: str) -> str:
        values = {name: digits(length) for name, length in lengths.items()}
        values |= {f"hex{length}": hexadecimal(length) for length in (3, 4, 7, 8, 12, 32)}
        values |= {"day": str(random.randint(1, 28)), "hour": str(random.randint(7, 22))}
        return template.format(**values, month=random.choice(_MONTHS))

    rounds = range(-(-count // len(_TEMPLATES)))
    return [message(template) for _, template in product(rounds, _TEMPLATES)][:count]
