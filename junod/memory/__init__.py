"""The store: memories, their vectors and words, the spool of undecided passages and the journal."""
