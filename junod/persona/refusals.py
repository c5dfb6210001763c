"""What is never noted of anybody: anything clinical or diagnostic, guests and children, and talk of what is not (pure).

A sentence with one word of these is left out whole. That costs harmless ones ("a depressing film"), and is meant to.
"""

from __future__ import annotations

import re

CLINICAL = re.compile(
    r"\b(?:"
    r"depress\w*|anxi\w*|bipolar\w*|adhd|add|autis\w*|asperger\w*|ocd|ptsd|schizo\w*|psycho\w*|neuro\w*|narciss\w*|"
    r"borderline|mani[ac]\w*|trauma\w*|phobi\w*|panic\w*|paranoi\w*|hysteri\w*|delusion\w*|hallucinat\w*|dementia|"
    r"alzheimer\w*|senil\w*|demented|dyslexi\w*|bulimi\w*|anorexi\w*|insomnia\w*|suicid\w*|self[- ]harm\w*|addict\w*|"
    r"alcoholi\w*|drunk\w*|junkie|rehab|withdrawal|cancer|tumou?r\w*|hiv|aids|diabet\w*|epilep\w*|migraine\w*|"
    r"seizure\w*|chemo\w*|pregnan\w*|miscarr\w*|menopaus\w*|fertil\w*|therap\w*|counsell?\w*|psychiatr\w*|"
    r"diagnos\w*|symptom\w*|syndrome\w*|disorder\w*|disease\w*|illness\w*|condition|medicat\w*|medicine\w*|"
    r"antidepress\w*|pills?|tablets?|prescri\w*|dose|dosage|mental\w*|spectrum|breakdown|burn(?:ed|t)?[- ]?out|mood|"
    r"unstable|crazy|insane|mad|sick|ill|unwell|retarded|disab\w*|handicap\w*|stutter\w*|obese|overweight|fat|"
    r"hormon\w*|blood pressure"
    r")\b",
    re.IGNORECASE,
)
CLINICAL_SHAPE = re.compile(
    r"\b\w+(?:phobi[ac]|mania|itis|osis|emia|pathy|aholic|aholism|rexi[ac]|lexi[ac]|plegi[ac]|algia)\b"
    r"|\b(?:suffers?|suffering) from\b|\bcan'?t cope\b|\bon the (?:edge|verge)\b|\bloses? it\b|\btriggered\b"
    r"|\b(?:is|has been|'s|’s) on (?:something|meds)\b|\btypical(?:ly)? of (?:his|her|their)\b",
    re.IGNORECASE,
)
"""Words that are made like names of conditions, and phrases that explain a person."""
PRIVATE = re.compile(
    r"\b(?:sex\w*|gay|lesbian|bisexual|trans|affair|cheat\w*|divorc\w*|lover|virgin|naked|church|mosque|synagogue|"
    r"pray\w*|god|jesus|allah|religio\w*|atheis\w*|muslim\w*|jew\w*|christian\w*|catholic\w*|immigra\w*|racis\w*|"
    r"politic\w*|vot(?:e|es|ed|ing)|election\w*|union|salary|debt\w*|bankrupt\w*|prison|arrest\w*|police|crim\w*)\b",
    re.IGNORECASE,
)
"""What the law of many places protects above other data: belief, politics, orientation, money, crime."""
GUESTS_AND_CHILDREN = re.compile(
    r"\b(?:guests?|visitors?|neighbou?rs?|strangers?|cleaners?|nann(?:y|ies)|babysitters?|au pair|kids?|child|children|"
    r"bab(?:y|ies)|toddlers?|teenagers?|teens?|sons?|daughters?|grand(?:sons?|daughters?|kids?|child|children)|nephews?|"
    r"nieces?|little ones?|boys?|girls?|school|homework|nursery|kindergarten|classmates?)\b",
    re.IGNORECASE,
)
NOT_REAL = re.compile(
    r"\?|\b(?:if|whether|would|could|might|maybe|perhaps|probably|pretend\w*|imagine|suppose|as if|used to|not that|"
    r"joking|kidding|film|movie|series|episode|show|character|novel|song|lyrics|advert|tv|television|radio|podcast|"
    r"do you think|does|did|says?|said|told|asked|claims?|heard|apparently|everyone|nobody|unless|until)\b",
    re.IGNORECASE,
)
"""Questions, suppositions, hearsay, fiction."""


def is_refused(sentence: str) -> bool:
    """Whether nothing may be noted of anybody from this sentence."""
    return any(found.search(sentence) for found in (CLINICAL, CLINICAL_SHAPE, PRIVATE, GUESTS_AND_CHILDREN, NOT_REAL))


def is_diagnostic(text: str) -> bool:
    """Whether a wording, a correction by hand say, is clinical."""
    return bool(CLINICAL.search(text) or CLINICAL_SHAPE.search(text))
