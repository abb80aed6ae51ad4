import Glibc

exit(Benchmark.run(Array(CommandLine.arguments.dropFirst())))
