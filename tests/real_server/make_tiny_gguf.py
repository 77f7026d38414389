"""Write a random one-layer Llama of about 300 KB as GGUF: it answers nonsense, but through a real inference server.

    python make_tiny_gguf.py OUT.gguf

Needs `gguf` and `numpy`, so it runs in the server's environment, not in ours. The vocabulary is one token a byte, four
special ones and a merge, since the loader wants at least one.
"""

import sys

import gguf
import numpy as np

WIDTH, HEADS, FEED_FORWARD, CONTEXT = 64, 4, 128, 8192
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def byte_symbols() -> list[str]:
    """The printable stand-ins of GPT-2's byte-level BPE, by byte."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    symbols = {byte: chr(byte) for byte in kept}
    for offset, byte in enumerate(b for b in range(256) if b not in symbols):
        symbols[byte] = chr(256 + offset)
    return [symbols[byte] for byte in range(256)]


def main(path: str) -> None:
    """Write the model."""
    symbols = byte_symbols()
    tokens = [*symbols, symbols[ord("t")] + symbols[ord("h")], "<s>", "<|end|>", "<pad>"]
    kinds = [gguf.TokenType.NORMAL] * 257 + [gguf.TokenType.CONTROL] * 3
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([f"{symbols[ord('t')]} {symbols[ord('h')]}"])
    writer.add_bos_token_id(257)
    writer.add_eos_token_id(258)
    writer.add_pad_token_id(259)
    writer.add_chat_template(TEMPLATE)
    rng = np.random.default_rng(0)

    def weights(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.3, shape).astype(np.float32)

    writer.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    writer.add_tensor("output.weight", weights(len(tokens), WIDTH))
    for name, shape in {
        "attn_q": (WIDTH, WIDTH),
        "attn_k": (WIDTH, WIDTH),
        "attn_v": (WIDTH, WIDTH),
        "attn_output": (WIDTH, WIDTH),
        "ffn_gate": (FEED_FORWARD, WIDTH),
        "ffn_up": (FEED_FORWARD, WIDTH),
        "ffn_down": (WIDTH, FEED_FORWARD),
    }.items():
        writer.add_tensor(f"blk.0.{name}.weight", weights(*shape))
    writer.add_tensor("blk.0.attn_norm.weight", np.ones(WIDTH, np.float32))
    writer.add_tensor("blk.0.ffn_norm.weight", np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1])
