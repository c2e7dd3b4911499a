"""How many bytes one token leaves in the cache: the small model here beside those of the catalog."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from roundtrip.catalog.load import entry
from roundtrip.stages.model import kv_cache

OTHERS = (("deepseek-v3", "deepseek-v3-h800"), ("llama-3.1-8b", "llama-8b-h100"), ("llama-3.1-405b", "llama-405b-h100"))


@dataclass(frozen=True, slots=True)
class CacheSize:
    """Bytes of a token in the cache of a model as it is served."""

    model: str
    title: str
    token_B: float
    form: str

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


def cache_sizes() -> list[CacheSize]:
    """Return the bytes of a token for some models of the catalog, each by its own form of attention."""
    return [_size(*pair) for pair in OTHERS]


def _size(model: str, serving: str) -> CacheSize:
    made, f = entry("models", model), entry("models", model).figures
    element_B = entry("servings", serving).figures["kv_element_B"].value
    layers = f["layers"].value
    if made.texts["attention"] == "mla":
        token_B = kv_cache.mla_token_B(layers, f["kv_rank"].value, f["rope_width"].value, element_B)
        form = f"one latent vector of {f['kv_rank'].value + f['rope_width'].value:.0f} numbers a layer"
    else:
        token_B = kv_cache.gqa_token_B(layers, f["kv_heads"].value, f["head_width"].value, element_B)
        form = f"{f['kv_heads'].value:.0f} keys and values of {f['head_width'].value:.0f} numbers a layer"
    return CacheSize(model, made.title, float(token_B), f"{layers:.0f} layers, {form}, {element_B:g} bytes each")
