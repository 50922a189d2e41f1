"""One site of the book and of both references: docs/site/build makes it. Sphinx, since it is the one program that reads the chapters as they are (MyST),
makes the Python reference of the docstrings, checks every link, and has a search that needs no server; MkDocs needs plug-ins for each and has no check of
objects. Of the C++ headers Doxygen knows most: its pages lie beside, in cpp/.
"""
import importlib.util
import pathlib
import re
import sys
import types

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

project, author = "foldline", "the foldline authors"
release = re.search(r"VERSION ([0-9.]+)", (HERE.parents[1] / "CMakeLists.txt").read_text())[1]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
exclude_patterns = ["generator", "plots", "pictures"]
html_theme = "furo"
html_title = f"foldline {release}"
html_show_sphinx = html_copy_source = False
highlight_language = "none"
default_role = "code"
myst_heading_anchors = 4
autodoc_docstring_signature = True
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False


def stand_in_for_torch():
    """foldline.torch is described where PyTorch is not installed: whatever it names is a type, and its decorators give back what they decorate."""

    class Operator:
        def __getattr__(self, name):
            return lambda *arguments, **options: arguments[0] if arguments else (lambda f: f)

    for name in ("torch", "torch.distributed"):
        module = sys.modules[name] = types.ModuleType(name)
        module.__getattr__ = lambda attribute, name=name: type(attribute, (), {"__module__": name})
        module.__path__ = []
    torch = sys.modules["torch"]
    torch.distributed = sys.modules["torch.distributed"]
    torch.futures = types.SimpleNamespace(Future=type("Future", (), {"__module__": "torch", "__class_getitem__": classmethod(lambda of, _: of)}))
    torch.autograd = types.SimpleNamespace(Function=type("Function", (), {"apply": None}))
    torch.library = types.SimpleNamespace(custom_op=lambda *arguments, **options: lambda f: Operator())


if importlib.util.find_spec("torch") is None:
    stand_in_for_torch()
autodoc_mock_imports = [name for name in ("dask", "mpi4py") if importlib.util.find_spec(name) is None]


def as_sphinx_reads_it(app, name, source):
    """Without marks of figures, and without links out of docs/; the first page has the list of chapters."""
    text = re.sub(r"<!--.*?-->", "", source[0], flags=re.DOTALL)
    text = re.sub(r"\[([^][]*)\]\((?:\.\./)+(?!docs/)[^)]*\)", lambda m: m[1] if leaves(app, name, m[0]) else m[0], text)
    if name == "site/python-reference":
        text = text.replace("the functions and classes of foldline", members_of_foldline())
    if name == root_doc:
        chapters = re.findall(r"^\| \[[^]]*\]\(([^)]*)\.md\) \|", text, flags=re.MULTILINE)
        text += toctree(["site/python-reference", "site/cpp-reference", *chapters])
    elif (pathlib.Path(app.srcdir) / name).name == "README" and "/" in name:
        folder = (pathlib.Path(app.srcdir) / name).parent
        text += toctree(sorted(path.stem for path in folder.glob("*.md") if path.stem != "README"))
    source[0] = text


def members_of_foldline():
    """Directives for each: autodoc does not see by itself that what nanobind makes are functions."""
    import foldline

    lines = []
    for name in foldline.__all__:
        thing = getattr(foldline, name)
        if not isinstance(thing, type):
            lines.append(f".. autofunction:: foldline.{name}")
            continue
        lines.append(f".. autoclass:: foldline.{name}\n")
        for member, value in vars(thing).items():
            if not member.startswith("_"):
                lines.append(f"   .. {'autoproperty' if isinstance(value, property) else 'automethod'}:: foldline.{name}.{member}\n")
    return "\n".join(lines)


def leaves(app, name, link):
    target = re.search(r"\(([^)#]*)", link)[1]
    return not ((pathlib.Path(app.srcdir) / name).parent / target).resolve().is_relative_to(pathlib.Path(app.srcdir).resolve())


def toctree(pages):
    return "\n\n```{toctree}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n"


def setup(app):
    app.connect("source-read", as_sphinx_reads_it)
