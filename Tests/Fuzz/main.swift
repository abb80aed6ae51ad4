import Glibc

// One target, named by the first argument; what follows is libFuzzer's own. `.ci/fuzz` builds and runs them all.

typealias FuzzerBody = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

/// libFuzzer's loop, which the sanitizer's runtime brings along.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, _ body: FuzzerBody
) -> CInt

/// Tells the processes that libFuzzer starts for `-merge` and `-minimize_crash`, whose arguments are its own, which target it is.
let targetVariable = "WEIR_FUZZ_TARGET"

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
if let name = CommandLine.arguments.dropFirst().first, let target = FuzzTarget(rawValue: name) {
    FuzzTarget.chosen = target
    setenv(targetVariable, name, 1)
    // The name is ours: libFuzzer would take it for a folder.
    arguments[1] = arguments[0]
    arguments += 1
    count -= 1
} else if let target = getenv(targetVariable).flatMap({ FuzzTarget(rawValue: String(cString: $0)) }) {
    FuzzTarget.chosen = target
} else {
    print(FuzzTarget.allCases.map(\.rawValue).joined(separator: "\n"))
    exit(2)
}

exit(
    runFuzzer(&count, &arguments) { data, size in
        FuzzTarget.chosen.run(ArraySlice(UnsafeBufferPointer(start: data, count: size)))
        return 0
    })
