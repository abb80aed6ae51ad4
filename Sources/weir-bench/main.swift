// Linking mimalloc makes it the allocator of the process; no call is needed.
import CMimalloc
import Glibc

exit(Benchmark.run(Array(CommandLine.arguments.dropFirst())))
