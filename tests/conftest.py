"""Hypothesis profiles: `default` for every run, `prove` for a long one, `find` to meet a failure without
waiting for its shrinking. HYPOTHESIS_PROFILE chooses.
"""

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

SLOW_INPUT = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "default",
    max_examples=60,
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
settings.register_profile(
    "find",
    settings.get_profile("default"),
    max_examples=100,
    derandomize=False,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = "prove" in config.option.markexpr or os.environ.get("HYPOTHESIS_PROFILE") == "prove"
    for item in items:
        if item.get_closest_marker("prove") and not wanted:
            item.add_marker(
                pytest.mark.skip(reason="a proof: -m prove, or HYPOTHESIS_PROFILE=prove")
            )
