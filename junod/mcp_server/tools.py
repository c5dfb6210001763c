"""The tools an assistant may call. Their docstrings and field descriptions are what its model reads: short, plain."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from junod.assembly.house import House
from junod.assembly.reminders import begins, coming_reminders, reminder_row
from junod.assembly.spoken import checked_source
from junod.audit import is_suspect
from junod.errors import ModelError, UsageError
from junod.mcp_server.answers import Teller, answer
from junod.memory import verbs
from junod.memory.context import checked_budget, tokens
from junod.memory.embedder import Embedder
from junod.memory.links import LinkedContext, context_with_links, share_of_found, with_links
from junod.memory.rows import Filter
from junod.memory.search import SearchMode, SearchRequest
from junod.memory.telling import DATA_NOTE, moment, untrusted
from junod.persona.share import impressions_for
from junod.persona.verbs import trait_row
from junod.records import ROOMS
from junod.rules.apply import with_tag
from junod.rules.finding import found_by_rules

Mode = Literal["hybrid", "semantic", "chronological"]
WORDS_ALONE = "(The model of meaning is not there: this was searched by words alone. `junod models pull` gets it.)"


def _or(default: Any) -> BeforeValidator:
    """Small models write null where they mean nothing."""
    return BeforeValidator(lambda value: default if value is None else value)


Which = Annotated[str, Field(description="The id of the memory (best), or words that stand in it: 'dentist Leo'.")]
Room = Annotated[str, _or(""), Field(description="Only this room: kitchen, living_room or bedroom. Empty: all.")]
Device = Annotated[str, _or(""), Field(description="Only from this device, by its name. Empty: all.")]
Source = Annotated[str, _or(""), Field(description="Only of this source: voice, manual, merge or done. Empty: all.")]
OfTag = Annotated[str, _or(""), Field(description="Only with this tag of the household's rules. Empty: all.")]
Since = Annotated[
    str, _or(""), Field(description="Spoken from then on: 'today', 'last week', 'Monday' or '2026-03-24'. Empty: ever.")
]
Until = Annotated[
    str, _or(""), Field(description="Spoken up to the end of that: 'yesterday', 'last week', '2026-03-24'. Empty: now.")
]


def _room(name: str) -> str | None:
    """The room meant by 'Living room'; None for none.

    Raises:
        UsageError: there is no such room, so that finding nothing in it would mislead.
    """
    if not name.strip():
        return None
    room = "_".join(name.lower().removeprefix("the ").replace("_", " ").split())
    if room not in ROOMS:
        raise UsageError(f"There is no room '{name[:40]}'.", hint=f"Rooms: {', '.join(ROOMS)}.")
    return room


class Tools:
    """One household's tools. Each runs in a worker thread of the SDK; the store is safe to share."""

    def __init__(self, house: House) -> None:
        self._house = house

    def recall_memory(
        self,
        query: Annotated[str, _or(""), Field(description="What to look for, in plain words: 'spare key'.")] = "",
        mode: Annotated[
            Mode,
            _or("hybrid"),
            Field(description="hybrid: best match. semantic: by meaning only. chronological: oldest first."),
        ] = "hybrid",
        since: Since = "",
        until: Until = "",
        limit: Annotated[int, _or(5), Field(description="At most so many memories.")] = 5,
        room: Room = "",
        device: Device = "",
        source: Source = "",
        tag: OfTag = "",
    ) -> CallToolResult:
        """Search what the household said and wanted remembered. Use this to answer questions about the home.

        For 'what did we talk about last week' leave query empty, mode chronological, since and until 'last week'.
        """
        begin, end = self._house.spoken_range(since, until)
        ranked = SearchMode.CHRONOLOGICAL if not query.strip() and (begin or end) else SearchMode(mode)
        request = SearchRequest(
            query, ranked, limit, begin, end, _room(room), device.strip() or None, checked_source(source.strip())
        )
        embedder, note = self._embedder(needed=bool(query.strip()), must=ranked is SearchMode.SEMANTIC)
        store, now = self._house.store, self._house.clock.now()
        hits = found_by_rules(
            lambda each: verbs.find(store, each, embedder=embedder, now=now), request, self._house.rules.active()
        )
        memories = with_tag((hit.memory for hit in hits), tag, self._house.rules.active())
        return self._teller().found(memories, none="Nothing that is remembered answers this.", note=note)

    def store_memory(
        self,
        text: Annotated[str, Field(description="The memory, one plain sentence: 'The bins go out on Tuesday'.")],
        until: Annotated[
            str,
            _or(""),
            Field(description="When it ends and is erased: 'tomorrow at 17:00', 'Friday'. Empty: it stays."),
        ] = "",
    ) -> CallToolResult:
        """Remember something, because a person asked for it. Write dates out: '31 March 2026', not 'tomorrow'.

        Passwords and codes are masked.
        """
        if is_suspect(text):
            raise UsageError(
                "This has the shape of an instruction to a program.", hint="Ask the person to write it down themselves."
            )
        ends_at = self._house.end_moment(until) if until.strip() else None
        memory, is_new = verbs.remember(self._house.store, self._house.written(text, ends_at))
        if is_new:
            return self._teller().changed("Remembered", memory)
        return answer(f"This was remembered already: {self._teller().line(memory)}", changed=False)

    def list_memories(
        self,
        room: Room = "",
        since: Since = "",
        until: Until = "",
        limit: Annotated[int, _or(20), Field(description="At most so many memories.")] = 20,
        device: Device = "",
        source: Source = "",
        tag: OfTag = "",
    ) -> CallToolResult:
        """List what is remembered, the last spoken first. To look for something special use recall_memory."""
        begin, end = self._house.spoken_range(since, until)
        wanted = Filter(_room(room), device.strip() or None, checked_source(source.strip()), begin, end)
        listed = self._house.store.list(wanted, limit=None if tag.strip() else limit)
        memories = with_tag(listed, tag, self._house.rules.active(), limit)
        more = self._house.store.counts().active - len(memories) if wanted == Filter() and not tag.strip() else 0
        note = f"({more} more are remembered.)" if more > 0 else ""
        return self._teller().found(memories, none="Nothing is remembered.", note=note)

    def complete_memory(self, which: Which) -> CallToolResult:
        """Mark something as done: it is struck through. If several memories fit, it answers with the choices."""
        found = verbs.pick(self._house.store, which, undone=True)
        if isinstance(found, verbs.Choices):
            return self._teller().choices(found, "changed")
        return self._teller().changed("Done", self._house.store.done(found.id))

    def forget_memory(self, which: Which) -> CallToolResult:
        """Forget a memory, with its history. Only if a person asked for it.

        For a minute undo_change with its id brings it back; then it is erased for good. If several memories fit,
        nothing is forgotten and it answers with the choices.
        """
        found = verbs.pick(self._house.store, which)
        if isinstance(found, verbs.Choices):
            return self._teller().choices(found, "forgotten")
        self._house.store.erase_forgotten()
        forgetting = verbs.forget(self._house.store, found.id, grace_s=self._house.forget_grace_s)
        return self._teller().forgotten(found, forgetting)

    def undo_change(self, which: Which) -> CallToolResult:
        """Take back the last change of a memory: done, corrected, merged or forgotten. Give the id of the memory."""
        found = verbs.pick(self._house.store, which, forgotten=True)
        if isinstance(found, verbs.Choices):
            return self._teller().choices(found, "changed")
        undone = verbs.undo(self._house.store, found.id, grace_s=self._house.forget_grace_s)
        if undone.forgetting:
            return self._teller().forgotten(found, undone.forgetting)
        return self._teller().taken_back(undone)

    def memory_history(self, which: Which) -> CallToolResult:
        """Show how a memory came about: older versions, what replaced what, and the words that were heard."""
        found = verbs.pick(self._house.store, which)
        if isinstance(found, verbs.Choices):
            return self._teller().choices(found, "shown")
        lineage = self._house.store.history(found.id)
        teller = self._teller()
        return answer(teller.lineage(lineage), memories=[teller.row(memory) for memory in lineage])

    def memory_context(
        self,
        text: Annotated[str, _or(""), Field(description="What the person is talking about now.")] = "",
        max_tokens: Annotated[
            int | None, Field(description="At most so many tokens of text. Empty: as the household set it.")
        ] = None,
    ) -> CallToolResult:
        """Get what is most useful for this conversation, with dates: five memories and what they link to.

        Call it once at the start. Without text: what bears on what is being said in the room right now; if nobody
        spoke within the last minute, what comes up this week and what was noted last.
        """
        house, now = self._house, self._house.clock.now()
        limit = house.links_settings.budget_tokens if max_tokens is None else max_tokens
        found = self._bearing_on(text, limit)
        facts, linked = found.found.memories, [each.memory for each in found.linked]
        block, impressions = impressions_for(
            found.text,
            len(facts) + len(linked),
            text,
            house.persona.list(now),
            house.persona_settings,
            limit - tokens(found.text),
        )
        return answer(
            f"{found.text}{block}" or "Nothing that is remembered bears on this.",
            memories=[self._teller().row(memory) for memory in facts],
            linked=[self._teller().row(memory) for memory in linked],
            impressions=[trait_row(trait, house.zone) for trait in impressions],
            pruned=found.pruned,
        )

    def now_said(self) -> str:
        """What is remembered that bears on what is being said in the room right now."""
        talk = self._house.talk.context(self._house.links_settings.budget_tokens)
        if talk is None:
            return "Nobody has spoken within the last minute."
        return talk.found.text or "Nothing that is remembered bears on what is being said."

    def shopping_list(self) -> str:
        """What is to be bought, over all shopping lists."""
        items = [untrusted(item.text) for item in verbs.shopping_list(self._house.store) if not item.is_done]
        return "\n".join([DATA_NOTE, "", "# Shopping list", *(f"- {item}" for item in items or ["(nothing)"])])

    def coming_week(self) -> str:
        """Appointments, events and reminders of the next seven days, the soonest first."""
        coming = verbs.coming(self._house.store, self._house.clock.now())
        lines = [f"- {self._teller().line(memory)}" for memory in coming]
        return "\n".join([DATA_NOTE, "", "# The coming week", *(lines or ["- (nothing)"])])

    def list_reminders(
        self, days: Annotated[int, _or(7), Field(description="So many days ahead, at most 366.", ge=1, le=366)] = 7
    ) -> CallToolResult:
        """List what the device in the kitchen will remind of, and when. To add one, store_memory with its time."""
        found, zone = coming_reminders(self._house, days), self._house.zone
        lines = [
            f"- {untrusted(each.text)} [reminded {moment(each.at.astimezone(zone))}; for {begins(each)}; "
            f"id {each.memory_id[-8:]}]"
            for each in found
        ]
        return answer(
            "\n".join([DATA_NOTE, *lines]) if found else "Nothing is to be reminded of.",
            reminders=[reminder_row(each, zone) | {"text": untrusted(each.text)} for each in found],
        )

    def _bearing_on(self, text: str, limit: int) -> LinkedContext:
        """What bears on a text; without one on what is being said; without that, what is near in time."""
        house, now = self._house, self._house.clock.now()
        talk = None if text.strip() else house.talk.context(checked_budget(share_of_found(limit)))
        if talk is not None:
            return with_links(
                house.store, talk.found, talk.words, now=now, zone=house.zone, settings=house.links_settings,
                budget_tokens=limit,
            )  # fmt: skip
        embedder, _ = self._embedder(needed=bool(text.strip()), must=False)
        return context_with_links(
            house.store, text, embedder=embedder, now=now, zone=house.zone, settings=house.links_settings,
            budget_tokens=limit,
        )  # fmt: skip

    def _teller(self) -> Teller:
        return Teller(self._house.clock.now(), self._house.zone, self._house.rules.active())

    def _embedder(self, *, needed: bool, must: bool) -> tuple[Embedder | None, str]:
        """The model of meaning, or None with a note for the answer.

        Raises:
            ModelError: it must be there and is not.
        """
        if not needed:
            return None, ""
        try:
            return self._house.embedder(), ""
        except ModelError:
            if must:
                raise
            return None, WORDS_ALONE
