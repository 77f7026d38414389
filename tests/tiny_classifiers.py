"""Classifiers small enough for tests, trained in seconds on made-up sentences, saved as transformers saves real ones.

Their world: a text entails a sentence if it has all of its things (`cat`, `猫`); a thing that the contexts lack is
unsupported. Everything else in a sentence means nothing.
"""

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

THINGS = [
    "cat",
    "dog",
    "bird",
    "fish",
    "bridge",
    "river",
    "moon",
    "tower",
    "猫",
    "犬",
    "鳥",
    "魚",
    "橋",
    "川",
    "月",
    "塔",
]
FILLERS = ["the", "a", "saw", "near", "slept", "there", "is", ".", "が", "の", "に", "い", "た", "る", "。", "と", "passage", ":", "1", "2", "?"]  # fmt: skip
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
READS = 64
"""Tokens that they read at once."""


def tokenizer():
    """One token per word or Japanese character."""
    from transformers import BertTokenizer

    vocabulary = {piece: number for number, piece in enumerate([*SPECIAL, *FILLERS, *THINGS])}
    return BertTokenizer(vocab=vocabulary, model_max_length=READS)


def settings(labels: Sequence[str]):
    """A BERT with two layers and these labels."""
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(SPECIAL) + len(FILLERS) + len(THINGS),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=READS,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.15,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )


def tiny_nli(folder: Path) -> Path:
    """A classifier of entailment that gets it right: contradiction (never), neutral, entailment."""
    return _saved(_nli(), folder)


def tiny_span_marker(folder: Path) -> Path:
    """A token classifier that gets it right: supported, and hallucinated for things that no passage has."""
    return _saved(_span_marker(), folder)


def _saved(network, folder: Path) -> Path:
    network.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


@cache
def _nli():
    import torch
    from transformers import BertForSequenceClassification

    torch.manual_seed(0)
    draw = random.Random(0)
    network = _matching(BertForSequenceClassification(settings(("contradiction", "neutral", "entailment"))))
    tokens = tokenizer()

    def loss(size):
        truths, firsts, seconds = [], [], []
        for _ in range(size):
            things = draw.sample(THINGS, draw.randint(1, 8))
            rest = [thing for thing in THINGS if thing not in things]
            asked = draw.sample(things, min(len(things), draw.randint(1, 2)))
            truths.append(draw.random() < 0.5)
            if not truths[-1]:
                asked[draw.randrange(len(asked))] = draw.choice(rest)
            firsts.append(_sentence(draw, things))
            seconds.append(_sentence(draw, asked))
        encoded = tokens(firsts, seconds, padding=True, truncation="only_first", max_length=READS, return_tensors="pt")
        return torch.nn.functional.cross_entropy(network(**encoded).logits, torch.tensor(truths) + 1)

    return _trained(network, loss)


@cache
def _span_marker():
    import torch
    from transformers import BertForTokenClassification

    torch.manual_seed(0)
    draw = random.Random(0)
    network = _matching(BertForTokenClassification(settings(("supported", "hallucinated"))))
    tokens = tokenizer()

    def loss(size):
        firsts, seconds = [], []
        for _ in range(size):
            few = draw.sample(THINGS, draw.randint(1, 8))
            firsts.append(_sentence(draw, draw.choices(few, k=draw.randint(1, 10))))
            seconds.append(_sentence(draw, draw.choices([*few, *THINGS], k=draw.randint(1, 10))))
        encoded = tokens(firsts, seconds, padding=True, truncation="only_first", max_length=READS, return_tensors="pt")
        ids, types = encoded["input_ids"], encoded["token_type_ids"]
        in_passages = ((ids[:, None, :] == ids[:, :, None]) & (types == 0)[:, None, :]).any(-1)
        wrong = ~in_passages & (ids >= len(SPECIAL) + len(FILLERS))
        logits = network(**encoded).logits[types == 1]
        return torch.nn.functional.cross_entropy(logits, wrong[types == 1].long())

    return _trained(network, loss)


def relabeled(folder: Path, into: Path, labels: Sequence[str], rows: Sequence[int]) -> Path:
    """The trained classifier with its outputs in another order and by other names; for one label, as one logit."""
    import torch
    from transformers import BertForSequenceClassification

    known = BertForSequenceClassification.from_pretrained(folder)
    network = BertForSequenceClassification(settings(labels))
    network.bert.load_state_dict(known.bert.state_dict())
    with torch.no_grad():
        for name in ("weight", "bias"):
            old = getattr(known.classifier, name)
            new = old[list(rows)] if len(rows) > 1 else old[rows[0] : rows[0] + 1] - old[1:2]
            getattr(network.classifier, name).copy_(new)
    return _saved(network, into)


def relabeled_tokens(folder: Path, into: Path, labels: Sequence[str], rows: Sequence[int]) -> Path:
    """The trained token classifier with its outputs in another order and by other names."""
    import torch
    from transformers import BertForTokenClassification

    network = BertForTokenClassification.from_pretrained(folder)
    network.config.id2label, network.config.label2id = settings(labels).id2label, settings(labels).label2id
    with torch.no_grad():
        for name in ("weight", "bias"):
            part = getattr(network.classifier, name)
            part.copy_(part[list(rows)].clone())
    return _saved(network, into)


def _matching(network):
    """Start with tokens that attend to equal ones in the first layer, or learning it would take minutes."""
    import torch

    attention = network.bert.encoder.layer[0].attention.self
    with torch.no_grad():
        network.bert.embeddings.position_embeddings.weight.zero_()
        for part in (attention.query, attention.key):
            part.weight.copy_(torch.eye(part.weight.shape[0]))
    return network


def _sentence(draw: random.Random, things: Sequence[str]) -> str:
    """The things among other words."""
    words = []
    for thing in things:
        words += [*draw.choices(FILLERS, k=draw.randint(0, 2)), thing]
    return " ".join([*words, *draw.choices(FILLERS, k=draw.randint(0, 2))])


def _trained(network, loss, steps: int = 1500, size: int = 32, good: float = 0.02):
    """The network, trained until its loss has been low for a while."""
    import torch

    torch.set_num_threads(1)  # for good: the threads of something so small wait for each other, and for other processes
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps)
    recent = 1.0
    network.train()
    for _ in range(steps):
        found = loss(size)
        optimizer.zero_grad()
        found.backward()
        optimizer.step()
        schedule.step()
        recent = 0.95 * recent + 0.05 * float(found.detach())
        if recent < good:
            break
    return network.eval()
