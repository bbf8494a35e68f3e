"""What Spindle reads and writes for DVD Store 2's drivers."""

from engine.workloads.driver_files import DriverFiles
from engine.workloads.dvdstore.ds2.log import read_ds2_log
from engine.workloads.dvdstore.ds2.parameters import (
    DEFAULTS,
    ds2_config_of,
    parse_ds2_arguments,
    parse_ds2_config,
    plan_from_ds2,
)

DRIVER_FILES = DriverFiles(
    defaults=DEFAULTS,
    note="Times are as DVD Store 2 takes them: think_time in seconds, run_time and warmup_time in minutes, rounded up.",
    parse_file=parse_ds2_config,
    parse_arguments=parse_ds2_arguments,
    plan_of=plan_from_ds2,
    file_of=ds2_config_of,
    read_log=read_ds2_log,
)
