import Glibc

// One codec, named by the first argument; what follows is libFuzzer's own. `.ci/fuzz` builds and runs them all.

typealias FuzzerBody = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

/// libFuzzer's loop, which the sanitizer's runtime brings along.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, _ body: FuzzerBody
) -> CInt

guard let name = CommandLine.arguments.dropFirst().first, let target = FuzzTarget(rawValue: name) else {
    print(FuzzTarget.allCases.map(\.rawValue).joined(separator: "\n"))
    exit(2)
}
FuzzTarget.chosen = target

// The name is ours: libFuzzer would take it for a folder.
var count = CommandLine.argc - 1
var arguments = CommandLine.unsafeArgv + 1
exit(
    runFuzzer(&count, &arguments) { data, size in
        FuzzTarget.chosen.run(ArraySlice(UnsafeBufferPointer(start: data, count: size)))
        return 0
    })
