import Glibc
import Testing

/// Creates a private folder in the temporary folder (`TMPDIR`). `Tests/run` removes all of them at its end.
public func temporaryFolder() throws -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/test-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Writes text to a file, replacing its contents.
public func writeFile(_ path: String, _ text: String) throws { try writeFile(path, Array(text.utf8)) }

/// Writes bytes to a file, replacing its contents.
public func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
}

/// Reads the whole contents of a file.
public func readFile(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"), "\(path) cannot be opened")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&part, 1, part.count, file)
        guard count > 0 else { return bytes }
        bytes += part[..<count]
    }
}

/// Returns the sorted names of a folder's entries, without hidden ones. Returns none when the folder cannot be read.
public func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}

/// The path of the package's root folder.
public let packageFolder: String = {
    let parts = #filePath.split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/")
}()

/// The folder of the peer programs.
public let peersFolder = packageFolder + "/Tests/Peers"

/// Returns a free port of the loopback interface. No other process of these tests receives the same port while this
/// process lives, since the UDP port with the same number stays bound. The port is below the range from which Linux
/// assigns ports automatically (32768 and up), so that no other program takes it before it is used.
public func freePort() throws -> UInt16 {
    for _ in 0..<1_000 {
        let port = UInt16.random(in: 20_000..<32_000)
        guard let twin = bound(SOCK_DGRAM, port) else { continue }
        if let socket = bound(SOCK_STREAM, port) {
            close(socket)
            return port
        }
        close(twin)
    }
    throw NoPort()
}

/// Returns a socket bound to a loopback port, or `nil` when the port is taken.
private func bound(_ type: __socket_type, _ port: UInt16) -> Int32? {
    let descriptor = socket(AF_INET, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    if status == 0 { return descriptor }
    close(descriptor)
    return nil
}

private struct NoPort: Error {}

/// Returns the folder in which `Tests/run` installed a peer's environment, or `nil` when it is not installed. Its tests
/// are then skipped.
public func environment(_ name: String) -> String? {
    let folder = packageFolder + "/.build/peers/" + name
    return access(folder + "/requirements", R_OK) == 0 ? folder : nil
}

/// A browser without a window; `nil` if none is installed.
public let chromium: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first { access($0, X_OK) == 0 }

/// The path of the reference client's browser bundle, installed by `Tests/run`; `nil` when it is not installed.
public let socketIOBundle: String? = {
    let path = packageFolder + "/.build/peers/socket.io.min.js"
    return access(path, R_OK) == 0 ? path : nil
}()

/// The folder in which node finds Debian's `ws` package; `nil` when it is not installed. NodeSource's node does not
/// search there by itself.
public let nodePackages: String? = ["/usr/share/nodejs", "/usr/lib/nodejs"].first { access($0 + "/ws", R_OK) == 0 }
