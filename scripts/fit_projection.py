"""Fits the projection by which the local model's word vectors are stored: 384 numbers a word become 64.

The principal directions of the vectors of words in 7,000 sentences, made here out of our own patterns, our list of
things and the model's own vocabulary: no data set has any part in it. Prints how much of the length is kept.

    python scripts/fit_projection.py
"""

import random
import re

import numpy as np

from goclaw.embedding import local
from goclaw.embedding.token_vectors import DIMS
from goclaw.text.kinds_of_things import KINDS

SENTENCES = 7_000
BATCH = 256
PATTERNS = """
I went to the {} with my {} yesterday, and it was so much {}!
We talked about the {} and the {} for hours.
Did you ever try {} or {}?
My {} loves {}; last week we bought a new {}.
I've been thinking about {} lately. It reminds me of {}.
Thanks! The {} was {} but the {} made my day.
The {} of our {} is {}.
She started {} two years ago and now works as a {}.
What kind of {} do you like for the {}?
Wow, that {} looks {}! Where did you get it?
He joined a {} group near the {}.
I'm planning a {} in {} next month with {}.
Remember: {} before {} when the {} fails.
The team decided to use {} instead of {} because of {}.
My favourite {} is {}, it helps me {}.
I feel {} about the {}, honestly.
They {} the {} and the {} together.
""".strip().splitlines()


def sentences(vocabulary: list[str], chance: random.Random) -> list[str]:
    """Patterns filled with things and with words of the vocabulary, half and half."""
    things = re.findall(r"(?<!^)\b\w+\b(?!.*:)", KINDS, re.M)
    made = []
    for _ in range(SENTENCES):
        pattern = chance.choice(PATTERNS)
        words = [chance.choice(things if chance.random() < 0.5 else vocabulary) for _ in range(pattern.count("{}"))]
        made.append(pattern.format(*words))
    return made


def main() -> None:
    folder = local.find_model_folder()
    if folder is None:
        raise SystemExit("The local model is not installed: pip install 'goclaw[local]'.")
    provider = local.LocalProvider(folder)
    vocabulary = sorted(word for word in provider.vocabulary() if re.fullmatch("[a-z]{4,}", word))
    texts = sentences(vocabulary, random.Random(0))
    spread, count = np.zeros((local.DIMS, local.DIMS)), 0
    for start in range(0, len(texts), BATCH):
        for words in provider.telling_vectors(texts[start : start + BATCH]):
            unit = words / np.linalg.norm(words, axis=1, keepdims=True)
            spread += unit.T @ unit
            count += len(unit)
    values, directions = np.linalg.eigh(spread / count)
    projection = directions[:, ::-1][:, :DIMS]
    np.save(local.PROJECTION, projection.astype(np.float16))
    print(f"{count} words; {values[::-1][:DIMS].sum() / values.sum():.3f} of their squared length is kept")


if __name__ == "__main__":
    main()
