"""Dedup by superseding: what says the same becomes one memory, and nothing is lost or rewritten on the way."""
