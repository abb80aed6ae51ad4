import Glibc

// Runs one target, named by the first argument. The other arguments are libFuzzer's. `.ci/fuzz` builds and runs all
// targets.

typealias FuzzerBody = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

/// libFuzzer's main loop, part of the sanitizer's runtime.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, _ body: FuzzerBody
) -> CInt

/// The environment variable with the target's name. libFuzzer starts processes with arguments of its own for `-merge`
/// and `-minimize_crash`, and they read the target here.
let targetVariable = "WEIR_FUZZ_TARGET"

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
if let name = CommandLine.arguments.dropFirst().first, let target = FuzzTarget(rawValue: name) {
    FuzzTarget.chosen = target
    setenv(targetVariable, name, 1)
    // Removes the target's name, which libFuzzer would read as a folder.
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
