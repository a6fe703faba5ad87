"""The context of a turn: what the model is given of memory, in two parts, under a budget."""
