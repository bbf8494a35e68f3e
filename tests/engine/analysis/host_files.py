"""Small files of hosts and meters in their documented forms, and what was read of them in short."""

from engine.analysis.host.samples import Samples

BACKSLASH = "\\"
TYPEPERF_END = "Exiting, please wait...                         \r\nThe command completed successfully.\r\n"

SADF = """\
# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
dbhost;5;2026-11-20 10:00:05 UTC;-1;7.00;0.00;3.00;10.00;0.00;80.00
dbhost;5;2026-11-20 10:00:05 UTC;0;1.00;0.00;1.00;0.00;0.00;98.00
dbhost;5;2026-11-20 10:00:10 UTC;-1;17.00;0.00;3.00;10.00;0.00;70.00
# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util
dbhost;5;2026-11-20 10:00:05 UTC;sda;417.80;44576.00;523.20;0.00;2815.12;21.85;52.28;54.68
dbhost;-1;2026-11-20 10:00:07 UTC;LINUX-RESTART\t(4 CPU)
dbhost;5;2026-11-20 10:00:10 UTC;sda;12.60;323.20;0.00;0.00;25.65;0.03;2.62;1.60
# hostname;interval;timestamp;runq-sz;plist-sz;ldavg-1
dbhost;5;2026-11-20 10:00:05 UTC;2;242;1.02
# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil
dbhost;5;2026-11-20 10:00:10 UTC;eth0;1.00;2.00;1000.00;2000.00;0.00;0.00;0.00;0.13
"""

SAR = """\
Linux 6.1.0-28-amd64 (dbhost) \t11/20/2026 \t_x86_64_\t(4 CPU)

11:59:57 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle
11:59:59 PM     all      1.00      0.00      0.50      0.10      0.00     98.40
12:00:01 AM     all     41.00      0.00      9.00      0.00      0.00     50.00

11:59:57 PM    proc/s   cswch/s
11:59:59 PM      1.00      2.00

11:59:57 PM       DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util
11:59:59 PM       sda      5.00      2.00      0.00      1.00      0.00      0.10     50.00
12:00:01 AM       sda      7.00      2.00      0.00      1.00      0.00      0.10     60.00

12:00:02 AM  LINUX RESTART\t(4 CPU)
Average:          sda      6.00      2.00      0.00      1.00      0.00      0.10     55.00
"""

IOSTAT = """\
Linux 6.1.0-28-amd64 (dbhost) \t20/11/26 \t_x86_64_\t(4 CPU)

20/11/26 10:00:01
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1,00    0,00    0,50    0,10    0,00   98,40

Device            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util
sda              1,00      8,00    2,00     16,00    0,00   3,00

20/11/26 10:00:02
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          30,00    0,00   20,00   10,00    0,00   40,00

Device            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util
sda            100,00    800,00  200,50   1600,00    0,70  30,00
nvme0n1          5,00      8,00    0,00      0,00    0,00   0,10
"""


def performance_monitor(paths: list[str], rows: list[list[str]], zone: str = " (Central Daylight Time)(300)") -> str:
    """A file as relog writes it: everything in quotation marks, lines ended as on Windows."""
    lines = [[f"(PDH-CSV 4.0){zone}", *paths], *rows]
    return "".join(",".join(f'"{cell}"' for cell in line) + "\r\n" for line in lines)


def counter(path: str, host: str = "SQL1") -> str:
    """A counter's full path: ``Processor(_Total)/% Processor Time``, with slashes for the separators alone."""
    object_name, _, name = path.partition("|")
    return BACKSLASH * 2 + BACKSLASH.join((host, object_name, name))


def read(samples: Samples) -> dict[str, list[float]]:
    """The values that were read, by label."""
    return {series.label: series.values.tolist() for series in samples.series()}
