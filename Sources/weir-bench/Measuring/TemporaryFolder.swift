import Glibc

/// A new folder that is removed with its contents when this object is released.
final class TemporaryFolder {
    let path: String

    init() throws(BenchmarkError) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/weir-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .failed("no folder can be made in \(base): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(folder)
        }
        Glibc.remove(path)
    }

    /// Returns the whole contents of a file.
    func contents(of name: String) throws(BenchmarkError) -> [UInt8] {
        let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        guard file >= 0, size >= 0, lseek(file, 0, SEEK_SET) == 0 else { throw .failed("\(name) cannot be read") }
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let got = read(file, buffer.baseAddress.map { $0 + count }, size - count)
                if got <= 0 { break }
                count += got
            }
        }
        guard bytes.count == size else { throw .failed("\(name) cannot be read") }
        return bytes
    }

    /// Writes a file atomically, by renaming a temporary one.
    func write(_ text: String, to name: String) throws(BenchmarkError) {
        let part = "\(path)/\(name).part"
        guard let file = fopen(part, "w") else { throw .failed("\(name) cannot be written") }
        fputs(text, file)
        guard fclose(file) == 0, rename(part, "\(path)/\(name)") == 0 else {
            throw .failed("\(name) cannot be written")
        }
    }
}
