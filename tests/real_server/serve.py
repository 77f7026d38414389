"""Serve a model in GGUF with llama.cpp's own server: python serve.py MODEL.gguf. Prints its address, then serves."""

import sys
import threading

import xllamacpp


def main(model: str) -> None:
    """Serve until the process is killed."""
    how = xllamacpp.CommonParams()
    how.model.path = model
    how.hostnames, how.port = ["127.0.0.1"], 0
    how.n_ctx, how.n_parallel, how.warmup = 16384, 2, False
    server = xllamacpp.Server(how)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
