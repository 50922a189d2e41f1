import os

from hypothesis import settings

settings.register_profile("foldline", max_examples=int(os.environ.get("FOLDLINE_TEST_CASES", "150")), deadline=None)
settings.load_profile("foldline")


def pytest_configure(config):
    config.addinivalue_line("markers", "thread_unsafe: changes what all threads share; pytest-run-parallel runs it in one")
