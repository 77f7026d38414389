"""The plan of an experiment, kept in its folder, so that the folder alone tells what it is about."""

import json
from pathlib import Path

from pydantic import ValidationError

from saiten.durable.whole_file import write_whole
from saiten.errors import ConfigurationError
from saiten.experiments.plan import ExperimentPlan
from saiten.redaction import redact_settings

PLAN_NAME = "plan.json"


def keep_plan(plan: ExperimentPlan, folder: Path) -> None:
    """Write it into the folder without what is secret, over an earlier one; raises ConfigurationError."""
    text = json.dumps(redact_settings(plan.model_dump(mode="json")), ensure_ascii=False, indent=2) + "\n"
    write_whole(folder / PLAN_NAME, text, otherwise="name another folder with --out")


def kept_plan(folder: Path) -> ExperimentPlan:
    """The plan of the experiment in this folder.

    Raises:
        ConfigurationError: it cannot be read, or is of another version.
    """
    path = folder / PLAN_NAME
    try:
        return ExperimentPlan.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigurationError(
            f"{path} is no plan that this saiten reads ({'.'.join(map(str, first['loc']))}: {first['msg']}); "
            "`saiten experiment FILE` writes it anew and asks nothing twice"
        ) from error
