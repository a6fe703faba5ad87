"""Measures from which cosine on two texts are related, from pairs that are not (engine.md 2.5, decision d)."""

import random

import numpy as np

from goclaw.embedding.provider import Vectors

PAIRS = 500
FEWEST_TEXTS = 50  # below this, the pairs say too little
SIGMAS = 3.0


def measure_floor(vectors: Vectors, seed: int = 0) -> float | None:
    """Mean + 3 sigma of the cosine of random pairs of chunks; None with fewer than 50 chunks.

    ``vectors`` are chunks drawn at random from the store, shape (chunks, dims), rows of length 1. Two chunks drawn at
    random are unrelated nearly always; the same seed gives the same pairs.
    """
    count = len(vectors)
    if count < FEWEST_TEXTS:
        return None
    dice = random.Random(seed)  # noqa: S311  a sample, not a secret
    pairs = np.array([dice.sample(range(count), 2) for _ in range(PAIRS)])
    cosines = np.einsum("ij,ij->i", vectors[pairs[:, 0]], vectors[pairs[:, 1]])
    return float(min(1.0, cosines.mean() + SIGMAS * cosines.std()))
