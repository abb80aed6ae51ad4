import Glibc
import Testing

/// Runs `body` with the path of a new folder, which is then removed with its contents.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    var template = Array("/tmp/weir-recording-XXXXXX".utf8CString)
    let path = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { remove(tree: path) }
    return try body(path)
}

private func remove(tree path: String) {
    if let folder = opendir(path) {
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { remove(tree: path + "/" + name) }
        }
        closedir(folder)
    }
    Glibc.remove(path)
}

/// The bytes of a file.
func contents(of path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"), "\(path) cannot be opened")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&part, 1, part.count, file)
        if count == 0 { return bytes }
        bytes.append(contentsOf: part[..<count])
    }
}

/// Creates a file with `bytes`.
func write(_ bytes: [UInt8], to path: String) throws {
    let file = try #require(fopen(path, "w"), "\(path) cannot be created")
    fwrite(bytes, 1, bytes.count, file)
    #expect(fclose(file) == 0)
}

/// Creates a pipe; without `waits`, neither end blocks.
func makePipe(waits: Bool) throws -> (output: Int32, input: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    if !waits {
        for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    }
    return (ends[0], ends[1])
}
