"""Impressions: a feeling tied to a thing, a stable trait. Opt-in, about named adults alone, apart from facts.

An impression holds no words of its own but a correction by hand: it points into transcripts of kept memories.
"""
