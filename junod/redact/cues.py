"""The words that announce a credential, and those that explain a number away.

A cue has a weight (how surely a code follows) and a kind (what the mask will say). Families, not phrases: a door is a
gate, a garage, a lobby. Weights: 4 says "a secret comes", 3 nearly, 1 to 2 are hints that add up.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from junod.redact.tokens import MASK_PATTERN, Token

_NOT_A_SECRET_CODE = (
    r"(?<!dress )(?<!zip )(?<!area )(?<!bar )(?<!qr )(?<!promo )(?<!discount )(?<!voucher )(?<!coupon )(?<!source )"
    r"(?<!dialling )(?<!dialing )(?<!country )(?<!building )(?<!to )(?<!up to )(?<!with )(?<!use )(?<!offer )"
    r"(?<!postal )(?<!post )(?<!flight )"
)
_NOT_A_SECRET_PIN = (
    r"(?<!rolling )(?<!safety )(?<!bobby )(?<!bowling )(?<!hair )(?<!drop a )(?<!cotter )(?<!lapel )(?<!drawing )"
)

NUMBER_CUES: tuple[tuple[str, float, str], ...] = (
    # cards
    (r"(?:credit|debit|bank|visa|master)[ -]?card(?: number)?|card (?:number|no)\b|long number", 3.5, "card number"),
    (r"visa|amex|american express|mastercard|maestro|discover card|revolut|monzo", 2, "card number"),
    (r"(?:the|my|your|his|her|our|new|old|by|that) cards?|card(?:'s)?", 1.5, "card number"),
    (r"expir\w+|exp(?:iry)? date|valid (?:until|thru|through)", 1.5, "card number"),
    (r"cvv2?|cvc2?|csc|security (?:code|number|digits)|three digits|last (?:three|3)", 4, "security code"),
    (r"(?:number|digits|numbers|three|four|code)s? (?:\w+ ){0,3}(?:on|at) the (?:back|reverse)", 4, "security code"),
    (r"(?:and )?(?:on|at|what's on|what is on) the (?:back|reverse|front)\b", 2, "security code"),
    (r"(?:and )?(?:the|its) back\b|(?:numbers?|digits|three) (?:\w+ )?behind|on the front", 2, "security code"),
    # accounts
    (r"iban|swift|bic", 4, "account number"),
    (r"sort ?codes?|routing|transit (?:number|no)|ifsc|bsb|aba number|clabe", 4, "account number"),
    (r"(?:bank |savings |checking |current )?accounts? (?:number|no\b|num|ending)|acct|a/c", 4, "account number"),
    (r"(?:the|my|your|her|his|and|and the) account(?:'s| is)?(?! of\b)|account's|account is", 2.5, "account number"),
    (r"m-?pesa|venmo|paypal|bank transfer|wire", 1, "account number"),
    # identity papers
    (
        r"social security(?: number| no)?|"
        r"(?:full|my|your|his|her|the) social\b(?! worker| media| club)|social(?:'s| is)",
        4,
        "id number",
    ),
    (
        r"ssn|sin(?: number| is|'s)|national insurance(?: number| no)?|ni number|nino|tax (?:id|file)|tfn",
        4,
        "id number",
    ),
    (
        r"(?:my|your|his|her) ni\b|medicare's|"
        r"(?:nhs|medicare|health card|aadhaar|aadhar|cnic|pan card|pan|pesel|nie|dni|id) (?:number|no|is)",
        4,
        "id number",
    ),
    (r"aadhaar|aadhar|cnic|pesel|personnummer|codice fiscale|bvn|ird|nric", 3, "id number"),
    (r"(?:driv\w+(?:'s|s)? )?licen[cs]e (?:number|no|is|num)|driv\w+(?:'s|s)? licen[cs]e", 4, "id number"),
    (r"passport (?:number|no|is|num)|passport's(?! in)", 4, "id number"),
    (r"passports?|licen[cs]e|(?:identity|id) card|renew", 1, "id number"),
    (r"person ?numm?er\w*|personnumret|kennitala|bsn|codigo fiscal|cpf|steuernummer", 4, "id number"),
    (r"konto ?numm?er\w*|rekeningnummer|kontonumret|num[eé]ro de compte|numer konta|giro", 4, "account number"),
    # one-time codes
    (r"otp|one[ -]time|verification|verify|two[ -]factor|2fa|authenticator|passkey", 3.5, "one-time code"),
    (r"(?:sent|texted|texts|sends|text|message|sms)(?:'s|'d| to)? (?:you|me|us|it|them|ye)\b", 2.5, "one-time code"),
    (r"(?:sent|texted)(?: you| me| us| through)? (?:a|the|an) (?:code|number|thing|text)", 3, "one-time code"),
    (r"(?:thing|app|they|it|bank|locker) (?:just )?texted", 2, "one-time code"),
    (r"(?:i'm|we're|you're|she's|he's|it's) in(?=\s*[.,!?]|\s*$)", 2, "one-time code"),
    (r"went through|gone through|took it|it took|(?:log|logged|logging|sign|signed)[ -]?(?:in|on)", 2, "one-time code"),
    (r"says (?:wrong|invalid|incorrect|it's expired|expired)|do not share|don't (?:share|tell)", 2, "one-time code"),
    (r"(?:read (?:me|it|us)|number it)|(?:say|tell me) it (?:back|again)", 1.5, "one-time code"),
    # codes and PINs
    (r"pass ?codes?|access (?:code|number)|(?:\w+[ -])?pin (?:number|code|no)", 4, "code"),
    (_NOT_A_SECRET_CODE + r"codes?(?:'s)?(?! review| base| freeze)", 4, "code"),
    (_NOT_A_SECRET_PIN + r"pins?(?:'s)?(?! it| the| that| this| up| down| your| her| his| on)", 4, "code"),
    (
        r"key ?safe|lock ?box|key ?box|key ?pad|key ?lock|pad ?lock|combination(?! of)|combo lock|combo|dial it",
        3.5,
        "code",
    ),
    (r"(?:the )?combo(?:'s| is)|disarm\w*|arm (?:it|the)|armed|disable|burglar|locked out", 3, "code"),
    (r"alarm(?:'s)?(?! clock| at| for|s? (?:at|for))", 2, "code"),
    (
        r"gate|garage|lobby|front door|back door|side door|street door|entry ?phone|entrance|buzzer|portal|boom",
        1.5,
        "code",
    ),
    (r"intercom|barrier|shed|locker|safe(?:'s)?\b|vault|elevator|lift|bike lock|parental|child ?lock", 1.5, "code"),
    (r"let (?:yourself|herself|himself|themselves) in|gets? in(?! at)|get(?:ting)? (?:in|out)\b", 1.5, "code"),
    (
        r"(?:typ(?:e|es|ing|ed)|punch(?:ed)?|key|put) (?:it |that |this )?in(?!to| (?:the|my|your|our|a) (?:calendar|"
        r"diary|planner|fridge|freezer|oven|car|boot|bin|basket|list|notes?|book)\b)",
        2.5,
        "code",
    ),
    (r"typ(?:e|es|ing|ed)(?: (?:it|that))?|enter(?: it)?|press|hit (?:enter|ok)", 1.5, "code"),
    (
        r"(?:alarm|gate|garage|door|lock|safe)(?:'s| has| is| was| got)*(?: been| just)*(?: changed| reset| now\b)",
        3,
        "code",
    ),
    (r"(?:chang|reset)\w*(?: \w+)? (?:alarm|gate|garage|door|lock|safe)", 3, "code"),
    (r"(?:my|your|his|her|our|mum's|dad's|mom's) (?:birthday|anniversary|birth year)|lock(?:ed)?", 1.5, "code"),
    (r"hash(?: key)?|pound (?:key|sign)|then (?:the )?(?:little )?(?:star|bell|hash|pound|enter)|#", 2, "code"),
    (r"beep\w*|blink\w*|switch it off|turn it off|reset (?:it|the)|changed (?:it|the)|they've changed", 1, "code"),
    (r"atm|cash ?point|withdraw\w*|tablet|sim|voicemail|phone lock|unlock\w*|screen lock|ipad", 1.5, "code"),
    (r"it wants|it's asking|asking for|wants the|says enter|secret|keep it to yourself|security", 1, "code"),
    (r"pass ?words?|pass ?phrase|log ?in|username|wi-?fi|netflix|memorable", 2.5, "password"),
)

_PHONE = (
    r"call(?:s|ed|ing)?|ring(?:s|ing)?|rang|phone (?:number|him|her|them|us|me|the|for)|phoned|dial|mobile|"
    r"(?:his|her|my|the) cell|cell (?:phone|number)|land ?line|hot ?line|helpline|whats ?app|extension|fax|tel|"
    r"telephone|absence line|text (?:us|him|her|them)|reach (?:him|her|them|us|me)|number's|"
    r"(?:nana?|gran|granny|grandma|grandpa|grandad|granddad|mum|mom|dad|auntie?|uncle|nurse|clinic|coach|teacher)'s "
    r"(?:new |work |home |other )?number|(?:his|her|their) number|"
    r"(?:guy|man|woman|lady|sitter|plumber|vet|doctor|school|surgery)'s number|"
    r"plumber|electrician|sitter|babysitter|handyman|locksmith|surgery|operators"
)
_WEIGHTED = [
    (re.compile(rf"(?<![\w\[])(?:{pattern})(?![\w\]])"), weight, kind) for pattern, weight, kind in NUMBER_CUES
]
_PHONE_PATTERN = re.compile(rf"(?<![\w\[])(?:{_PHONE})(?![\w\]])")


@dataclass(frozen=True, slots=True)
class Cue:
    start: int
    end: int
    """Character offsets."""
    token: int
    """Index of the token in which it begins."""
    sentence: int
    weight: float
    kind: str
    family: int
    """Cues of one family do not add up."""


def plain(text: str) -> str:
    """`text` in lower case with straight apostrophes and masks blanked, offset for offset."""
    lowered = text.lower()
    if len(lowered) != len(text):  # "İ" grows
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    lowered = lowered.replace("’", "'")
    return MASK_PATTERN.sub(lambda match: " " * len(match.group()), lowered)


class Places:
    """Token and sentence of a character offset."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._starts = [token.start for token in tokens]
        self._sentences = [token.sentence for token in tokens]

    def token(self, offset: int) -> int:
        return max(bisect_right(self._starts, offset) - 1, 0)

    def sentence(self, offset: int) -> int:
        return self._sentences[self.token(offset)]


