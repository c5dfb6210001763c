"""Voice activity: energy, webrtcvad and silero judge frames; a pure segmenter cuts them into segments."""
