"""One rank of `test_divided.py`: the row groups of a file, divided among real ranks."""

import sys

import mmeval_like as mm


def main(path: str, backend: str) -> None:
    """Compare what the ranks read together with what one reads alone."""
    asked = {"predictions": "p", "labels": "y", "by": "day"}
    for make in (mm.AUROC, mm.SpearmanCorrCoef, mm.R2Score):
        found = mm.score(path, make(dist_backend=backend), divided=True, **asked)
        alone = mm.score(path, make(), **asked)
        assert found == alone, (found, alone)
        assert found.samples == alone.samples
    try:
        lacking = f"{path}.none" if mm.get_dist_backend(backend).rank else path
        mm.score(lacking, mm.AUROC(dist_backend=backend), divided=True, **asked)
    except (FileNotFoundError, mm.RemoteError) as error:
        print("done", type(error).__name__, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
