"""Examples in docstrings print what they say."""
import doctest
import inspect
import pathlib

import pytest

import foldline as fl


def documented():
    yield "foldline", fl.__doc__
    for name in fl.__all__:
        thing = getattr(fl, name)
        yield name, thing.__doc__
        if isinstance(thing, type):
            for member in vars(thing):
                if not member.startswith("_"):
                    yield f"{name}.{member}", getattr(thing, member).__doc__


@pytest.mark.parametrize("name, text", list(documented()))
def test_examples(name, text):
    assert text, f"{name} has no docstring"
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example)
    assert result.failed == 0


@pytest.mark.parametrize("name", ["docs/python.md", "docs/tutorial.md", "README.md"])
def test_scripts_in_documents(name):
    text = (pathlib.Path(__file__).parents[2] / name).read_text()
    example = doctest.DocTestParser().get_doctest(text.replace("\n```", "\n\n"), {}, name, name, 0)
    assert len(example.examples) > 4
    assert doctest.DocTestRunner().run(example).failed == 0


def test_all_is_all():
    # Modules such as foldline.dask are there once something has imported them.
    public = {name for name, thing in vars(fl).items() if not name.startswith("_") and not inspect.ismodule(thing)}
    assert public - {"annotations"} == set(fl.__all__)
