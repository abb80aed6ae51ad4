// Nothing is called by name: that it is linked makes it the malloc of the process.
import CMimalloc
import Glibc
import Live

let code = await Weir.run(Array(CommandLine.arguments.dropFirst()))
ChildProgram.endAll()
exit(code.rawValue)
