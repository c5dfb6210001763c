"""The real detector: webrtcvad before silero. Imports both, so only what composes the daemon imports this."""

from __future__ import annotations

from junod.sections import VadSettings
from junod.vad.activity import VoiceActivity
from junod.vad.detector import SpeechDetector
from junod.vad.silero import SileroJudge
from junod.vad.webrtc import WebRtcGate


def voice_activity(settings: VadSettings) -> VoiceActivity:
    """Raises ModelError where silero's network is missing."""
    return VoiceActivity(settings, SpeechDetector(settings, WebRtcGate(settings.webrtc_mode), SileroJudge()))
