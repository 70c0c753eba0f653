"""The package as users get it: the wheel of the source archive, in an environment with only what it requires."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

pytest.importorskip("scikit_build_core", reason="what builds the wheel is not installed")

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "hypertorus"
HEADERS = {f"hypertorus/export/c/{path.name}" for path in (ROOT / "native").glob("hypertorus*.h")}
NOT_SOURCE = shutil.ignore_patterns(
    ".venv", ".git", "build", "dist", ".*_cache", ".hypothesis", "__pycache__", "results"
)

pytestmark = [
    pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake"),
    pytest.mark.skipif(sys.platform == "win32", reason="dependencies are linked into the environment"),
]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The source archive, unpacked."""
    folder = tmp_path_factory.mktemp("archive")
    shutil.copytree(ROOT, folder / "tree", ignore=NOT_SOURCE)
    build("sdist", folder / "tree", folder)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as packed:
        packed.extractall(folder, filter="data")
    return next(path for path in folder.glob("hypertorus-*") if path.is_dir())


@pytest.fixture(scope="module")
def wheel(archive, tmp_path_factory):
    """The wheel of the archive; not optimised, which takes a fifth of the time."""
    folder = tmp_path_factory.mktemp("wheel")
    build("wheel", archive, folder, {"cmake.build-type": "Debug", "build-dir": str(folder / "cmake")})
    return next(folder.glob("*.whl"))


def build(kind, source, out, settings=None):
    code = f"import scikit_build_core.build as backend; backend.build_{kind}({str(out)!r}, {settings!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """The folder of the commands of a new environment with the wheel and what it requires, and nothing else."""
    folder = tmp_path_factory.mktemp("empty") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--no-compile"]
    subprocess.run([*install, "--quiet", wheel], check=True)
    packages = next((folder / "lib").glob("python*/site-packages"))
    with zipfile.ZipFile(wheel) as packed:
        named = next(name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        required = re.findall(r"^Requires-Dist: (.+)$", packed.read(named).decode(), flags=re.MULTILINE)
    link_required(required, packages)
    return folder / "bin"


def link_required(required, packages):
    """Link what is required, and what that requires, from the environment of the tests."""
    names, known = list(required), set()
    while names:
        requirement = Requirement(names.pop())
        if requirement.name in known or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        known.add(requirement.name)
        found = metadata.distribution(requirement.name)
        assert requirement.specifier.contains(found.version), requirement
        names += found.requires or []
        for top in {Path(file).parts[0] for file in found.files} - {"..", "__pycache__"}:
            (packages / top).symlink_to(found.locate_file(top))


def run(environment, *arguments, code=0, cwd=None):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE"))}
    command = [environment / arguments[0], *map(str, arguments[1:])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=clean)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if ".dist-info/" not in name}
    library = {name for name in held if re.fullmatch(r"hypertorus/search/(lib)?hypertorus\.(so|dylib|dll)", name)}
    files = {path.relative_to(PACKAGE.parent).as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    files = {name for name in files if "__pycache__" not in name and not name.endswith((".so", ".dylib", ".dll"))}
    assert len(library) == 1
    assert held == files | library | HEADERS


def test_an_index_is_made_and_searched_without_torch(environment, tmp_path):
    codes = np.random.default_rng(0).integers(256, size=(50, 16), dtype=np.uint8)
    np.save(tmp_path / "codes.npy", codes)
    assert run(environment, "hypertorus", "--version") == f"hypertorus {metadata.version('hypertorus')}\n"
    assert "fit-codes" in run(environment, "hypertorus", "--help")
    run(environment, "hypertorus", "index", "build", "codes.npy", "--out", "codes.index", cwd=tmp_path)
    said = run(environment, "hypertorus", "search", "codes.index", "codes.npy", "-k", "1", "--json", cwd=tmp_path)
    assert '"ids": [[0], [1], [2],' in said
    code = "import hypertorus as ht, numpy as np; ht.Index.open('codes.index').search(np.load('codes.npy'), 1)"
    code += "; from importlib.util import find_spec; print(find_spec('torch'))"
    assert run(environment, "python", "-c", code, cwd=tmp_path) == "None\n"


def test_a_tag_is_the_version_and_has_a_date(archive):
    def check(tag):
        command = ["make", "--silent", "--file", ROOT / "Makefile", "check-tag", f"TAG={tag}"]
        return subprocess.run(command, cwd=archive, capture_output=True, text=True, check=False)

    version, log = metadata.version("hypertorus"), archive / "CHANGELOG.md"
    assert "is not the version in src/hypertorus/__init__.py" in check("v99.0").stderr
    first = next(line for line in log.read_text().splitlines() if line.startswith("## "))
    log.write_text(log.read_text().replace(first, f"## {version}, unreleased"))
    assert f"CHANGELOG.md has no date for {version}" in check(f"v{version}").stderr
    log.write_text(log.read_text().replace(f"## {version}, unreleased", f"## {version}, 2031-02-03"))
    assert check(f"v{version}").returncode == 0


def test_every_extra_that_an_error_names_can_be_installed(wheel):
    with zipfile.ZipFile(wheel) as packed:
        facts = packed.read(next(name for name in packed.namelist() if name.endswith("/METADATA"))).decode()
        named = {
            extra
            for name in packed.namelist()
            if name.endswith(".py")
            for extra in re.findall(r'extra="(\w+)"', packed.read(name).decode())
        }
    assert len(named) > 8
    assert named <= set(re.findall(r"^Provides-Extra: (.+)$", facts, flags=re.MULTILINE))


def test_what_needs_no_extra_runs_and_the_rest_names_its_extra(environment, tmp_path):
    assert "pq8x4" in run(environment, "hypertorus", "quantisers", "--dim", 32)
    run(environment, "hypertorus", "chirps", "--out", "birds", "--species", 1, "--recordings", 2, cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.glob("birds/*/*")) == ["001.wav", "002.wav"]
    missing = [(["train", "digits", "--out", "model"], "train"), (["explore", "birds"], "explorer")]
    for command, extra in [
        *missing,
        (["sounds", "search", "birds"], "train"),
        (["embed", "m", "d", "--out", "o.npy"], "train"),
    ]:
        said = run(environment, "hypertorus", *command, code=1, cwd=tmp_path)
        assert said.endswith(f"run: pip install 'hypertorus[{extra}]'\n"), said
