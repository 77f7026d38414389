"""What is chosen by name is put together here, and only here: judges, embedders, chat models, and their stack."""

from saiten.assembly.addresses import price_name, read_address
from saiten.assembly.judges import assemble_judge
from saiten.assembly.models import Models
from saiten.assembly.settings import CallSettings, JudgeSettings

__all__ = ["CallSettings", "JudgeSettings", "Models", "assemble_judge", "price_name", "read_address"]
