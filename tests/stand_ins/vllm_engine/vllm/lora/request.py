"""An adapter that goes with a request."""

from dataclasses import dataclass


@dataclass
class LoRARequest:
    """An adapter, by a number of its own."""

    lora_name: str
    lora_int_id: int
    lora_path: str = ""
    base_model_name: str | None = None
    load_inplace: bool = False
    is_3d_lora_weight: bool = False
