"""From a passage to the few things worth keeping."""
