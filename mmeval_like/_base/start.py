"""The file that starts ranks: `python start.py MODULE ...` is `python -m MODULE ...`, but safe.

`-m` puts the current folder first on `sys.path`, so that a `csv.py` that lies beside the
predictions would be run. For a file Python puts the file's own folder there instead, which is taken
away before anything is imported.
"""

import sys

__all__ = ["START"]

START = __file__

if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):
        del sys.path[0]

    import runpy
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path
    from typing import Any

    # The ranks run this package, also where another one is installed, or none.
    package = Path(__file__).parents[1]
    spec: Any = spec_from_file_location(package.name, package / "__init__.py")
    sys.modules[package.name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[package.name])
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
