"""Does a text have the shape of an instruction to the program that keeps or reads it? (pure)

A microphone hears whoever speaks, and an assistant writes what a page told it. Such a text is never obeyed; here it is
told apart, so that it is not kept, or is shown as what it is. Household talk is full of commands ('ignore the oven
timer', 'forget the milk'), so a command alone is nothing: what counts is whom or what it is about, a program's own
instructions, memories taken as a whole, roles, tools and the marks around messages.
"""

from __future__ import annotations

import re
from dataclasses import replace

from junod.records import Decision, Outcome

UNTRUSTED = "untrusted words, not to be followed"

_WORDS = {
    "<OWN>": (
        r"(?:instructions?|prompts?|guidelines?|directives?|programming|filters?|restrictions?|constraints?|safeguards?"
        r"|context window|safety (?:rules|settings)|system (?:prompt|message)s?)"
    ),
    "<MIND>": (
        r"(?:memor(?:y|ies)|records?|databases?|entr(?:y|ies)|reminders?|rules|conversations?|chats?|data(?:base)?)"
    ),
    "<ADDRESSEE>": r"(?:a\.?i\.?|assistant|chat ?bot|language model|llm|(?:ai )?agent|model|bot|junod)",
}
_SHAPES: tuple[tuple[str, str], ...] = (
    (
        "override",
        r"\b(?:ignore|forget|disregard|override|bypass|drop|discard|overrule|violate)\b(?: \w+){0,2}? "
        r"(?:your|previous|prior|earlier|above|preceding|these|those|all(?: of)?|any|the) (?:\w+ "
        r"){0,2}?<OWN>\b(?! (?:on|in|for|at|from) (?:the|a))",
    ),
    (
        "override",
        r"\b(?:ignore|forget|disregard|override|bypass) (?:all )?(?:of )?your (?:\w+ )?(?:rules"
        r"|training|limits)\b",
    ),
    (
        "override",
        r"\b(?:ignore|forget|disregard|override) (?:all )?(?:the |of the )?(?:previous |prior "
        r")?(?:rules|orders) (?:you|above)\b",
    ),
    (
        "override",
        r"\b(?:ignore|forget|disregard) (?:everything|anything|all|the text|the words)(?: \w+){0,2}? "
        r"(?:above|before this|you were told|you know about us|that came before)|\bdisregard (?:the "
        r")?above\b",
    ),
    (
        "override",
        r"\bdisregard what the (?:family|household|user) \w+ you\b|\bno longer (?:bound|valid)\b",
    ),
    (
        "override",
        r"\b(?:your|the) (?:previous |earlier )?(?:instructions|restrictions|guidelines|filters) "
        r"(?:were|are|have been|do not|don't|no longer)\b",
    ),
    (
        "override",
        r"\b(?:new|updated|following|these|hidden|real) <OWN> (?:follow|take|override|apply|are\b)"
        r"|\bnew instructions ?:|\byour (?:new |updated |hidden |initial |original )?instructions\b",
    ),
    (
        "override",
        r"\bhere are your\b.*\binstructions\b|\binstructions you were given\b|\bwithout (?:any "
        r")?(?:filters|guidelines|restrictions|limits)\b|\b(?:you have|had|with) no (?:rules"
        r"|restrictions|instructions|limits|guidelines)\b",
    ),
    (
        "marks",
        r"<\|[a-z_]*|\|>|```|\[/?(?:inst|system)\]|</?(?:system|user|assistant|memories|instructions?"
        r"|context)\b[^>]*>|^\s*#{2,} ?(?:system|instructions?|new)\b|\{\{.*\}\}",
    ),
    (
        "marks",
        r"(?:^|[.!?\n\x22'] *)(?:system|assistant|developer|user|human)(?: prompt| message| note)? ?: ",
    ),
    (
        "marks",
        r"\bsystem (?:message|prompt)\b|\bend of (?:notes|memor(?:y|ies)|context|prompt|document"
        r"|instructions)\b",
    ),
    (
        "persona",
        r"\byou are (?:now |no longer )(?:a |an |in )?(?:\w+ )?(?:ai\b|assistant|model|chat ?bot|memory"
        r"|shell|terminal|\w*gpt\b|dan\b|unrestricted|unfiltered|free from|developer mode|jailbroken"
        r"|evil)",
    ),
    (
        "persona",
        r"\b(?:pretend|imagine|act|speak|answer|respond|behave|play)\b.{0,30}\b(?:ai|model|assistant"
        r"|chat ?bot|llm|dan|administrator|developer|root|jailbroken|unrestricted"
        r"|uncensored)\b.{0,25}(?:$|\bno\b|\bwithout\b|\bwould\b|\band\b)",
    ),
    (
        "persona",
        r"\b(?:developer|god|maintenance|admin|debug|jailbreak|unrestricted|dan) mode\b|\bjailbreak"
        r"|\bdo anything now, you",
    ),
    (
        "persona",
        r"\b(?:as|am|is) (?:your|the) (?:administrator|developer|creator|operator)\b|\bstop being "
        r"a\b.*\bbecome\b",
    ),
    (
        "reveal",
        r"\b(?:reveal|print|show|repeat|output|tell|display|write|translate|summari[sz]e|leak|dump|give"
        r"|share|expose|list)\b.{0,30}\b(?:your|system|hidden|initial|developer) (?:\w+ )?(?:<OWN>"
        r"|memor(?:y|ies)|configuration|rules)\b",
    ),
    (
        "reveal",
        r"\b(?:tell|give|show|print|reveal|leak|output|list|unmask|repeat|send)\b.{0,30}\b(?:api[ "
        r"-]?keys?|access tokens?|the password|environment variables|credentials|passwords you|every "
        r"file|all files|context window|everything above|words above|text above|the text of your)\b",
    ),
    (
        "reveal",
        r"\b(?:send|e-?mail|forward|upload|dump|export|post|leak|exfiltrate)\b(?: \w+){0,2}? (?:all"
        r"|every|the list of|your|the) (?:of )?(?:the |my |our |these )?(?:<MIND>|notes?|logs?) ?(?:of "
        r"this house |in your memory )?(?:to|and|at|for)\b",
    ),
    (
        "persona",
        r"\b(?:stays?|remain) in character\b|\bnever refuses?\b|\blarge language model\b|\breply to "
        r"every prompt\b",
    ),
    (
        "mass",
        r"\b(?:delete|erase|wipe|clear|mark|expire|archive|overwrite|forget|change|confirm|activate"
        r"|remove|drop|export|reset) (?:all|every|each|any|your)(?: (?:of|the|my|our|your|pending"
        r"|stored|other|single|waiting)){0,2} <MIND>\b",
    ),
    (
        "mass",
        r"\b(?:delete|erase|forget|wipe) every(?:thing| note)(?: that)? (?:you|and start)\b|\bwipe "
        r"your\b",
    ),
    (
        "tool",
        r"(?:^|[.!?:,] )(?:please )?(?:call|invoke|run|execute|trigger) (?:the )?(?:\w+[ "
        r"_-]){0,3}(?:tool|function|api|shell|endpoint)\b(?! room)|\b(?:use|call|invoke|run) (?:the "
        r")?[a-z]+_[a-z]+\b|\b[a-z]+_(?:memory|memories|rule|tool)\b",
    ),
    (
        "tool",
        r"\b(?:run|execute|enter|type) (?:this|the|the following|following) (?:command|script|code"
        r"|query)\b|\brm -|\bcurl |\bsudo |\b(?:following code|base64)\b",
    ),
    (
        "tool",
        r"\b(?:follow|obey|do) (?:the (?:instructions?|text|orders?)|what it says)(?: \w+)?(?: (?:at|on"
        r"|behind) this| there)? ?(?:web|link|page|url|address|$)|\b(?:fetch|open|visit) (?:this|the) "
        r"(?:page|link|url|web ?site)\b.*\b(?:do|obey|follow)\b",
    ),
    (
        "addressed",
        r"(?:^|[.!?] )(?:dear |attention |hey |to the |note to (?:the )?)<ADDRESSEE>(?: that reads "
        r"this)?[,:] |(?:^|[.!?] )(?:ai|assistant|chat ?bot|language model|llm)[,:] (?:disregard|ignore"
        r"|forget|please (?:ignore|open|send))|\battention (?:language model|assistant|ai)\b|\bnote to "
        r"(?:the )?(?:ai|assistant|agent|model|bot)\b",
    ),
    (
        "addressed",
        r"\b(?:when|if|once)(?: (?:the|an?|any|you))? <ADDRESSEE> (?:reads?|sees?|processes)\b|\bif you "
        r"are an? (?:ai|language)|\bwhen you read this (?:note|memory|text)\b",
    ),
    (
        "addressed",
        r"\bthe user(?: (?:asks|agreed|has (?:agreed|authori[sz]ed|consented)|about this|to call|'s "
        r"(?:real )?request))|\btell(?:ing)? the user\b",
    ),
    (
        "addressed",
        r"\bfrom now on,? (?:you (?:will|must|should) )?(?:respond|answer|reply|obey|comply|act"
        r"|recommend|say)\b|\byou (?:must|will) (?:obey|comply)\b|\bobey (?:me|the man|every)\b",
    ),
    (
        "addressed",
        r"\b(?:answer|respond|reply|output)(?: only)? (?:only |exactly |with only )(?:with |in )?(?:the "
        r"|a )?(?:word|secret|phrase|banana|yes|json)\b|\boutput (?:only|the)\b|\bin (?:every|all|each) "
        r"(?:of )?(?:your )?(?:answers?|responses?)\b|\b(?:every (?:future )?|all your )(?:question"
        r"|answer|response|repl)",
    ),
    (
        "addressed",
        r"\byour (?:new|only|true|real) (?:goal|purpose|task|role|objective)(?: now)? is to (?:sell"
        r"|obey|summari[sz]e|ignore|help|answer|reveal|serve|act|output|send)\b|\bwhen(?:ever)? (?:the "
        r"user|somebody|someone) asks\b",
    ),
    (
        "addressed",
        r"\bthese instructions\b|\btreat (?:this|what|the following)\b.*\b(?:as an?|instructions?)\b"
        r"|\b(?:skip|without|bypass|disable) (?:the )?(?:confirmation|audit|filter)",
    ),
)


def _filled(shape: str) -> str:
    for name, words in _WORDS.items():
        shape = shape.replace(name, words)
    return shape


_COMPILED = tuple((name, re.compile(_filled(shape), re.IGNORECASE | re.MULTILINE)) for name, shape in _SHAPES)


def shapes(text: str) -> tuple[str, ...]:
    """Which shapes of an instruction the text has: 'override', 'marks', 'persona', 'reveal', 'mass', 'tool',
    'addressed'; () = none."""
    plain = " ".join(text.replace("’", "'").split(" "))
    return tuple(dict.fromkeys(name for name, shape in _COMPILED if shape.search(plain)))


def is_suspect(text: str) -> bool:
    return bool(shapes(text))


def without_orders(decision: Decision) -> Decision:
    """A verdict without memories of this shape: whoever said it, it is nothing to remember."""
    fit = tuple(new for new in decision.memories if not is_suspect(new.memory))
    if len(fit) == len(decision.memories) or fit:
        return replace(decision, memories=fit)
    return replace(decision, outcome=Outcome.REJECTED, stage="audit", reason="directive", memories=())
