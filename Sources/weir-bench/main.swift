// Linking mimalloc makes it the allocator of the process; no call is needed.
import CWeirMimalloc
import Glibc

exit(Benchmark.run(Array(CommandLine.arguments.dropFirst())))
