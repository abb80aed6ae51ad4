// No function is called: linking the module makes mimalloc the allocator of the process.
import CWeirMimalloc
import Glibc
import WeirLive

let code = await Weir.run(Array(CommandLine.arguments.dropFirst()))
ChildProgram.endAll()
exit(code.rawValue)
