"""PeakSignalNoiseRatio against scikit-image, and the options that image metrics share."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import PeakSignalNoiseRatio, SignalNoiseRatio, StructuralSimilarity
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.pictures import BAD_OPTIONS, images, of_many_sizes

KINDS = [PeakSignalNoiseRatio, SignalNoiseRatio, StructuralSimilarity]


def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """scikit-image's ratio of every image, then the mean."""
    ratio = requires("skimage.metrics").peak_signal_noise_ratio
    pairs = zip(predictions, groundtruths, strict=True)
    return {
        "psnr": np.mean([ratio(np.float64(t), np.float64(p), data_range=255) for p, t in pairs])
    }


def luma_oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The same of scikit-image's luma, without the border, of BGR images (H, W, 3)."""
    luma = requires("skimage.color").rgb2ycbcr

    def cut(image: Any) -> Any:
        return luma(image[1:-1, 1:-1, ::-1])[..., 0]

    return oracle([cut(p) for p in predictions], [cut(t) for t in groundtruths])


def luma(**options: Any) -> PeakSignalNoiseRatio:
    """The metric on the luma of BGR images without their border."""
    return PeakSignalNoiseRatio(1, "HWC", "Y", "bgr", **options)


EMPTY = {"psnr": math.nan}
CASES = {
    "PeakSignalNoiseRatio": MetricCase(PeakSignalNoiseRatio, images(3, 6, 7), oracle, empty=EMPTY),
}
VARIANTS = {
    "PeakSignalNoiseRatio of lists": MetricCase(PeakSignalNoiseRatio, of_many_sizes(3, 9), oracle),
    "PeakSignalNoiseRatio of luma": MetricCase(luma, images(6, 7, 3), luma_oracle, 1e-9),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals scikit-image's and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


def test_identical_images() -> None:
    """Without noise the ratio is infinite, and so is the mean over images."""
    image = np.arange(12).reshape(1, 3, 2, 2)

    assert PeakSignalNoiseRatio()(image, image) == {"psnr": math.inf}
    assert PeakSignalNoiseRatio()([image[0], image[0]], [image[0], image[0] + 1]) == {
        "psnr": math.inf
    }


@pytest.mark.parametrize("kind", KINDS)
def test_orders_are_one_set_of_bits(kind: Any) -> None:
    """CHW or HWC, RGB or BGR, upper or lower case, by constructor or by add: the same bits."""
    p, t = images(3, 13, 14)(np.random.default_rng(0), 2)
    expected = kind(convert_to="Y")(p, t)
    last_p, last_t = np.moveaxis(p, 1, 3), np.moveaxis(t, 1, 3)

    assert kind(convert_to="y", input_order="hwc")(last_p, last_t) == expected
    assert kind(convert_to="Y", channel_order="BGR")(p[:, ::-1], t[:, ::-1]) == expected
    assert kind(convert_to="Y")(p[:, ::-1], t[:, ::-1], channel_order="Bgr") == expected
    assert kind(convert_to="Y", channel_order="bgr")(p, t, channel_order="RGB") == expected
    assert kind(input_order="HWC")(last_p, last_t) == kind()(p, t)


@pytest.mark.parametrize("kind", KINDS)
def test_videos_and_gray_images(kind: Any) -> None:
    """A video counts as the mean of its frames; (H, W) is one channel; borders are cut off."""
    p, t = images(4, 3, 15, 15)(np.random.default_rng(0), 1)
    (name,) = kind()(p, t)
    frames = [kind()(p[:, i], t[:, i])[name] for i in range(4)]

    assert math.isclose(kind()(p, t)[name], sum(frames) / 4, rel_tol=1e-15)
    assert kind()(p[0, :, 0], t[0, :, 0]) == kind()(p[0, :, :1], t[0, :, :1])
    assert kind(crop_border=2)(p, t) == kind()(p[..., 2:-2, 2:-2], t[..., 2:-2, 2:-2])


@pytest.mark.parametrize("kind", KINDS)
def test_data_range(kind: Any) -> None:
    """Images in [0, 1] with data_range=1 give what 8-bit images give."""
    p, t = images(3, 12, 12)(np.random.default_rng(0), 1)
    for convert_to in (None, "Y"):
        (eight_bit,) = kind(convert_to=convert_to)(p, t).values()
        (unit,) = kind(convert_to=convert_to, data_range=1.0)(p / 255, t / 255).values()
        assert math.isclose(unit, eight_bit, rel_tol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("options", "text"), BAD_OPTIONS)
def test_bad_options(kind: Any, options: dict[str, Any], text: str) -> None:
    """Options that mean nothing are refused at once."""
    with pytest.raises(ValueError, match=text):
        kind(**options)


@pytest.mark.parametrize("kind", KINDS)
def test_bad_inputs(kind: Any) -> None:
    """Images that do not fit together, or do not suit the options, are refused."""
    image = np.zeros((1, 3, 12, 12))
    with pytest.raises(ValueError, match="same length"):
        kind().add(image, image[:0])
    with pytest.raises(ValueError, match="same shape"):
        kind().add(image, image[..., 1:])
    with pytest.raises(ValueError, match="3 channels, got 2"):
        kind(convert_to="Y").add(image[:, :2], image[:, :2])
    with pytest.raises(ValueError, match="larger than crop_border=6"):
        kind(crop_border=6).add(image, image)
    with pytest.raises(ValueError, match="shape \\(12,\\)"):
        kind().add(image[0, 0], image[0, 0])
    with pytest.raises(ValueError, match="channel_order"):
        kind().add(image, image, channel_order="grb")
    with pytest.raises(TypeError, match="real"):
        kind().add(image + 1j, image)


@pytest.mark.parametrize("make", [PeakSignalNoiseRatio, SignalNoiseRatio])
@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan, 1e200])
@pytest.mark.parametrize("side", [0, 1])
def test_pixels_without_a_finite_power(make: Any, bad: float, side: int) -> None:
    """An image with such a pixel is refused at `add`, and what was added before stays."""
    metric = make()
    good = np.arange(9.0).reshape(1, 3, 3)
    metric.add(good + 1, good)
    expected = metric.compute()
    images = [good + 1, good.copy()]
    images[side][0, 1, 1] = bad
    with pytest.raises(ValueError, match="finite"):
        metric.add(*images)

    assert metric.compute() == expected


@pytest.mark.parametrize(("signal", "noise"), [(1e-150, 1e150), (1e100, 1e-150)])
def test_ratios_beyond_float64(signal: float, noise: float) -> None:
    """The logarithm of a ratio of powers that float64 cannot hold is right all the same."""
    truth = np.full((1, 4, 4), signal)
    if noise > signal:
        assert SignalNoiseRatio()(truth + noise, truth)["snr"] == pytest.approx(-6000)
    else:
        metric = PeakSignalNoiseRatio(data_range=signal)
        value = metric(np.zeros((1, 4, 4)), np.full((1, 4, 4), noise))["psnr"]
        assert value == pytest.approx(5000)
