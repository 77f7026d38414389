"""Effect of batching on a model in this process (`hf:`): tokens per second of requests in batches and one by one.

    python benchmarks/local_chat.py [--requests 32] [--tokens 64] [--width 256] [--layers 4] [--device cpu]

A random Llama answers greedily, with prompts of 50 to 600 tokens, first one by one, then all at once in batches of
several sizes. On a CPU the answers must be identical; on a GPU, rounding depends on the batch. Only the ratios are
meaningful; on a busy machine, use those of CPU seconds.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from saiten.models.transformers_chat import TransformersChat
from saiten.protocols import ChatMessage, ChatRequest, Completion
from tiny_models import tiny_chat


def made(folder: Path, width: int, layers: int) -> Path:
    """Save a random Llama of this size; return its folder."""
    import torch  # noqa: PLC0415 - an extra
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415 - an extra

    tiny_chat(folder)
    torch.manual_seed(0)
    settings = LlamaConfig(
        vocab_size=261,
        hidden_size=width,
        intermediate_size=4 * width,
        num_hidden_layers=layers,
        num_attention_heads=8,
        max_position_embeddings=4096,
        initializer_range=0.1,
    )
    LlamaForCausalLM(settings).save_pretrained(folder)
    return folder


async def measure(
    chat: TransformersChat, requests: list[ChatRequest], *, together: bool
) -> tuple[float, float, list[str]]:
    """Return tokens per second, tokens per CPU second, and the texts."""
    await chat.complete(ChatRequest((ChatMessage("user", "warm up"),), max_tokens=2))
    begun, begun_cpu = time.perf_counter(), time.process_time()
    said: list[Completion] = (
        await asyncio.gather(*map(chat.complete, requests)) if together else [await chat.complete(r) for r in requests]
    )
    seconds, cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
    tokens = sum(each.usage.completion_tokens for each in said)
    return tokens / seconds, tokens / cpu, [each.text for each in said]


async def main() -> None:
    """Print one line per batch size."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, default in (("requests", 32), ("tokens", 64), ("width", 256), ("layers", 4)):
        options.add_argument(f"--{name}", type=int, default=default)
    options.add_argument("--device")
    chosen = options.parse_args()
    if not all(map(find_spec, ("torch", "transformers"))):
        print("torch or transformers is not installed (`make neural`); nothing was measured")
        return
    texts = [f"Question {n}: " + "how long is it? " * (3 + (7 * n) % 35) for n in range(chosen.requests)]
    requests = [ChatRequest((ChatMessage("user", text),), max_tokens=chosen.tokens) for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        model = str(made(Path(folder), chosen.width, chosen.layers))
        alone, alone_cpu, expected = await measure(
            TransformersChat(model, device=chosen.device), requests, together=False
        )
        print(f"one by one      {alone:8.1f} tokens/s          {alone_cpu:8.1f} per CPU second", flush=True)
        for size in (2, 4, 8, 16, 32):
            chat = TransformersChat(model, batch=size, device=chosen.device)
            speed, cpu, said = await measure(chat, requests, together=True)
            await chat.close()
            same = sum(map(str.__eq__, said, expected)) / len(said)
            print(
                f"batches of {size:3}  {speed:8.1f} tokens/s ({speed / alone:5.2f}x) {cpu:8.1f} per CPU second "
                f"({cpu / alone_cpu:5.2f}x); {same:.0%} identical answers",
                flush=True,
            )


if __name__ == "__main__":
    asyncio.run(main())
