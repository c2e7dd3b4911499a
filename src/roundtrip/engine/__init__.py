"""The engine room: a small real language model that answers on the reader's own processor, and shows how.

``model.py`` is the file to read first: it writes one word. ``engine.load()`` gives the model with its tokenizer, its
chat template and its card.
"""
