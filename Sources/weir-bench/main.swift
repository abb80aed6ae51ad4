// Nothing is called by name: that it is linked makes it the malloc of the process.
import CMimalloc
import Glibc

exit(Benchmark.run(Array(CommandLine.arguments.dropFirst())))
