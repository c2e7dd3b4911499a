"""Run by the Python of .judges/engine: real clients talk to a server of ours; what they heard is printed as JSON.

    python callers.py NAME BASE_URL MODEL

The program knows nothing of Roundtrip.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

QUESTION = [{"role": "user", "content": "Hello"}]
PROMPT = "The capital of France is"
MOST = 8


def openai(url, model):
    import openai

    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    whole = client.chat.completions.create(
        model=model, messages=QUESTION, max_tokens=MOST, temperature=0, logprobs=True, top_logprobs=2
    )
    events = list(
        client.chat.completions.create(
            model=model,
            messages=QUESTION,
            max_tokens=MOST,
            temperature=0,
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    text = client.completions.create(model=model, prompt=PROMPT, max_tokens=MOST, temperature=0)
    pieces = client.completions.create(model=model, prompt=PROMPT, max_tokens=MOST, temperature=0, stream=True)
    refused = {}
    for name, fields in (("NotFoundError", {"model": "gpt-5"}), ("BadRequestError", {"model": model, "max_tokens": 0})):
        try:
            client.chat.completions.create(messages=QUESTION, **fields)
        except openai.APIStatusError as error:
            refused[name] = [type(error).__name__, error.status_code, error.code, error.param]
    return {
        "chat": whole.choices[0].message.content,
        "chat_stream": "".join(e.choices[0].delta.content or "" for e in events if e.choices),
        "usage": [whole.usage.prompt_tokens, whole.usage.completion_tokens],
        "usage_stream": [events[-1].usage.prompt_tokens, events[-1].usage.completion_tokens],
        "cached": events[-1].usage.prompt_tokens_details.cached_tokens,
        "logprobs": len(whole.choices[0].logprobs.content),
        "finish": whole.choices[0].finish_reason,
        "finish_stream": [e.choices[0].finish_reason for e in events if e.choices][-1],
        "text": text.choices[0].text,
        "text_stream": "".join(p.choices[0].text for p in pieces),
        "models": [m.id for m in client.models.list()],
        "refused": refused,
    }


def hub(url, model):
    from huggingface_hub import InferenceClient

    client = InferenceClient(base_url=url, api_key="none")
    whole = client.chat.completions.create(model=model, messages=QUESTION, max_tokens=MOST, temperature=0)
    events = list(
        client.chat.completions.create(model=model, messages=QUESTION, max_tokens=MOST, temperature=0, stream=True)
    )
    return {
        "chat": whole.choices[0].message.content,
        "chat_stream": "".join(e.choices[0].delta.content or "" for e in events if e.choices),
        "finish": whole.choices[0].finish_reason,
    }


def llm(url, model):
    with tempfile.TemporaryDirectory() as folder:
        entry = f"- model_id: served\n  model_name: {model}\n  api_base: {url}\n"
        Path(folder, "extra-openai-models.yaml").write_text(entry, encoding="utf-8")
        environment = {**os.environ, "LLM_USER_PATH": folder, "OPENAI_API_KEY": "none"}
        command = [
            str(Path(sys.executable).with_name("llm")),
            "-m",
            "served",
            "-o",
            "max_tokens",
            str(MOST),
            "-o",
            "temperature",
            "0",
            "--no-log",
        ]

        def run(*more):
            return subprocess.run(
                [*command, *more, "Hello"], env=environment, capture_output=True, text=True, check=True
            ).stdout

        return {"chat": run("--no-stream").removesuffix("\n"), "chat_stream": run().removesuffix("\n")}


def prometheus(url, _):
    import urllib.request

    from prometheus_client.parser import text_string_to_metric_families

    page = urllib.request.urlopen(url.removesuffix("/v1") + "/metrics", timeout=30).read().decode()
    return {
        family.name: [family.type, family.documentation, [[s.name, s.labels, s.value] for s in family.samples]]
        for family in text_string_to_metric_families(page)
    }


if __name__ == "__main__":
    caller = {"openai": openai, "hub": hub, "llm": llm, "prometheus": prometheus}[sys.argv[1]]
    sys.stdout.write(json.dumps(caller(*sys.argv[2:])) + "\n")
