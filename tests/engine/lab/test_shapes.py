"""Shapes of a lab: named, checked, compared, and sent to the keeper."""

import json

import pytest

from engine.errors import BadInput
from engine.lab.shapes import LAB_NAMES, LabShape, lab_target
from engine.target.target import Target


@pytest.mark.parametrize(
    ("name", "url", "words"),
    [
        ("single", "embedded:///ds2", "a single server"),
        ("pair", "embedded:///ds2?nodes=2&sync=on&failover=fast", "a synchronous pair, failover fast"),
        ("async-pair", "embedded:///ds2?nodes=2&sync=off&failover=fast", "an asynchronous pair, failover fast"),
        ("three", "embedded:///ds2?nodes=3&sync=on&failover=fast", "a synchronous group of 3, failover fast"),
    ],
)
def test_a_name_stands_for_a_target_and_its_shape(name: str, url: str, words: str) -> None:
    target = lab_target(name)
    assert name in LAB_NAMES
    assert target.url == LabShape.of(target).url == url
    assert Target.parse(url) == (target, None)
    assert LabShape.of(target).in_words() == words


def test_another_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadInput, match="'quartet'; give one of single, pair, async-pair, three"):
        lab_target("quartet")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"nodes": 4}, "nodes is 4"),
        ({"nodes": 1, "sync": True}, "sync is on with nodes=1"),
        ({"nodes": 2, "failover": "psychic"}, "failover is 'psychic'"),
        ({"probe_interval_seconds": 0.01}, r"0\.05 to 60 s"),
        ({"probe_misses": 0}, "1 to 100"),
        ({"rejoin_after_seconds": -1.0}, "0 to 86400 s"),
    ],
)
def test_a_shape_that_can_not_be_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        LabShape(**fields)  # type: ignore[arg-type]


def test_a_shape_survives_the_way_to_the_keeper() -> None:
    shape = LabShape(nodes=3, sync=True, failover="probe", probe_misses=5, rejoin_after_seconds=10.0)
    assert LabShape.from_message(json.loads(json.dumps(shape.to_message()))) == shape


def test_shape_of_the_same_target_is_met_whatever_its_probing() -> None:
    asked = LabShape(nodes=2, sync=True, failover="probe")
    assert asked.is_met_by(LabShape(nodes=2, sync=True, failover="probe", probe_misses=9))
    assert not asked.is_met_by(LabShape(nodes=2, sync=False, failover="probe"))
    assert asked.is_target_only
    assert not LabShape(nodes=2, rejoin_after_seconds=1.0).is_target_only
