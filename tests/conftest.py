"""For all tests."""

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, nothing about junod. The same code is tried with the same
# examples, so that a change that breaks nothing fails nowhere; `scripts/fuzz` looks for new ones.
settings.register_profile(
    "patient", settings(), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")
