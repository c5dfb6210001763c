"""What the API gives of reminders to come."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel


class ComingReminderOut(BaseModel):
    memory: str
    text: str
    remind_at: datetime
    begins_at: datetime
    all_day: bool
    by_rule: bool
    """A rule of the household made it earlier."""


class RemindersOut(BaseModel):
    reminders: list[ComingReminderOut]
