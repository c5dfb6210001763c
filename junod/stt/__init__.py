"""Speech-to-text: the engine behind one protocol, and the guards that no engine's invention passes."""
