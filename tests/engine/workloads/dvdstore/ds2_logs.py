"""Writes what a DVD Store driver prints, from numbers, so that tests know what an import has to find."""

from collections.abc import Sequence


def report(
    et: float,
    orders: int,
    *,
    mean_ms: int = 50,
    sampled_ms: int | None = None,
    rollbacks: int = 0,
    opm: int | None = None,
) -> str:
    """The line that a driver prints every ten seconds; without ``sampled_ms`` as DS2 printed it before 2.1."""
    rate = int(60 * orders / et) if opm is None else opm
    sampled = "" if sampled_ms is None else f"rt_tot_sampled={sampled_ms} "
    percent = 100 * rollbacks / orders if orders else 0.0
    return (
        f"et={et:7.1f} n_overall={orders} opm={rate} rt_tot_lastn_max_msec=210 rt_tot_avg_msec={mean_ms} "
        f"{sampled}rollbacks: n={rollbacks} %={percent:5.1f} "
    )


def final(
    et: float, orders: int, *, date: str | None = "3/14/2011 9:26:53 PM", mean_ms: int = 50, rollbacks: int = 0
) -> str:
    """The Final line of all targets, or without a date that of one of several."""
    stamp = f"({date})" if date is not None else ""
    return (
        f"Final {stamp}: et={et:7.1f} n_overall={orders} opm={int(60 * orders / et)} rt_tot_lastn_max=210 "
        f"rt_tot_avg={mean_ms} n_login_overall={orders - orders // 5} n_newcust_overall={orders // 5} "
        f"n_browse_overall={3 * orders} n_purchase_overall={orders} rt_login_avg_msec=4 rt_newcust_avg_msec=6 "
        f"rt_browse_avg_msec=9 rt_purchase_avg_msec=13 rt_tot_sampled={mean_ms} n_rollbacks_overall={rollbacks} "
        f"rollback_rate = {100 * rollbacks / orders if orders else 0:5.1f}%"
    )


def echo(target: str, *, threads_together: int, warmup: int = 1, run: int = 1) -> str:
    """The two lines in which a driver tells its parameters, and the empty one after them."""
    return (
        f"target= {target}  n_threads= {threads_together}  ramp_rate= 10  run_time= {run}  db_size= 20GB"
        f"  warmup_time= {warmup}  think_time= 0.02\npct_newcustomers= 20  n_searches= 3  search_batch_size= 5"
        "  n_line_items= 5  virt_dir= ds2  page_type= php  windows_perf_host=  detailed_view= Y"
        " linux_perf_host= root:hunter2:db1\n"
    )


def log(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def wrapped(text: str, columns: int) -> str:
    """The text as a console of that width leaves it when it is copied."""
    return "\n".join(piece for line in text.splitlines() for piece in _pieces(line.rstrip(), columns))


def _pieces(line: str, columns: int) -> Sequence[str]:
    return [line[at : at + columns] for at in range(0, len(line), columns)] or [""]
