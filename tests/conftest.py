"""Hypothesis profiles: `default` for every run, `prove` for a long one. HYPOTHESIS_PROFILE chooses."""

import os

from hypothesis import HealthCheck, settings

SLOW_INPUT = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "default",
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=SLOW_INPUT,
)
settings.register_profile(
    "prove",
    max_examples=2_000,
    deadline=None,
    print_blob=True,
    suppress_health_check=SLOW_INPUT,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
