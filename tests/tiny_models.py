"""Networks small enough for tests: random, made in a moment, saved as transformers saves real ones.

Heavy packages are imported where they are used, so that tests without them can still be collected.
"""

import string
from collections.abc import Sequence
from pathlib import Path

KANJI = "日本東京大阪首都猫犬好年月橋開通人口山川長短"
KANA = "".join(map(chr, [*range(0x3041, 0x3097), *range(0x30A1, 0x30FD)]))
SIGNS = string.ascii_letters + string.digits + string.punctuation + "、。「」" + KANA + KANJI
WORDS = ["the", "cat", "dog", "sat", "on", "bridge", "opened", "in", "capital", "of", "japan", "is", "tokyo"]
"""Whole words; everything else made of `SIGNS` is read piece by piece."""

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def tiny_bert(folder: Path, *, layers: int = 4, reads: int = 64, seed: int = 0) -> Path:
    """A random BERT that knows some English and Japanese and reads `reads` tokens, saved into the folder."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    pieces = [*SPECIAL, *SIGNS, *("##" + sign for sign in SIGNS), *WORDS]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    BertTokenizer(vocab=vocabulary, model_max_length=reads).save_pretrained(folder)
    torch.manual_seed(seed)
    settings = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=32,
        max_position_embeddings=reads,
    )
    BertModel(settings).save_pretrained(folder)
    return folder


def tiny_gpt2(folder: Path, *, reads: int = 32, start: bool = True, seed: int = 0) -> Path:
    """A random GPT-2 that knows every byte and reads `reads` tokens, with or without a start token."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    signs = ["<s>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE(vocab={sign: number for number, sign in enumerate(signs)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = {"bos_token": "<s>"} if start else {"eos_token": "<s>"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    torch.manual_seed(seed)
    # A wide spread, so that earlier tokens matter
    settings = GPT2Config(
        vocab_size=len(signs),
        n_positions=reads,
        n_embd=32,
        n_layer=2,
        n_head=4,
        initializer_range=0.4,
        bos_token_id=0,
        eos_token_id=0,
    )
    GPT2LMHeadModel(settings).save_pretrained(folder)
    return folder


CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tiny_chat(
    folder: Path, *, kind: str = "llama", template: str | None = CHATML, reads: int = 4096, seed: int = 0
) -> Path:
    """A random causal model (`llama` or `gpt2`) with one token per byte, saved into the folder; it answers nonsense."""
    import torch
    import transformers

    byte_tokenizer(template=template, reads=reads).save_pretrained(folder)
    size = {"vocab_size": 261, "bos_token_id": 256, "eos_token_id": 257, "pad_token_id": 258}
    torch.manual_seed(seed)
    if kind == "gpt2":
        gpt2 = transformers.GPT2Config(**size, n_embd=32, n_layer=2, n_head=4, n_positions=reads)
        transformers.GPT2LMHeadModel(gpt2).save_pretrained(folder)
        return folder
    llama = transformers.LlamaConfig(
        **size,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=reads,
        initializer_range=0.3,  # far from even, so that rounding decides nothing
    )
    transformers.LlamaForCausalLM(llama).save_pretrained(folder)
    return folder


def byte_tokenizer(*, template: str | None = CHATML, reads: int = 4096):
    """A byte-level tokenizer with 256 `<s>`, 257 `<|im_end|>`, 258 `<pad>`, 259 `<|im_start|>`, 260 `<think>`."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    vocabulary = {sign: number for number, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    bytewise = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bytewise,
        bos_token="<s>",
        eos_token="<|im_end|>",
        pad_token="<pad>",
        additional_special_tokens=["<|im_start|>"],
        model_max_length=reads,
    )
    tokenizer.add_tokens(["<think>"])
    tokenizer.chat_template = template
    return tokenizer


def tiny_learner(folder: Path, texts: Sequence[str], *, reads: int = 256, seed: int = 0) -> Path:
    """A random Llama that can learn in seconds: what recurs in the texts, line by line, is a token or a few."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    lines = Tokenizer(models.BPE())
    bytewise = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    lines.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split("\n", "isolated"), bytewise])
    lines.decoder = decoders.ByteLevel()
    special = ["<s>", "<|im_end|>", "<pad>", "<|im_start|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    how = trainers.BpeTrainer(vocab_size=4000, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    lines.train_from_iterator(texts, how)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=lines,
        bos_token="<s>",
        eos_token="<|im_end|>",
        pad_token="<pad>",
        additional_special_tokens=["<|im_start|>"],
        model_max_length=reads,
    )
    tokenizer.chat_template = CHATML
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    settings = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=reads,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=2,
        initializer_range=0.15,  # more, and it looks at one place only; less, and it takes longer
    )
    transformers.LlamaForCausalLM(settings).save_pretrained(folder)
    return folder
