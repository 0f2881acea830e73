"""Text metrics: translations, summaries, answers, transcripts, and text in images."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Text and text recognition
    from .bleu import BLEU as BLEU
    from .google_bleu import GoogleBLEU as GoogleBLEU
    from .nist import NIST as NIST
    from .chrf import CHRFScore as CHRFScore
    from .translation_edit_rate import TranslationEditRate as TranslationEditRate
    from .rouge import ROUGE as ROUGE
    from .sari import SARI as SARI
    from .cider import CIDEr as CIDEr
    from .bert_score import BERTScore as BERTScore
    from .word_error_rate import WordErrorRate as WordErrorRate
    from .word_error_rate import CharErrorRate as CharErrorRate
    from .word_error_rate import MatchErrorRate as MatchErrorRate
    from .word_error_rate import WordInfoLost as WordInfoLost
    from .word_error_rate import WordInfoPreserved as WordInfoPreserved
    from .concatenated_wer import ConcatenatedWER as ConcatenatedWER
    from .edit_distance import EditDistance as EditDistance
    from .edit_distance import NormalizedEditSimilarity as NormalizedEditSimilarity
    from .edit_distance import ANLS as ANLS
    from .exact_match import ExactMatch as ExactMatch
    from .exact_match import VQAAccuracy as VQAAccuracy
    from .squad import SQuAD as SQuAD
    from .drop_f1 import DropF1 as DropF1
    from .entity_f1 import EntityF1 as EntityF1
    from .word_accuracy import WordAccuracy as WordAccuracy
    from .char_recall_precision import CharRecallPrecision as CharRecallPrecision
    from .hmean_iou import HmeanIoU as HmeanIoU
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
