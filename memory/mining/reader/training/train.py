"""Train the upper layers and heads of the reader."""

import random
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn, optim
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from llm.multilingual.base import PADDING
from memory.mining.reader.predicates import KINDS, NAMES
from memory.mining.reader.training.examples import Example
from memory.mining.reader.training.model import TAGS, Reader

BATCH = 32
HEAD_RATE = 2e-3
P, K = len(NAMES), len(KINDS)


def train(reader: Reader, examples: Sequence[Example], epochs: int, rate: float) -> Iterator[float]:
    """Train on all examples, the upper layers at this rate; yields the mean loss of each epoch."""
    fill(reader, examples)
    heads = [*reader.tokens.parameters(), *reader.sentences.parameters()]
    layers = [p for p in reader.layers.parameters() if p.requires_grad]
    optimizer = optim.AdamW([{"params": layers}, {"params": heads}], weight_decay=0.01)
    steps = epochs * len(_batches(examples))
    rates = optim.lr_scheduler.OneCycleLR(
        optimizer,
        [rate, HEAD_RATE],
        steps,
        pct_start=0.08,
        anneal_strategy="linear",
        cycle_momentum=False,
    )
    for _ in range(epochs):
        reader.train()
        losses = []
        for group in _batches(examples):
            value = loss(reader, group)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(layers + heads, 1.0)
            optimizer.step()
            rates.step()
            losses.append(value.item())
        yield sum(losses) / len(losses)


def loss(reader: Reader, group: Sequence[Example]) -> Tensor:
    """The loss of the tags, the predicates and ends of values, and the kinds in each sentence."""
    inputs = batched(group)
    with torch.autocast("cpu", torch.bfloat16):
        tokens, sentences = (x.float() for x in reader(*inputs))
    tags = _padded([e.tags for e in group]).long()
    weights = _padded([e.weights for e in group])
    each = functional.cross_entropy(tokens[..., :TAGS].mT, tags, reduction="none", label_smoothing=0.02)
    of_tags = (each * weights).sum() / weights.sum()
    return 3 * of_tags + _of_values(tokens, group) + _of_sentences(sentences, group)


def _of_values(tokens: Tensor, group: Sequence[Example]) -> Tensor:
    rows = [(b, t) for b, e in enumerate(group) for t in e.allowed]
    if not rows:
        return tokens.sum() * 0
    chosen = tokens[[b for b, _ in rows], [t for _, t in rows]]
    allowed = torch.zeros(len(rows), P)
    for row, (b, t) in enumerate(rows):
        allowed[row, list(group[b].allowed[t])] = 1
    logs = chosen[:, TAGS:-1].log_softmax(-1).masked_fill(allowed == 0, -1e4)
    ended = torch.tensor([group[b].ended[t] for b, t in rows])
    weights = torch.tensor([group[b].weights[t] for b, t in rows])
    of_predicates = -(logs.logsumexp(-1) * weights).sum() / weights.sum()
    of_ends = functional.binary_cross_entropy_with_logits(chosen[:, -1], ended)
    return 0.5 * of_predicates + 0.5 * of_ends


def _of_sentences(sentences: Tensor, group: Sequence[Example]) -> Tensor:
    wanted = torch.zeros_like(sentences)
    trust = torch.zeros_like(sentences)
    for b, e in enumerate(group):
        for s in range(max(e.sentence) + 1):
            wanted[b, s, list(e.kinds[s])] = 1
            trust[b, s] = e.line.get("weight", 1.0)
            unsure = e.unsure[s] - e.kinds[s]
            trust[b, s, list(unsure)] = 0
            wanted[b, s, K] = float(bool(e.kinds[s]))
            if unsure and not e.kinds[s]:
                trust[b, s, K] = 0
    each = functional.binary_cross_entropy_with_logits(sentences, wanted, reduction="none") * trust
    return each[..., :K].sum() / trust[..., :K].sum() + 0.3 * each[..., K].sum() / trust[..., K].sum()


@torch.no_grad()
def fill(reader: Reader, examples: Sequence[Example]) -> None:
    """Compute the output of the frozen layers for each message once."""
    reader.eval()
    for group in by_length([e for e in examples if e.lower is None]):
        ids = pad_sequence([torch.tensor(e.ids) for e in group], batch_first=True, padding_value=PADDING)
        lower = reader.lower(ids, (ids != PADDING).float())
        for e, x in zip(group, lower, strict=True):
            e.lower = x[: len(e.ids)].bfloat16().clone()


def batched(group: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor]:
    """Lower layers (B, T, H), mask (B, T) and shares (B, S, T) of several examples, padded."""
    lower = pad_sequence([e.lower.float() for e in group], batch_first=True)
    mask = _padded([[1.0] * len(e.ids) for e in group])
    shares = torch.zeros(len(group), max(max(e.sentence) for e in group) + 1, lower.shape[1])
    for b, e in enumerate(group):
        shares[b, e.sentence[1:-1], range(1, len(e.ids) - 1)] = 1
    return lower, mask, shares / shares.sum(-1, keepdim=True).clamp(min=1)


def by_length(examples: Sequence[Example]) -> list[list[Example]]:
    """Batches of similar length."""
    ordered = sorted(examples, key=lambda e: len(e.ids))
    return [ordered[i : i + BATCH] for i in range(0, len(ordered), BATCH)]


def _batches(examples: Sequence[Example]) -> list[list[Example]]:
    order, many = random.sample(list(examples), len(examples)), 30 * BATCH
    made = [group for i in range(0, len(order), many) for group in by_length(order[i : i + many])]
    return random.sample(made, len(made))


def _padded(rows: list[list[float]] | list[list[int]]) -> Tensor:
    return pad_sequence([torch.tensor(row, dtype=torch.float32) for row in rows], batch_first=True)
