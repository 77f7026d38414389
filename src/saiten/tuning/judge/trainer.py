"""The training loop: LoRA matrices next to a causal model's linear layers, AdamW, checkpoints to resume from.

Uses the `Trainer` of the transformers library. trl's `SFTTrainer` only adds ways of formatting conversations, which are
of no use here, since a prompt must equal what the judge sends, token for token.

This module imports torch and transformers, which takes seconds: import it in a function.
"""

import math
import time
from collections.abc import Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from transformers import Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments, set_seed
from transformers.trainer_callback import DefaultFlowCallback, PrinterCallback, ProgressCallback

from saiten.errors import ConfigurationError
from saiten.tuning.judge.base_model import BaseModel
from saiten.tuning.judge.encoding import Encoded, collate
from saiten.tuning.judge.head import Learning, TrainingJob, TrainingWatch
from saiten.tuning.judge.judge_folder import completed, last_complete

AT_ONCE = 4
"""Maximum examples per forward pass; gradients accumulate over a step."""
SHARE = 0.05
"""A checkpoint is written after this share of all steps."""
SECONDS = 300.0
"""Maximum time between checkpoints."""

_RECOMPUTING = "activation_checkpointing"
if _RECOMPUTING not in TrainingArguments.__dataclass_fields__:  # before transformers 5.2
    _RECOMPUTING = "gradient_checkpointing"


def trained(encoded: Sequence[Encoded], base: BaseModel, job: TrainingJob) -> Any:
    """Train the model, resuming from the last checkpoint, if any.

    Raises:
        ConfigurationError: the loss is not a number, or there is too little memory.
    """
    learning, folder = job.learning, job.folder / "training"
    set_seed(learning.seed)
    rank = learning.rank or 1
    lora = LoraConfig(
        task_type="CAUSAL_LM", r=rank, lora_alpha=2 * rank, lora_dropout=0.05, target_modules="all-linear"
    )
    model = get_peft_model(base.model, lora)
    arguments = _arguments(base, learning, folder)
    steps = ceil(len(encoded) / learning.batch) * learning.epochs
    losses: list[float] = []
    trainer = _Trainer(
        losses,
        model=model,
        args=arguments,
        train_dataset=list(encoded),
        data_collator=partial(collate, padding=base.padding, logits_to_keep=base.keeps_logits),
        callbacks=[_Reporting(job.watch, losses, learning.batch, steps, folder)],
    )
    for noisy in (DefaultFlowCallback, PrinterCallback, ProgressCallback):
        trainer.remove_callback(noisy)  # they print, and save at other times
    last = last_complete(folder)
    try:
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    except torch.OutOfMemoryError as error:
        raise ConfigurationError(
            f"{base.device} has too little memory to train on {arguments.per_device_train_batch_size} "
            "examples at a time; use a smaller --batch (at least 1), --max-length or base"
        ) from error
    except (OSError, RuntimeError) as error:
        said = (str(error).strip().splitlines() or [repr(error)])[0]
        raise ConfigurationError(
            f"training was interrupted: {said}; the last checkpoint is kept: re-run the command to continue"
        ) from error
    return model


def _arguments(base: BaseModel, learning: Learning, folder: Path) -> TrainingArguments:
    together = max(n for n in range(1, AT_ONCE + 1) if learning.batch % n == 0)
    on_cuda = base.device == "cuda"
    return TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=learning.epochs,
        learning_rate=learning.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=0.1,  # below 1: a share of all steps
        per_device_train_batch_size=together,
        gradient_accumulation_steps=learning.batch // together,
        seed=learning.seed,
        data_seed=learning.seed,
        bf16=on_cuda and torch.cuda.is_bf16_supported(),
        use_cpu=base.device == "cpu",
        **({_RECOMPUTING: True} if on_cuda else {}),  # on CUDA memory is scarce, elsewhere time
        dataloader_pin_memory=on_cuda,
        remove_unused_columns=False,
        save_strategy="no",  # `_Reporting` decides
        logging_strategy="no",
        disable_tqdm=True,
        report_to="none",
    )


class _Trainer(Trainer):  # type: ignore[misc] # no types where the extra is not installed
    """Collects the losses of a step, and stops before a loss that is not a number reaches the weights."""

    def __init__(self, losses: list[float], **settings: Any) -> None:
        super().__init__(**settings)
        self._losses = losses

    def training_step(self, *arguments: Any, **settings: Any) -> torch.Tensor:
        loss = super().training_step(*arguments, **settings)
        self._losses.append(loss.item())
        if not math.isfinite(self._losses[-1]):
            raise ConfigurationError(
                f"the loss is {self._losses[-1]} in step {self.state.global_step + 1}, so training cannot continue; "
                "start over in another folder with a smaller --learning-rate"
            )
        return loss


class _Reporting(TrainerCallback):  # type: ignore[misc] # as above
    """Reports progress after each step, and decides when to write a checkpoint."""

    def __init__(self, watch: TrainingWatch, losses: list[float], batch: int, steps: int, folder: Path) -> None:
        self._watch, self._losses, self._batch, self._folder = watch, losses, batch, folder
        self._every = max(1, ceil(SHARE * steps))
        self._saved = time.monotonic()
        self._begun: int | None = None

    def on_step_begin(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._begun = state.global_step if self._begun is None else self._begun

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        done = state.global_step
        self._watch.step(done, state.max_steps, (done - (self._begun or 0)) * self._batch, sum(self._losses))
        self._losses.clear()
        due = done % self._every == 0 or time.monotonic() - self._saved > SECONDS
        control.should_save = due or done >= state.max_steps
        control.should_training_stop = done >= state.max_steps

    def on_save(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        completed(self._folder, state.global_step)
        control.should_save = False
        self._saved = time.monotonic()
