"""Redaction: what must never be stored is replaced by a mask before anything is written or shown to a model."""
