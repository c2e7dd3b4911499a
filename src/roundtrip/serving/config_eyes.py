"""The eye that stands beside a language model: its weights, from the ``vision_config`` of a file."""

from __future__ import annotations

from roundtrip.serving.config_file import MOST_LAYERS, Config


def vision_parameters(c: Config, hidden: int) -> int:
    """Return the weights of the eye: layers, patches, places, and what leads to the hidden width.

    What leads there is counted as the family builds it where that is known (Gemma 3, Qwen3-VL and 3.5, Llama 4,
    Mistral Small 3), else as one matrix.
    """
    eye = c.part("vision_config")
    if eye is None:
        return 0
    layers = eye.whole("depth", "num_hidden_layers", "vt_num_hidden_layers", default=0, most=MOST_LAYERS)
    width = eye.whole("hidden_size", "vt_hidden_size", default=0, most=10**6)
    inner = eye.whole("intermediate_size", "vt_intermediate_size", default=4 * width, most=10**7)
    if not layers or not width:
        return 0
    patch = eye.whole("patch_size", default=14, least=1, most=1000)
    cells = 3 * patch * patch * eye.whole("temporal_patch_size", default=1, most=100) * width
    places = eye.whole("num_position_embeddings", "position_embedding_size", default=0, most=10**7)
    if not places and eye.has("image_size"):
        places = (eye.whole("image_size", most=10**6) // patch) ** 2
    one = 4 * width * width + 2 * width * inner + 9 * width + inner  # with biases, two norms
    kind = c.text("model_type")
    if kind == "mistral3":
        return layers * (4 * width * width + 3 * width * inner + 2 * width) + cells + width + _merged(width, hidden)
    if kind == "llama4":
        return layers * one + cells + (places + 6) * width + _shuffled(eye, inner, hidden)
    if kind.startswith("qwen3"):
        return layers * one + cells + (1 + places) * width + _folded(eye, width, hidden)
    beside = 3 * width if kind == "gemma3" else 0  # the last norm, and that of the projector
    return layers * one + cells + (1 + places) * width + width * hidden + beside


def _merged(width: int, hidden: int) -> int:
    """Return the projector of Mistral Small 3: a norm, four patches to one, two matrices."""
    return width + 4 * width * width + width * hidden + hidden * hidden


def _shuffled(eye: Config, inner: int, hidden: int) -> int:
    """Return the projector of Llama 4: four patches side by side, three matrices."""
    middle = eye.whole("projector_input_dim", default=4096, least=1, most=10**6)
    last = eye.whole("projector_output_dim", default=middle, least=1, most=10**6)
    return inner * middle + middle * last + last * hidden


def _folded(eye: Config, width: int, hidden: int) -> int:
    """Return the mergers of Qwen3-VL and Qwen3.5: squares of patches side by side, two matrices, one for each depth."""
    wide = eye.whole("spatial_merge_size", default=2, least=1, most=100) ** 2 * width
    deeper = len(eye.items("deepstack_visual_indexes"))
    return (1 + deeper) * (wide * wide + wide + wide * hidden + hidden) + 2 * width + deeper * 2 * wide
