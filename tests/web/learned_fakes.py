"""What weeks with a household leave beside its memories: a habit that is due, rules, an impression."""

from __future__ import annotations

from datetime import timedelta

from web.web_fakes import BERLIN, Site

from junod.habits.learn import HabitLearner
from junod.persona.learn import PersonaLearner
from junod.sections import HabitsSettings, PersonaSettings

WANTED = PersonaSettings(enabled=True, people=("Sylvie",))
COFFEE = "You usually buy coffee every 9 days; it has been 11."


def coffee_is_due(site: Site) -> None:
    """Coffee was put on the list every nine days, five times; the last time is eleven days ago."""
    now = site.clock.now()
    for days in (47, 38, 29, 20, 11):
        site.clock.set_wall(now - timedelta(days=days))
        bought = site.say("Shopping list:\n- coffee")
        site.clock.advance(86_400)
        site.store.archive(site.store.done(bought.id).id)
    site.clock.set_wall(now)
    HabitLearner(site.store.sessions, HabitsSettings(), BERLIN, "kitchen").run(now)


def rule_said(site: Site, words: str = "never put nuts on the list") -> str:
    """A proposal by voice; returns its id."""
    return site.house.rules.propose(words, source="voice").rule.id


def sylvie_dreads_the_dentist(site: Site) -> None:
    """Borne out on two days, where the household wants impressions: see `WANTED`."""
    for days in (3, 1):
        site.say("Dentist on Friday", timedelta(days=days), transcript="and Sylvie dreads the dentist, you know")
        PersonaLearner(site.store.sessions, WANTED).run()
