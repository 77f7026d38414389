"""Anything but a causal language model, or a changed one, is reported before the first answer."""

import shutil
import threading
import warnings

import pytest

import networks
from saiten.errors import ConfigurationError
from saiten.models.causal_network import causal_network
from saiten.models.networks import LocalModel, loaded
from tiny_models import tiny_bert, tiny_chat

pytestmark = networks.marks("peft")


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    """A LoRA adapter over a tiny Llama in `base` next to it."""
    import peft
    import transformers

    folder = tmp_path_factory.mktemp("adapters")
    model = transformers.AutoModelForCausalLM.from_pretrained(tiny_chat(folder / "base"))
    how = peft.LoraConfig(target_modules=["q_proj", "v_proj"], r=4, init_lora_weights=False, task_type="CAUSAL_LM")
    peft.get_peft_model(model, how).save_pretrained(folder / "adapter")
    return folder / "adapter"


def load(folder):
    """The network in the folder, loaded as a judge does."""
    return causal_network(LocalModel.find(str(folder)))


@pytest.mark.witness
def test_an_encoder_writes_nothing(tmp_path):
    """It has no weights to write with; they would be random, and every grade would be noise."""
    with pytest.raises(ConfigurationError, match=r"is no causal language model: there are no weights for"):
        load(tiny_bert(tmp_path / "bert", layers=1))


def test_an_adapter_over_a_base_of_another_shape(adapter, tmp_path):
    """The error says what does not fit, not only that something does not."""
    import transformers

    other = tiny_chat(tmp_path / "base")
    small = transformers.LlamaConfig(
        vocab_size=261, hidden_size=16, intermediate_size=16, num_hidden_layers=2, num_attention_heads=4
    )
    transformers.LlamaForCausalLM(small).save_pretrained(other)
    moved = shutil.copytree(adapter, tmp_path / "adapter")
    settings = moved / "adapter_config.json"
    settings.write_text(settings.read_text().replace(str(adapter.parent / "base"), str(other)))
    with pytest.raises(ConfigurationError, match=r"cannot be loaded: .*size mismatch for"):
        load(moved)


def test_an_adapter_is_loaded_in_silence(adapter, capsys):
    """Warnings for programmers are not for people who grade."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FutureWarning)
        load(adapter)
    assert [str(one.message) for one in caught if issubclass(one.category, FutureWarning)] == []
    assert capsys.readouterr().out == ""


def test_networks_are_loaded_one_at_a_time():
    """Two metrics of a run load theirs in threads, while transformers keeps the state of a load for the process."""
    within = []

    def second():
        within.append("second")

    def first():
        other.start()
        other.join(0.3)  # without a lock it ends within; with one it cannot, however long this takes
        within.append("first")

    other = threading.Thread(target=loaded, args=("b", "a model", second))
    loaded("a", "a model", first)
    other.join()
    assert within == ["first", "second"]
