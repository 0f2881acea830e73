"""What is said where a package is missing or too old: what needs it, and the command to run."""

import subprocess
import sys

import pytest

TABLE = "type('T', (), {'__arrow_c_stream__': 0})()"
# What is asked for, the package that is not there, and the error's text.
MISSING = [
    ("mm.integrations.attach", "ignite", "pip install pytorch-ignite"),
    ("mm.integrations.KerasMetrics", "keras", "pip install keras"),
    ("mm.integrations.BeamStates", "apache_beam", "pip install apache-beam"),
    ("mm.integrations.daft_states", "daft", "pip install daft"),
    ("mm.integrations.dask_states", "pandas", "pip install pandas"),
    ("mm.integrations.spark_states", "pyarrow", "pip install pyarrow"),
    ("mm.integrations.MetricsCallback", "lightning", "pip install lightning"),
    ("mm.integrations.MMEvalLike", "mmengine", "pip install mmengine"),
    ("mm.Accuracy()([1], [1]).to_pandas()", "pandas", "pip install pandas"),
    (f"mm.score({TABLE}, mm.Accuracy())", "pyarrow", "pip install 'mmeval-like[cli]'"),
]


@pytest.mark.parametrize(("wanted", "package", "command"), MISSING)
def test_the_error_names_the_package_and_the_command(wanted, package, command):
    """When it is asked for, and not before."""
    program = f"import sys; sys.modules['{package}'] = None; import mmeval_like as mm; {wanted}"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    last = done.stderr.splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: ")
    assert last.endswith(f" needs {package}: {command}")


@pytest.mark.parametrize(
    ("wanted", "package", "command"),
    [
        ("mm.integrations.attach", "ignite", "pip install --upgrade pytorch-ignite"),
        ("mm.integrations.KerasMetrics", "keras", "pip install --upgrade keras"),
        ("mm.integrations.MetricsCallback", "lightning", "pip install --upgrade lightning"),
    ],
)
def test_a_package_that_is_too_old_is_to_be_upgraded(wanted, package, command):
    """It is there, without the part that is needed of it."""
    program = (
        "import sys, types\n"
        f"sys.modules['{package}'] = types.ModuleType('{package}')\n"
        f"import mmeval_like as mm; {wanted}"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert last.endswith(f" needs a newer {package}: {command}")