def find_cues(lowered: str, tokens: Sequence[Token]) -> list[Cue]:
    """Every number cue in `lowered` (see `plain`), in order of place."""
    places = Places(tokens)
    cues = [
        Cue(
            match.start(),
            match.end(),
            places.token(match.start()),
            places.sentence(match.start()),
            weight,
            kind,
            family,
        )
        for family, (pattern, weight, kind) in enumerate(_WEIGHTED)
        for match in pattern.finditer(lowered)
    ]
    return sorted(cues, key=lambda cue: (cue.start, -cue.weight))


def sentences_with(pattern: re.Pattern[str], lowered: str, tokens: Sequence[Token]) -> list[int]:
    """Numbers of the sentences in which a match of `pattern` begins, ascending."""
    places = Places(tokens)
    return sorted({places.sentence(match.start()) for match in pattern.finditer(lowered)})


def phone_sentences(lowered: str, tokens: Sequence[Token]) -> list[int]:
    """Numbers of the sentences that speak of telephoning, ascending."""
    return sentences_with(_PHONE_PATTERN, lowered, tokens)


def any_between(ascending: Sequence[int], low: int, high: int) -> bool:
    """Whether `ascending` holds a value from `low` to `high`."""
    position = bisect_left(ascending, low)
    return position < len(ascending) and ascending[position] <= high
