"""The types that are declared: right for a user's script, and of all that there is."""
import ast
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

import foldline as fl

HERE = pathlib.Path(__file__).parent


def run(*command):
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["typed_user.py", "typed_torch_user.py"])
def test_a_users_script(tmp_path, name):
    if "torch" in name:
        pytest.importorskip("torch")
    run("mypy", "--strict", "--warn-unused-ignores", "--cache-dir", str(tmp_path), str(HERE / name))


@pytest.mark.parametrize("name", ["typed_user.py", "typed_torch_user.py"])
def test_a_users_script_by_pyright(tmp_path, name):
    pytest.importorskip("pyright")
    if "torch" in name:
        pytest.importorskip("torch")
    shutil.copy(HERE / name, tmp_path)
    # An ignored error that is none is an error, so that the wrong calls of the script are known to be found.
    settings = {"enableTypeIgnoreComments": True, "reportUnnecessaryTypeIgnoreComment": "error"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    run("pyright", "--project", str(tmp_path), "--pythonpath", sys.executable)


def arguments(function):
    """Names, kinds and defaults, without annotations."""
    a = function.args
    return [[x.arg for x in part] for part in (a.posonlyargs, a.args, a.kwonlyargs)], [
        ast.unparse(x) for x in (*a.defaults, *(d for d in a.kw_defaults if d is not None))]


def test_declarations_are_of_what_there_is():
    body = ast.parse((pathlib.Path(fl.__file__).parent / "_core.pyi").read_text()).body
    declared = {d.name: d for d in body if isinstance(d, (ast.FunctionDef, ast.ClassDef)) and not d.name.startswith("_")}
    assert set(declared) == set(fl.__all__)
    for name, declaration in declared.items():
        if isinstance(declaration, ast.ClassDef):
            members = {m.name for m in declaration.body if isinstance(m, ast.FunctionDef)}
            assert all(hasattr(getattr(fl, name), member) for member in members)
            assert {m for m in vars(getattr(fl, name)) if not m.startswith("_")} <= members
        else:
            signature = getattr(fl, name).__doc__.splitlines()[0]
            assert arguments(declaration) == arguments(ast.parse(f"def {signature}: ...").body[0]), name
