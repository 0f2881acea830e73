"""Public names that are listed once, for type checkers, and loaded when a program first uses them.

A package lists its names as imports under `if TYPE_CHECKING:`. Type checkers and editors read
these lines as they are. At run time, the lines are not executed: `lazy_names` reads their text,
and imports the module of a name when the name is first accessed. A line is one of

    # Heading                                      what the names below it have in common
    from .roc import ROC, DETCurve                 names, and the module that defines them
    from .roc import ROC as ROC                    the same, where checkers want to see it exported
    from .metrics import *                         all the names that another package lists
    MAE = MeanAbsoluteError                        a deprecated name, and the one that replaces it

If there are too many names for one line, they continue on the next lines, in parentheses.
If a package imports all names of another one (`import *`), that package is a family: `dir` shows
the family instead of its names, or, if it lists families itself, these families.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["EVERYDAY", "Listing", "did_you_mean", "find_without_family", "lazy_names"]

EVERYDAY = {
    "f1": "FBetaScore", "fbeta_score": "FBetaScore", "mse": "MeanSquaredError",
    "mae": "MeanAbsoluteError", "rmse": "RootMeanSquaredError", "map": "COCODetection",
    "coco": "COCODetection", "wer": "WordErrorRate", "iou": "MeanIoU", "ece": "CalibrationError",
}  # fmt: skip
"""The classes of metrics by their everyday names, in lower case."""

# Other names that people try, in lower case without underscores, and without the task at the
# beginning or "score" at the end: an error suggests the class.
_MEANT = {other.replace("_", ""): name for other, name in EVERYDAY.items()} | {
    "acc": "Accuracy", "ap": "AveragePrecision", "ari": "AdjustedRandScore", "auc": "AUROC",
    "auprc": "AveragePrecision", "cer": "CharErrorRate", "chrf": "CHRFScore",
    "cocomap": "COCODetection", "confusionmatrixatthresholds": "MetricAtThresholds",
    "criticalsuccessindex": "ForecastContingency", "crossentropy": "LogLoss",
    "crps": "ContinuousRankedProbabilityScore", "d2absoluteerror": "D2PinballScore",
    "dcg": "RetrievalDCG", "demographicparity": "Fairness", "der": "DiarizationErrorRate",
    "eer": "EqualErrorRate", "em": "ExactMatch", "equalizedodds": "Fairness",
    "equalopportunity": "Fairness", "errorrelativeglobaldimensionlesssynthesis": "ERGAS",
    "f1macro": "FBetaScore", "f1micro": "FBetaScore", "f1score": "FBetaScore",
    "f1weighted": "FBetaScore", "fid": "FrechetInceptionDistance", "fmeasure": "FBetaScore",
    "homogeneitycompletenessvmeasure": "VMeasureScore", "kappa": "CohenKappa",
    "kid": "KernelInceptionDistance", "lpips": "LearnedPerceptualImagePatchSimilarity",
    "macrof1": "FBetaScore", "map50": "COCODetection", "mape": "MeanAbsolutePercentageError",
    "mase": "MeanAbsoluteScaledError", "mcc": "MatthewsCorrCoef", "meanap": "COCODetection",
    "meanaverageprecision": "COCODetection", "meangammadeviance": "TweedieDevianceScore",
    "meanpinball": "PinballLoss", "meanpoissondeviance": "TweedieDevianceScore",
    "memorizationinformedfrechetinceptiondistance": "MemorizationInformedFID",
    "metricframe": "Sliced", "microf1": "FBetaScore", "mota": "ClearMOT", "motp": "ClearMOT",
    "mrr": "RetrievalMRR", "msle": "MeanSquaredLogError", "ndcg": "RetrievalNormalizedDCG",
    "nll": "LogLoss", "nmi": "NormalizedMutualInfoScore",
    "pesq": "PerceptualEvaluationSpeechQuality", "ppl": "Perplexity", "ppv": "Precision",
    "pq": "PanopticQuality", "prauc": "AveragePrecision", "rocauc": "AUROC", "sacrebleu": "BLEU",
    "scaleinvariantsignaldistortionratio": "ScaleInvariantSDR", "sensitivity": "Recall",
    "sisdr": "ScaleInvariantSDR", "smape": "SymmetricMeanAbsolutePercentageError",
    "sourceaggregatedsignaldistortionratio": "SourceAggregatedSDR",
    "stoi": "ShortTimeObjectiveIntelligibility", "ter": "TranslationEditRate", "tnr": "Specificity",
    "top1": "Accuracy", "top5": "Accuracy", "topkaccuracy": "Accuracy", "tpr": "Recall",
    "truenegativerate": "Specificity", "truepositiverate": "Recall",
    "wape": "WeightedMeanAbsolutePercentageError", "weightedf1": "FBetaScore",
    "zeroone": "Accuracy",
}  # fmt: skip


# Names of modules and functions of other libraries, with advice.
_ADVICE = {
    "compare": "two systems are compared by Paired(metric), and files by `mmeval_like compare`",
    "functional": "a metric is called for the value of one batch: Accuracy()(predictions, labels)",
}


class Listing:
    """The names that a package lists.

    Args:
        package: The package's full name. Its parent packages are imported, but it is not.

    Attributes:
        modules: For each name, the full name of the module that defines it.
        deprecated: For each deprecated name, the name that replaces it.
        headings: For each heading, the names below it, in the order of the lines.
        families: The full name of each family, by its last part.
        shown: The names that `dir` shows: those outside families, and the families.
    """

    def __init__(self, package: str) -> None:
        self.modules: dict[str, str] = {}
        self.deprecated: dict[str, str] = {}
        self.headings: dict[str, list[str]] = {}
        self.families: dict[str, str] = {}
        self.shown: list[str] = []
        below: list[str] = []
        module = ""
        for line in _block(package):
            match line.split():
                case ["#", *words]:
                    below = self.headings.setdefault(" ".join(words), [])
                case ["from", whole, "import", "*", *_]:
                    other = Listing(package + whole)
                    self.modules |= other.modules
                    self.deprecated |= other.deprecated
                    self.families |= other.families or {whole.removeprefix("."): package + whole}
                    for heading, names in other.headings.items():
                        self.headings.setdefault(heading, []).extend(names)
                case [old, "=", new]:
                    self.deprecated[old] = new
                case words:
                    if words[:1] == ["from"]:
                        module, words = package + words[1].removesuffix("."), words[3:]
                    names = [word.strip("(,)") for word in words if word != "as"]
                    for name in filter(None, dict.fromkeys(names)):
                        self.modules[name] = module
                        below.append(name)
                        self.shown.append(name)
        self.shown += self.families

    def meant(self, name: str) -> list[str]:
        """Return the listed names that an unknown name may mean, at most three.

        No listed name begins with "_", and programs ask for such names by the thousand: `copy`,
        `inspect`, `pytest`. They mean none.

        Example:
            >>> listing = Listing("mmeval_like.metrics")
            >>> listing.meant("roc_auc_score"), listing.meant("MulticlassF1Score")
            (['AUROC'], ['FBetaScore'])
            >>> listing.meant("hamming_loss")
            ['HammingDistance']
        """
        if name.startswith("_"):
            return []
        known = {other.lower(): other for other in self.modules}
        known |= {old.lower(): new for old, new in self.deprecated.items()}
        whole = re.sub("^(binary|multiclass|multilabel)", "", name.lower().replace("_", ""))
        short = re.sub("(score|metric|loss|curve|difference|ratio)$", "", whole)
        for word in (whole, short):
            # The class F1Score has a name that most people use for another metric.
            found = _MEANT.get(word) or known.get(word)
            if found in self.modules:
                return [found]
        return _similar(short, known)


def _block(package: str) -> list[str]:
    """Return the lines of the package's source that are under `if TYPE_CHECKING:`."""
    spec: Any = importlib.util.find_spec(package)
    source: bytes = spec.loader.get_data(spec.origin)
    block = source.decode().partition("\nif TYPE_CHECKING:\n")[2].partition("\nelse:\n")[0]
    return block.splitlines()


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package that lists its names."""
    listing = Listing(package)

    def getattr_(name: str) -> Any:
        if name in listing.deprecated:
            new = listing.deprecated[name]
            text = f"{name} is deprecated: its name is {new}"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return getattr(sys.modules[package], new)
        module = listing.modules.get(name, package)
        if name in listing.families:
            return importlib.import_module(listing.families[name])
        if module != package:
            value = getattr(importlib.import_module(module), name)
        elif (value := _submodule(package, name)) is None:
            text = f"module {package!r} has no attribute {name!r}"
            hint = f"; {_ADVICE[name]}" if name in _ADVICE else _question(listing.meant(name))
            # With obj=None, Python adds no hint of its own when it prints the error.
            raise AttributeError(text + hint, name=name, obj=None)
        setattr(sys.modules[package], name, value)  # from now on an ordinary attribute
        return value

    def dir_() -> list[str]:
        return [*shown, *(name for name in vars(sys.modules[package]) if name.startswith("__"))]

    public = sorted(listing.modules)
    shown = sorted(listing.shown)
    return getattr_, dir_, public


def _submodule(package: str, name: str) -> Any:
    """Import and return a public module of the package; None if no module has this name."""
    if name.startswith("_"):
        return None
    try:
        return importlib.import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.{name}":
            raise
        return None


def find_without_family(package: str) -> None:
    """Allow modules of a package's families to be imported without the name of the family.

    `package.family.module` can then also be imported as `package.module`; both are the same module.
    """
    sys.meta_path.append(_WithoutFamily(package))


class _WithoutFamily:
    """An import finder that looks for missing modules in the families of a package."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec of a module of the package; None if no family has the module."""
        parent, _, last = name.rpartition(".")
        if parent != self._package:
            return None
        modules = Listing(parent).modules.values()
        found = next((module for module in modules if module.endswith(f".{last}")), None)
        return ModuleSpec(name, self, loader_state=found) if found else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system create the module that `exec_module` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace this module by the module of the family."""
        spec: Any = module.__spec__
        sys.modules[module.__name__] = importlib.import_module(spec.loader_state)


def did_you_mean(name: str, known: Iterable[str], replaced: dict[str, str] | None = None) -> str:
    """Return the end of an error message that names what the user may have meant.

    Args:
        name: The unknown name that the user wrote.
        known: The names that exist.
        replaced: Other spellings, each with the known name that it means.

    Returns:
        "; did you mean A, B?" with at most three names, or "" if no name is similar.

    Example:
        >>> did_you_mean("Acuracy", ["Accuracy", "F1Score"])
        '; did you mean Accuracy?'
        >>> did_you_mean("mse", ["MeanSquaredError"], {"MSE": "MeanSquaredError"})
        '; did you mean MeanSquaredError?'
    """
    meant = {other.lower(): other for other in known}
    meant |= {old.lower(): new for old, new in (replaced or {}).items()}
    return _question(_similar(name.lower(), meant))


def _similar(wanted: str, meant: dict[str, str]) -> list[str]:
    """Return at most three names whose keys, in lower case, are similar to a word."""
    import difflib  # slow to import, and only needed for errors

    found = [wanted] if wanted in meant else []
    found += difflib.get_close_matches(wanted, meant, 3, 0.7)
    found += [other for other in meant if wanted in other and len(wanted) > 1]
    return list(dict.fromkeys(meant[other] for other in found))[:3]


def _question(names: list[str]) -> str:
    return f"; did you mean {', '.join(names)}?" if names else ""
