"""Habits: what a household does again and again, seen from what happens to its memories, never from what is said.

A habit is no memory and becomes none. It holds no words of its own, only where they stand and when it happened.
"""
