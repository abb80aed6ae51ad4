import Glibc

/// What the kernel counts of another process.
struct ProcessFacts: Sendable {
    let pid: pid_t

    /// A figure of `/proc/PID/status` that is in kilobytes, in megabytes of 1 000 000 bytes.
    func megabytes(_ name: String) -> Double? {
        let lines = contents("status").split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(name) }),
            let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Double($0)
            })
        else { return nil }
        return kilobytes * 1024 / 1e6
    }

    /// User and system time of all its threads.
    var processorSeconds: Double? {
        // The name, in brackets, may hold anything; what follows it is numbers: the 12th and 13th are the times.
        let words = contents("stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Its threads.
    var threads: Int { entries(of: "task") }

    /// Its open descriptors.
    var descriptors: Int { entries(of: "fd") }

    /// The stretches of its memory.
    var mappings: Int { contents("maps").utf8.count { $0 == UInt8(ascii: "\n") } }

    private func entries(of name: String) -> Int {
        guard let folder = opendir("/proc/\(pid)/\(name)") else { return 0 }
        defer { closedir(folder) }
        // "." and ".." are among them.
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
