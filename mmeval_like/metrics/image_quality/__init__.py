"""Metrics of how far images are from others, beside PSNR and SSIM."""

__all__: list[str] = []
