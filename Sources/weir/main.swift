// No function is called: linking the module makes mimalloc the allocator of the process.
import CMimalloc
import Glibc
import Live

let code = await Weir.run(Array(CommandLine.arguments.dropFirst()))
ChildProgram.endAll()
exit(code.rawValue)
