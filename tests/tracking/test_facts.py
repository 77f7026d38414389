"""Parameters and tags: bounded, distinct, and without what is not for many eyes."""

from saiten.tracking.facts import params_of, tags_of
from saiten.tracking.names import bounded
from saiten.tracking.run import Tracking


def tracking(settings, signatures=None):
    """A run with these settings."""
    return Tracking("id", "n", tuple, tuple, signatures or {}, settings)


def test_settings_are_parameters_by_their_path():
    """Nested settings by their path; a key with a dot in it is no path."""
    params = params_of(tracking({"judge": "offline", "system": {"name": "x", "k": 5}, "system.k": None, "none": {}}))
    assert params.pop("judge") == "offline"
    assert (params.pop("system.name"), params.pop("system.k"), params.pop("none")) == ("x", "5", "{}")
    assert list(params.values()) == ["null"]


def test_long_values_are_cut_and_still_differ():
    """500 characters, the limit of old servers; the digest distinguishes two that begin the same."""
    one, other = bounded("x" * 5000), bounded("x" * 4999 + "y")
    assert len(one) == len(other) == 500
    assert one != other


def test_parameters_and_signatures_are_bounded():
    """A run with a thousand settings is tracked all the same."""
    many = {f"s{n}": n for n in range(1000)}
    assert len(params_of(tracking(many))) == 100
    assert len(tags_of(tracking({}, dict.fromkeys(many, "made")), "d", None)) == 103


def test_no_password_of_an_address_goes_there():
    """A judge's address may hold one; the store may be read by many."""
    params = params_of(tracking({"judge": "openai:m@http://me:s3cret@host:1/v1", "\x1b[2J": "\x1b]0;t\x07\ud800"}))
    assert params["judge"] == "openai:m@http://***@host:1/v1"
    assert "\x1b" not in str(params)
    assert str(params).isprintable() or "\\ud800" in str(params)
