"""Settings that hold for the whole suite."""

from hypothesis import HealthCheck, settings

# No deadlines: the machine may be shared. A failing example is printed so that it can be replayed.
settings.register_profile(
    "mmeval_like",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mmeval_like")
