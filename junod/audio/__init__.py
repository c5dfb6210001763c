"""The ear: sound sources that yield 16 kHz mono frames, and the ring between a driver and its listener."""
