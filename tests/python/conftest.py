import os

from hypothesis import settings

settings.register_profile("foldline", max_examples=int(os.environ.get("FOLDLINE_TEST_CASES", "150")), deadline=None)
settings.load_profile("foldline")
