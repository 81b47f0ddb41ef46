"""What is written down twice agrees, and a wheel that is installed alone works as the repository does."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import Specifier
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "statekit"
HISTORY = ROOT / "tests" / "data" / "histories" / "support-42.ndjson"

CONDA_NAMES = {"playwright": "playwright-python"}
"""Distributions that conda-forge has under another name."""

CONDA_ONLY = {"python", "pip"}
"""What a conda environment must name itself."""


@pytest.fixture(scope="session")
def project() -> dict[str, Any]:
    """The `project` table of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return table


def strictest(requirements: list[Requirement]) -> dict[str, set[str]]:
    """The bounds of each distribution; of several lower bounds only the highest counts."""
    bounds: dict[str, set[str]] = {}
    for requirement in requirements:
        bounds.setdefault(requirement.name, set()).update(map(str, requirement.specifier))
    return {name: drop_weaker(specifiers) for name, specifiers in bounds.items()}


def drop_weaker(specifiers: set[str]) -> set[str]:
    lower = [Specifier(text) for text in specifiers if text.startswith(">=")]
    weaker = sorted(lower, key=lambda specifier: Version(specifier.version))[:-1]
    return specifiers - set(map(str, weaker))


def test_of_two_lower_bounds_the_higher_one_counts() -> None:
    requirements = [Requirement("a>=2.2"), Requirement("a>=2.10,<3"), Requirement("b")]
    assert strictest(requirements) == {"a": {">=2.10", "<3"}, "b": set()}


def test_the_conda_environment_lists_the_dependencies_of_pyproject(project: dict[str, Any]) -> None:
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    declared = [Requirement(text) for one in lists for text in one if not text.startswith("statekit[")]
    expected = {CONDA_NAMES.get(name, name): bounds for name, bounds in strictest(declared).items()}

    lines = re.findall(r"^  - ([^:\s]+)$", (ROOT / "environment.yml").read_text(), re.MULTILINE)
    conda = {requirement.name: set(map(str, requirement.specifier)) for requirement in map(Requirement, lines)}
    channel = conda.pop("conda-forge")

    assert channel == set()
    assert conda["python"] == {project["requires-python"]}
    assert {name: bounds for name, bounds in conda.items() if name not in CONDA_ONLY} == expected


def test_the_version_stands_in_one_place(project: dict[str, Any]) -> None:
    assert "version" not in project
    assert project["dynamic"] == ["version"]
    written = [
        path.name for path in PACKAGE.rglob("*.py") if re.search(r"^__version__ = ", path.read_text(), re.MULTILINE)
    ]
    assert written == ["__init__.py"]


def test_ci_runs_the_test_command_of_the_readme_as_it_stands() -> None:
    commands = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(commands) == 2
    test_command = commands[1]
    assert test_command.endswith("/pytest\n")
    assert f"\n{test_command}" in (ROOT / ".ci" / "run").read_text()


def test_ci_stops_when_the_test_command_fails_anywhere(tmp_path: Path) -> None:
    script = (ROOT / ".ci" / "run").read_text()
    command = next(line for line in script.splitlines() if line.startswith("python3 -m venv"))
    # Each step of the command stands for a program that fails; what follows must not be reached.
    for failing in range(3):
        steps = ["false" if step == failing else "true" for step in range(3)]
        block = script[script.index("(\npython3") : script.index("\n)\n") + 3].replace(command, " && ".join(steps))
        run = subprocess.run(
            ["bash", "-c", f"set -euo pipefail\n{block}echo reached"], cwd=tmp_path, capture_output=True, text=True
        )
        assert (run.returncode, run.stdout) == (1, "")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the repository, built without the network by the hatchling of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel is installed, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(folder), str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def run_alone(installed: Path, cwd: Path, code: str) -> str:
    """What code prints that has the installed wheel and this environment's dependencies, and not the repository.

    Without the site module no .pth file puts the repository on the path.
    """
    libraries = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    start = f"import sys; sys.path[:0] = [{str(installed)!r}]; sys.path += {libraries!r}\n"
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", start + code]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    here = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == here
    assert "statekit/py.typed" in packed
    assert {Path(name).suffix for name in packed if name.startswith("statekit/widgets/static/")} >= {".js", ".css"}


def test_the_wheel_tells_its_version_licence_and_needs(wheel: Path, project: dict[str, Any]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(name))
        licence = archive.read(name.replace("METADATA", "licenses/LICENSE"))
    version = re.search(r'^__version__ = "(.+)"$', (PACKAGE / "__init__.py").read_text(), re.MULTILINE)
    assert version is not None
    assert metadata["Version"] == version[1]
    assert metadata["License-Expression"] == "Apache-2.0"
    assert licence == (ROOT / "LICENSE").read_bytes()
    always = [text for text in metadata.get_all("Requires-Dist") if "extra ==" not in text]
    assert sorted(always) == sorted(project["dependencies"])


def test_the_installed_wheel_reads_a_history(installed: Path, tmp_path: Path) -> None:
    code = f"""
import statekit
history = statekit.load_history({str(HISTORY)!r})
print(statekit.__file__)
print(len(history), history.value_at(statekit.Scope.THREAD, "refund/7719", 12))
"""
    place, answer = run_alone(installed, tmp_path, code).splitlines()
    assert Path(place) == installed / "statekit" / "__init__.py"
    assert answer == "36 {'amount': 100.0, 'method': 'voucher'}"


def test_the_installed_wheel_shows_a_history_with_its_own_front_end(installed: Path, tmp_path: Path) -> None:
    code = f"""
from importlib.resources import files
from statekit import load_history
from statekit.widgets import HistoryTable, ReplayStepper
history = load_history({str(HISTORY)!r})
print(HistoryTable(history).position, ReplayStepper(history).position)
for file in sorted(files("statekit.widgets").joinpath("static").iterdir(), key=lambda file: file.name):
    print(file)
"""
    positions, *found = run_alone(installed, tmp_path, code).splitlines()
    assert positions == "0 0"
    static = PACKAGE / "widgets" / "static"
    expected = sorted(path.name for path in static.iterdir())
    assert found == [str(installed / "statekit" / "widgets" / "static" / name) for name in expected]


def test_the_installed_wheel_has_the_command(installed: Path, tmp_path: Path) -> None:
    code = """
from importlib.metadata import distribution
import statekit
here = distribution("statekit")
(entry,) = here.entry_points.select(group="console_scripts")
print(entry.name, here.version == statekit.__version__, callable(entry.load()))
"""
    assert run_alone(installed, tmp_path, code) == "statekit True True\n"
