"""The face for people: the server behind the touchscreen page."""
