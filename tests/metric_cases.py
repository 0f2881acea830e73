"""The cases of all metrics, by name: the next file of cases is one more line."""

from tests import test_core_laws
from tests.metrics import (
    test_bleu,
    test_char_recall_precision,
    test_hmean_iou,
    test_rouge,
    test_word_accuracy,
)

CASES = {
    **test_core_laws.CASES,
    **test_bleu.CASES,
    **test_char_recall_precision.CASES,
    **test_hmean_iou.CASES,
    **test_rouge.CASES,
    **test_word_accuracy.CASES,
}
