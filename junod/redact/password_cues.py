"""The words around spoken passwords: what announces one, how one is spelled out, what is said instead of one."""

from __future__ import annotations

import re

from junod.redact.tokens import word_set

STRONG = (
    r"pass ?words?|pass ?phrases?|pass ?keys?|pass ?codes?|passwd|pwd|log-?ins?|secret (?:word|answer)|safe ?words?|"
    r"magic words?|(?:pick-?up|collection) words?|(?:the|your) pass(?= is|'s|\?)|code ?words?|memorable (?:word|"
    r"name|place)|maiden name|security (?:word|question|answer|phrase)s?|(?:recovery|seed|backup|"
    r"mnemonic) (?:phrase|words?|key|code)s?|first pet|(?:asking|asks?|wants?|security|answer|"
    r"verify)[^.?!\n]{0,30}\b(?:first (?:school|car|teacher)|born|grew up)|passwort|kennwort|mot de passe|"
    r"(?:the|a|your|my) temporary(?=\s*(?:[,.?:]|is\b))|"
    r"contrase[nñ]a|senha|l[oö]senord|wachtwoord|has[lł]o|network key|wpa2? key|wi-?fi key"
)
WEAK = (
    r"wi-?fi|wi fi|internet|router|hotspot|network|netflix|g-?mail|icloud|apple id|spotify|disney|hulu|prime|amazon|"
    r"youtube|facebook|instagram|steam|roblox|minecraft|xbox|playstation|paramount|hbo|i ?player|sky|outlook|"
    r"hotmail|log in|google|microsoft|account|e-?mail|user ?name|laptop|portal|app|tablet|console|zoom|paypal|venmo|"
    r"ebay|vpn|characters and|special character|a symbol|at least (?:eight|8|one)"
)
WIFI = r"wi-?fi|wi fi|why ?fi|hotspot"
HINTS = (
    r"capital(?:s)?(?: [a-z]\b)?|(?:no |all )?caps|(?:all )?lower ?case|all lower|upper ?case|"
    r"(?:all )?(?:as )?one word|no spaces?|under ?scores?|exclamation(?: mark| point)?|dollar sign|at sign|"
    r"at the rate|ampersand|hash ?tag|question mark|asterisk|with an? (?:capital|zero|number|\w+ instead|"
    r"\w+ for the)|(?:spelled|spelt)|all together|all small|small letters|dash"
)
STRONG_PATTERN = re.compile(rf"(?<![\w\[])(?:{STRONG})(?![\w\]])")
WEAK_PATTERN = re.compile(rf"(?<![\w\[])(?:{WEAK})(?![\w\]])")
_ASKED_FOR = rf"{WIFI}|netflix|g-?mail|icloud|spotify|disney|hulu|apple id"
ASKED_PATTERN = re.compile(
    rf"\b(?:what(?:'s| is| was|s)?|which is|give me|tell me)\b[^.?!\n]{{0,40}}?\b(?:{_ASKED_FOR})\b"
    rf"|\b(?:remember|know|got|have|need)\b[^.?!\n]{{0,40}}?\b(?:{_ASKED_FOR})\b[^.?!\n]{{0,20}}\?"
)
HINT_PATTERN = re.compile(rf"\b(?:{HINTS})\b")
LIST_CUE_PATTERN = re.compile(r"\b(?:recovery|seed|backup|mnemonic) (?:phrase|words?|key)s?\b")
LETTERS_PATTERN = re.compile(r"\b(?:letters?|characters?|digits?) ((?:\w+(?:,? and |, ?| ))+\w+)")

