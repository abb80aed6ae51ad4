import Glibc
import Testing

/// A new folder under the temporary one (`TMPDIR`), for this user only. `Tests/run` removes them all at its end.
public func temporaryFolder() throws -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/test-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Writes a text file.
public func writeFile(_ path: String, _ text: String) throws { try writeFile(path, Array(text.utf8)) }

/// Writes a file.
public func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
}

/// Reads a whole file.
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

/// The names of what is in a folder, in order, but for hidden ones; none when it cannot be read.
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

/// The package's folder.
public let packageFolder: String = {
    let parts = #filePath.split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/")
}()

/// The folder of the peers' programs.
public let peersFolder = packageFolder + "/Tests/Peers"

/// A free port of the loopback interface, which no other process of these tests is given as long as this one lives: for that its UDP
/// twin is held. It is below those that Linux gives to who asks for any (32768 and up), so that nobody takes it before it is used.
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

/// A socket at a port of the loopback interface; nil when the port is taken.
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

/// Where `Tests/run` installed a peer's environment; nil when it could not be installed, and then its tests are skipped.
public func environment(_ name: String) -> String? {
    let folder = packageFolder + "/.build/peers/" + name
    return access(folder + "/requirements", R_OK) == 0 ? folder : nil
}

/// The reference client's browser bundle, where `Tests/run` put it; nil when it could not be had.
public let socketIOBundle: String? = {
    let path = packageFolder + "/.build/peers/socket.io.min.js"
    return access(path, R_OK) == 0 ? path : nil
}()

/// Where node finds Debian's `ws` package, which NodeSource's node does not look for by itself; nil when it is not installed.
public let nodePackages: String? = ["/usr/share/nodejs", "/usr/lib/nodejs"].first { access($0 + "/ws", R_OK) == 0 }
