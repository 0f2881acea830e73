"""MLflow: names of numbers that MLflow accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["mlflow_names"]


def mlflow_names(numbers: Mapping[str, float]) -> dict[str, float]:
    """Return numbers by names that `mlflow.log_metrics` accepts.

    MLflow rejects names such as "PCK@0.5" and "language=en_top1". In the names that are returned
    "@" is "_at_", and every other character that MLflow rejects is "_".

    Args:
        numbers: What `Result.flat` returned.

    Raises:
        ValueError: Two numbers get the same name.

    Example:
        >>> mlflow_names({"val/PCK@0.5": 0.75, "val/language=en_top1": 0.5})
        {'val/PCK_at_0.5': 0.75, 'val/language_en_top1': 0.5}
    """
    found: dict[str, float] = {}
    for name, value in numbers.items():
        accepted = re.sub(r"[^\w./ :-]", "_", name.replace("@", "_at_"))
        if accepted in found:
            raise ValueError(f"{name!r} and another name both become {accepted!r} in MLflow")
        found[accepted] = value
    return found
