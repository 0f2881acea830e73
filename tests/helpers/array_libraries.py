"""The array libraries that the metrics are tried with."""

# The next library is one more row: its name, and what must be there.
LIBRARIES = {
    "numpy": ("numpy",),
    "array_api_strict": ("array_api_strict",),
    "torch": ("torch",),
    "jax": ("jax",),
    "oneflow": ("oneflow",),
    "paddle": ("paddle",),
    "cupy": ("cupy", "nvidia-smi"),
}
