"""What SQLIO and diskspd print, in their forms, with numbers of our own."""

SQLIO = r"""sqlio v1.5.SG
using system counter for latency timings, 2740517 counts per second
parameter file used: param.txt
	file E:\testfile.dat with 4 threads (0-3) using mask 0x0 (0)
4 threads reading for 30 secs from file E:\testfile.dat
	using 8KB random IOs
	enabling multiple I/Os per thread with 8 outstanding
	buffering set to not use file nor disk caches (as is SQL Server)
using specified size: 51200 MB for file: E:\testfile.dat
initialization done
CUMULATIVE DATA:
throughput metrics:
IOs/sec:  7851.80
MBs/sec:    61.34
latency metrics:
Min_Latency(ms): 0
Avg_Latency(ms): 3
Max_Latency(ms): 18
histogram:
ms: 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24+
%:  6  7 20 30 20 10  5  2  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0
"""

DISKSPD_TEXT = r"""
Command Line: diskspd.exe -b8K -d30 -W5 -o8 -t2 -r -w30 -Sh -L -c1G E:\testfile.dat

Input parameters:

	timespan:   1
	-------------
	duration: 30s
	warm up time: 5s
	cool down time: 0s
	measuring latency
	random seed: 0
	path: 'E:\testfile.dat'
		think time: 0ms
		burst size: 0
		software cache disabled
		hardware write cache disabled, writethrough on
		performing mix test (read/write ratio: 70/30)
		block size: 8KiB
		using random I/O (alignment: 8KiB)
		number of outstanding I/O operations per thread: 8
		threads per file: 2
		IO priority: normal

Results for timespan 1:
*******************************************************************************

actual test time:	30.00s
thread count:		2
proc count:		2

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |         1228800 |          150 |       0.04 |       5.00 |    1.250 |     0.500 | E:\testfile.dat (1024MiB)
     1 |         1228800 |          150 |       0.04 |       5.00 |    1.250 |     0.500 | E:\testfile.dat (1024MiB)
-----------------------------------------------------------------------------------------------------
total:           2457600 |          300 |       0.08 |      10.00 |    1.250 |     0.500

Read IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |         1720320 |          210 |       0.05 |       7.00 |    1.000 |     0.500 | E:\testfile.dat (1024MiB)
-----------------------------------------------------------------------------------------------------
total:           1720320 |          210 |       0.05 |       7.00 |    1.000 |     0.500

Write IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |          737280 |           90 |       0.02 |       3.00 |    1.833 |     0.500 | E:\testfile.dat (1024MiB)
-----------------------------------------------------------------------------------------------------
total:            737280 |           90 |       0.02 |       3.00 |    1.833 |     0.500


total:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.100 |      0.200 |      0.100
   25th |      0.500 |      0.900 |      0.600
   50th |      0.900 |      1.500 |      1.000
   95th |      2.500 |      4.000 |      3.000
   99th |      4.000 |      6.000 |      5.000
3-nines |      8.000 |     10.000 |      9.000
    max |     11.000 |     12.000 |     12.000
"""

DISKSPD_XML = r"""<Results>
<System><ComputerName>DB1</ComputerName><Tool><Version>2.2.0</Version></Tool></System>
<Profile><TimeSpans><TimeSpan><Duration>2</Duration><Warmup>5</Warmup>
<Targets><Target><Path>E:\testfile.dat</Path><BlockSize>8192</BlockSize><DisableOSCache>true</DisableOSCache>
<WriteThrough>true</WriteThrough><Random>8192</Random><WriteRatio>30</WriteRatio><RequestCount>8</RequestCount>
</Target></Targets></TimeSpan></TimeSpans></Profile>
<TimeSpan>
<TestTimeSeconds>2.00</TestTimeSeconds><ThreadCount>2</ThreadCount>
<Latency>
<AverageReadMilliseconds>1.000</AverageReadMilliseconds><AverageWriteMilliseconds>1.833</AverageWriteMilliseconds>
<AverageTotalMilliseconds>1.250</AverageTotalMilliseconds>
<Bucket><Percentile>50</Percentile><TotalMilliseconds>1.000</TotalMilliseconds></Bucket>
<Bucket><Percentile>95</Percentile><TotalMilliseconds>3.000</TotalMilliseconds></Bucket>
<Bucket><Percentile>99</Percentile><TotalMilliseconds>5.000</TotalMilliseconds></Bucket>
<Bucket><Percentile>99.9</Percentile><TotalMilliseconds>9.000</TotalMilliseconds></Bucket>
<Bucket><Percentile>100</Percentile><TotalMilliseconds>12.000</TotalMilliseconds></Bucket>
</Latency>
<Iops>
<Bucket SampleMillisecond="1000" Read="98" Write="42" Total="140"/>
<Bucket SampleMillisecond="2000" Read="112" Write="48" Total="160"/>
</Iops>
<Thread><Id>0</Id><Target><Path>E:\testfile.dat</Path><FileSize>1073741824</FileSize>
<ReadBytes>860160</ReadBytes><ReadCount>105</ReadCount><WriteBytes>368640</WriteBytes><WriteCount>45</WriteCount>
</Target></Thread>
<Thread><Id>1</Id><Target><Path>E:\testfile.dat</Path><FileSize>1073741824</FileSize>
<ReadBytes>860160</ReadBytes><ReadCount>105</ReadCount><WriteBytes>368640</WriteBytes><WriteCount>45</WriteCount>
</Target></Thread>
</TimeSpan>
</Results>
"""
