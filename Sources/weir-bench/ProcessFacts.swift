import Glibc

/// Figures that the kernel keeps about another process.
struct ProcessFacts: Sendable {
    let pid: pid_t

    /// Returns a figure of `/proc/PID/status` in megabytes of 1,000,000 bytes. The file contains it in kilobytes.
    func megabytes(_ name: String) -> Double? {
        let lines = contents("status").split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(name) }),
            let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Double($0)
            })
        else { return nil }
        return kilobytes * 1024 / 1e6
    }

    /// The user and system time of all threads, in seconds.
    var processorSeconds: Double? {
        // The name, in parentheses, may contain any text. The fields after it are numbers; the 12th and 13th are the
        // times.
        let words = contents("stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The number of threads of the process.
    var threads: Int { entries(of: "task") }

    /// The number of open file descriptors.
    var descriptors: Int { entries(of: "fd") }

    /// The number of memory mappings of the process.
    var mappings: Int { contents("maps").utf8.count { $0 == UInt8(ascii: "\n") } }

    private func entries(of name: String) -> Int {
        guard let folder = opendir("/proc/\(pid)/\(name)") else { return 0 }
        defer { closedir(folder) }
        // The entries "." and ".." do not count.
        var count = -2
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private func contents(_ name: String) -> String {
        guard let file = fopen("/proc/\(pid)/\(name)", "r") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 8192)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