COPULA = (
    r"(?:\s+(?:for|of|to|at|on|in|here|there|again|now|the|my|our|your|his|her|their|new|old|this|that|upstairs|"
    r"downstairs|\w+'s|guest|netflix|wi-?fi|code|key|pass|passcode|laptop|account|router|house|home|email|bank|phone|tablet|word|phrase)){0,7}"
    r"\s*(?:'s|(?<=s)'|\bis\b|\bwas\b|\bare\b|:|=|,|\bchanged to\b|\bset to\b|\bstill\b)"
)
_FOR_WHAT = r"\s+(?:for|to|of|on|at|in)(?:\s+[\w']+){1,5}?(?:'s|\s+is)\b"
_SOMEONE_SET = r"\s+(?:i|we|you|they|he|she)(?:\s[\w']+){1,3}?\s+(?:is|was)\b"
_WHICH_IS = (  # "the safe word, which is marigold", but "the password, which is ridiculous"
    r"(?:\s[\w']+){0,3}?(?:\s*,\s*(?:and )?(?:that|it)|\s*,?\s+which)"
    r"(?:'s(?: going to be| gonna be)?|'ll be|\s+is|\s+was)\s+"
    r"(?:just |still |always )?"
    r"(?!(?:(?:so|too|very|a bit|really|pretty|quite|rather|completely|totally) )?(?:ridiculous|annoying|silly|stupid|"
    r"mad|weird|funny|handy|useful|secret|important|lovely|nice|new|different|taped|pinned|printed|pasted|noted|"
    r"safe|safer|private|unusual|embarrassing|rude|obvious|complicated|crazy|strange|odd|brilliant|via|through|linked|"
    r"tied|shared|impossible|ancient|old|too)\b)"
)
STATED_PATTERN = re.compile(
    rf"(?<![\w\[])(?:(?:{STRONG}){_WHICH_IS}|(?:{STRONG}|{WIFI}){COPULA}|(?:{STRONG}){_SOMEONE_SET}|(?:{STRONG}){_FOR_WHAT}"
    rf"|(?:chang|set|reset|updat)\w*\s(?:[\w']+\s){{0,4}}?(?:{STRONG}|{WIFI})(?:\s[\w']+){{0,3}}?\s+to\b)\s*"
)
QUESTION_PATTERN = re.compile(r"\b(?:what|which|where|who|remember|know|forgot|need|want)\b")
STRICT_IT_IS = re.compile(r"\b(?:it's|it is|it was|that's|changed it to|set it to|type in|put in)\b[\s,:]*")
IT_IS_PATTERN = re.compile(
    r"\b(?:it's|it is|its|it was|that's|that is|is|try|put in|put|type in|type|use|enter|changed it to|set it to|"
    r"ni)\b[\s,:]*"
)
WORKERS_NAME_BEFORE = re.compile(
    r"\b(?:tech|technician|engineer|installer|guy|man|bloke|fella|woman|lady|plumber|electrician|neighbou?r|teacher|"
    r"nurse|doctor)'s (?:first |last )?name $"
)
ANSWER_PATTERN = re.compile(
    r"^\W*(?:(?:okay|ok|oh|so|um|uh|er|yeah|yes|sure|right|well|wait|no|then|hang on|hold on|i think|it's|its|that's|"
    r"is it|now|still|just|try|use|all|beta|love|hon|mum|mom|dad)\b[\s,.:]*)*"
)
BENIGN_START = re.compile(
    r"(?:the|my|um|uh|er|a),|(?:not|no|in|on|at|under|behind|by|with|from|inside|over|near|where|when|what|who|why|"
    r"how|the same|same|the one|the old|the new|the usual|still|just|only|gone|going|asking|saying|loading|blinking|"
    r"stuck|written|here|there|about|(?:my|your|his|her|our|their) turn|called|named|yours|mine|because|if|for|"
    r"to be|been|being|a (?:mess|secret|joke|bit|good|bad|pain)|always|never|gonna|getting|saved|included|required|"
    r"needed|it|me|you|i|we|he|she|they|that|this|which|and|but|or|acting|playing|cutting|in case|case sensitive|"
    r"stored|kept|supposed|meant|after|before|until|due|isn't|wasn't|don't|doesn't|didn't|can't|won't|so|too|really|"
    r"very)\b|(?:n't|wrong|right|working|work|down|back|up|out|slow|terrible|crap|rubbish|fine|okay|ok|expired|"
    r"changed|correct|incorrect|easy|long|short|hard|dead|broken|off|good|bad|great|better|free|public|patchy|weak|"
    r"faster|quick|well|all right|half|hot|cold|late|early|dark|raining|dinner|bedtime|lunch|time|ringing|nothing|"
    r"something|anything|everything|everyone|anyone|somewhere|ready|done|open|closed|set up|set|like)(?=\W*$|,|"
    r"\s+(?:again|now|today|tonight|since|for|at|in|on|this|so|and|as|to|then|too|here|there|always|because|when|if|"
    r"enough|anyway|upstairs|downstairs|lately|outside|over|up|with|of|or|like|it|that)\b)|\w+ing (?:me|us|you|him|"
    r"her|it|to|up|out|again|on|for|with|the|a|my|his)\b"
)
BENIGN_ALWAYS = re.compile(r"(?:on|in|under|at|not|wrong|the same|the one)\b")
"""Harmless even when a number or a spelling hint follows."""
LOUD_PATTERN = re.compile(r"\d|under ?score|exclamation|dollar|hash ?tag|ampersand")
WORD_PATTERN = re.compile(r"[\w']+")
CLAUSE_END = re.compile(
    r"\n|[;—–]|,?\s+(?:but|because|cause|so (?:we|you|i|he|she|they|don't)|although|which)\b|(?:,\s*(?:and |but |"
    r"so |oh |or )*|\s+and\s+)(?:(?:we|i|you|he|she|they|there|it)(?:'\w+)?|tell|get|buy|bins|didn't|call|ring|ask|"
    r"check|remind|don't|can|could|please|grab|put|make sure|need|someone|somebody|the (?:bins?|kids?|plumber|network)|"
    r"mom|mum|dad)\b"
    # another thing is told: ", and the tech's name was Alonzo", "and the router is in the hall"
    r"|,\s*(?:and|but) (?:the|my|your|his|her|our|their) (?!(?:number|word|letter|digit|last|first|next|rest|other|"
    r"symbol|exclamation|question|hash|capital|second|end|"
    r"year|birth\w*|pin|code|password|numbers|letters|dash)\b)"
    r"|\s+and (?:the|my|your|his|her|our|their) [\w']+(?: [\w']+)?(?:'s| is| was| are) (?:in|on|at|under|behind|"
    r"by|with|next|called|named|coming|due)\b"
)
SHORT_TALK = word_set(
    "okay ok oh so um uh er yeah yes yep no nope sure right well wait hang hold on a sec second minute what again",
    "really please thanks thank you ta cheers done lovely great perfect good got it its i'm in i is was the that",
    "this there here which one who why when where how hello hi hey sorry pardon huh hmm mm mhm try go come look",
    "see say said says don't do did wrong working work not now then and or but with without for to of at my your",
    "our his her their me him them us we he she they be been are am were has have had can can't could will would",
    "won't should just still same new old all any some more most too very only like than up down out off over",
    "back read type put enter press tell give ask open opened caps capital lower case upper letter word words",
    "spaces space spelled spelt number numbers sign mark point first last next thing stuff way let lets know",
    "think mean want need get make take use used password passcode username wifi netflix login account code pin",
    "internet network email morning tomorrow today tonight monday tuesday wednesday thursday friday saturday",
    "sunday it'll that's what's it's there's doesn't isn't didn't i'll you'll we'll she'll he'll love hon honey",
    "babe mum mom dad nana grandma grandpa darling sweetheart thirty twenty because everything something nothing",
    "everyone somebody into from about after before mister missus dash underscore exclamation dollar hash hashtag",
    "star asterisk plus rate ampersand zero two three four five six seven eight nine ten eleven twelve thirteen",
    "fourteen fifteen sixteen seventeen eighteen nineteen forty fifty sixty seventy eighty ninety hundred double",
    "triple question guest home house kids phone tablet laptop goodnight night afternoon bye goodbye bedtime",
    "dinner lunch supper bank wrote write changed change means remember forgot kitchen shopping list milk bread",
    "idea clue",
)
SYMBOL_TAIL = word_set(
    "dash underscore exclamation mark point dollar sign hash hashtag star asterisk at the rate plus",
    "ampersand capital caps then and all lower no",
)
TIME_BEFORE = word_set("at by until till before after around about")
GLUED = re.compile(r"(?=.*[A-Za-z]{3})(?=.*\d)[A-Za-z]+\d+\w*")
