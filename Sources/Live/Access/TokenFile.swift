import Glibc
import JSONText
import Network
package import Pipeline
import Wire

/// The file that a login writes. The first line is the token, so that `file:PATH` reads it. The second line is a JSON
/// object with the data for renewal.
package struct TokenFile: Sendable {
    /// The token on the first line.
    var token: Secret
    /// The refresh token; `nil` if the login has none.
    var refresh: Secret?
    /// When to renew the token, in seconds since 1970 on this machine; `nil` if it is unknown.
    var renewal: Int64?
    /// When the refresh token ends, in seconds since 1970 on this machine; `nil` if it is unknown.
    var end: Int64?

    /// Reads the file at a path. Returns `nil` for a file that was not written by a login.
    static func read(_ path: String) -> TokenFile? {
        guard let bytes = contents(of: path), let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            end > bytes.startIndex,
            let rest = try? RawJSON(checking: bytes[(end + 1)...])
        else { return nil }
        func text(_ key: String) -> String? { JSONPath(key: key).value(in: rest)?.plainText }
        return TokenFile(
            token: Secret(String(decoding: bytes[..<end], as: UTF8.self)), refresh: text("refresh").map { Secret($0) },
            renewal: text("renew_at").flatMap { Int64($0) }, end: text("renew_until").flatMap { Int64($0) })
    }

    /// Writes tokens that a server has just issued, completely or not at all. Returns the problem, or `nil` on success.
    package static func write(_ tokens: AccountTokens, to path: String) -> String? {
        let life = tokens.lifetime ?? life(to: tokens.expiration, of: tokens)
        let rest = RawJSON.object {
            $0.member("refresh", tokens.refresh?.reveal())
            $0.member("expiration", tokens.expiration)
            $0.member("refresh_expiration", tokens.refreshExpiration)
            // Renewal is due a minute before the token ends, or a fifth of its lifetime before, whichever is shorter.
            $0.member("renew_at", life.map { now + $0 - max(1, min(60, $0 / 5)) })
            $0.member("renew_until", Self.life(to: tokens.refreshExpiration, of: tokens).map { now + $0 })
        }
        return WholeFile.write(Array("\(tokens.token.reveal())\n\(rest)\n".utf8), to: path)
    }

    /// Returns the lifetime, in seconds, of a token that ends at a time on the server's clock. Returns `nil` if that
    /// time has passed on arrival: then the clocks differ, and only the server's refusal shows when the token ends.
    private static func life(to end: Int64?, of tokens: AccountTokens) -> Int64? {
        end.map { $0 - (tokens.issued ?? now) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether the token must be renewed: its time has come, or the server refused it.
    func isDue(insteadOf refused: Secret?) -> Bool { token == refused || renewal.map { $0 <= Self.now } ?? false }

    /// Whether the server no longer renews the token.
    var isOver: Bool { end.map { $0 <= Self.now } ?? false }

    /// The current time, in seconds since 1970.
    static var now: Int64 { MachineClock.wall / 1_000_000 }

    /// The size limit of the file, in bytes. No login writes more.
    private static let longest = 64 << 10

    private static func contents(of path: String) -> ArraySlice<UInt8>? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = fread(&bytes, 1, longest, file)
        return count < longest ? bytes[..<count] : nil
    }
}

/// An exclusive lock for the process that renews a token. It locks the file's folder, since the file itself is
/// replaced.
struct TokenTurn: Sendable {
    private let descriptor: Int32
    /// The longest wait for another process, which renews a token and waits for the server itself.
    private static let patience: Duration = .seconds(30)

    /// Waits for the lock. Returns `nil` if another process does not release it in time. Blocks: call it on a helper
    /// thread.
    init?(_ path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? "."
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let deadline = MachineClock.monotonic + Self.patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard MachineClock.monotonic < deadline else {
                close(descriptor)
                return nil
            }
            usleep(20_000)
        }
    }

    func end() { close(descriptor) }
}
