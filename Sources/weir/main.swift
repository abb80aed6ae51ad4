import Glibc

exit(await Weir.run(Array(CommandLine.arguments.dropFirst())).rawValue)
