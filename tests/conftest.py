"""For all tests."""

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, nothing about junod.
settings.register_profile("patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
