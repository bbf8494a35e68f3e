"""What the compared runs are called and drawn as, which are not aligned, and how far their figures vary by chance."""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter

from engine.analysis.comparing.comparison import Moment, Place
from engine.analysis.comparing.noise import Noise, Spread, noise_between
from engine.analysis.comparing.references import Reference
from engine.analysis.run_data import RunData
from engine.record.record import RunRecord
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.look import Hue


def client_rate(reference: Reference, client: int) -> float | None:
    """The headline rate of a published result's client by its number; ``None`` where it has no such client."""
    return reference.client_headline_rates[client - 1] if client <= len(reference.client_headline_rates) else None


def distinct_names(records: Sequence[RunRecord]) -> list[str]:
    """A unique name for each run: runs with the same name get the time of their start, or their id, appended."""
    names = [record.name or record.run_id for record in records]
    dated = [
        name if names.count(name) == 1 else f"{name} ({record.started_at.astimezone():%m-%d %H:%M})"
        for name, record in zip(names, records, strict=True)
    ]
    taken = Counter(dated)
    return [
        name if taken[name] == 1 else f"{name} {record.run_id}" for name, record in zip(dated, records, strict=True)
    ]


def client_names(runs: Sequence[RunData]) -> list[str]:
    """The clients by number, with the label if all runs have the same."""
    texts = []
    for number in range(1, max(len(run.clients) for run in runs) + 1):
        labels = {run.clients[number - 1].label for run in runs if number <= len(run.clients)}
        texts.append(f"client {number}, {labels.pop()}" if len(labels) == 1 else f"client {number}")
    return texts


def curve_style(name: str, place: int, *, is_baseline: bool) -> CurveStyle:
    """The baseline is drawn in the colour of totals, any other run in that of its place."""
    if is_baseline:
        return CurveStyle(name=f"{name} (baseline)", colour=attrgetter("total"), rank=1)
    return CurveStyle(name=name, colour=Hue(place))


def unaligned_sentences(names: Sequence[str], places: Sequence[Place | None], moment: Moment) -> list[str]:
    """Name the runs without the moment of the alignment, and those aligned at another one."""
    missing = [name for name, place in zip(names, places, strict=True) if place is None]
    others = [
        f"{name} at its first fault “{place.instead_of}”"
        for name, place in zip(names, places, strict=True)
        if place is not None and place.instead_of
    ]
    sentences = []
    if others:
        sentences.append(f"Without a mark “{moment.label}”, aligned: {', '.join(others)}.")
    if missing:
        sentences.append(f"Not shown, because they have no such mark: {', '.join(missing)}.")
    return sentences


def noises(spreads: Sequence[Mapping[str, Spread]], baseline: int) -> list[dict[str, Noise]]:
    """The random variation of each run's differences from the baseline, by figure."""
    of_baseline = spreads[baseline]
    return [
        {
            figure: noise
            for figure in {*spread, *of_baseline}
            if (noise := noise_between(spread.get(figure), of_baseline.get(figure))) is not None
        }
        for spread in spreads
    ]
