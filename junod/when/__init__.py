"""Spoken time -> absolute time. Pure: phrase, moment of speech and zone in, a `Resolution` out.

`numbers` reads tokens, `day_patterns` and `clock_patterns` recognise words, `atoms` collects them, `fold` makes one
expression, `calendar` finds its dates, `hours` its half of the day, `resolve` applies the household's rules. Of a whole
passage `spots` finds the days and hours, `candidates` what they may mean together, `signs` (with `spot_signs`,
`pair_signs`, `half_signs`) what speaks for each, and `choice` which is meant.
"""

from junod.when.choice import resolve_talk
from junod.when.completion import complete
from junod.when.phrases import TimePhrase, find_time_phrases
from junod.when.resolve import combine, resolve

__all__ = ["TimePhrase", "combine", "complete", "find_time_phrases", "resolve", "resolve_talk"]
