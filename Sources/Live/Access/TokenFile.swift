import Glibc
import JSONText
import Network
package import Pipeline
import Wire

/// The file that a login writes: the token on the first line, so that `file:PATH` reads it, and what renews it on the second, as JSON.
package struct TokenFile: Sendable {
    /// The token, and what renews it.
    var token: Secret
    var refresh: Secret?
    /// When the token is to be renewed, and from when on it cannot be, unix seconds of this machine; nil where that is not known.
    var renewal: Int64?
    var end: Int64?

    /// The file at a path; nil for a file that no login wrote.
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

    /// Writes what a server handed out just now, whole or not at all. Gives what is wrong, if anything is.
    package static func write(_ tokens: AccountTokens, to path: String) -> String? {
        let life = tokens.lifetime ?? life(to: tokens.expiration, of: tokens)
        let rest = RawJSON.object {
            $0.member("refresh", tokens.refresh?.reveal())
            $0.member("expiration", tokens.expiration)
            $0.member("refresh_expiration", tokens.refreshExpiration)
            // A minute before the token ends, or a fifth of its life.
            $0.member("renew_at", life.map { now + $0 - max(1, min(60, $0 / 5)) })
            $0.member("renew_until", Self.life(to: tokens.refreshExpiration, of: tokens).map { now + $0 })
        }
        return WholeFile.write(Array("\(tokens.token.reveal())\n\(rest)\n".utf8), to: path)
    }

    /// How long something lives that ends at a time of the server's clock, in seconds. Nil for what is over when it comes: the clocks differ, and
    /// only the server's refusal says when it ends.
    private static func life(to end: Int64?, of tokens: AccountTokens) -> Int64? {
        end.map { $0 - (tokens.issued ?? now) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether it must be renewed: its time has come, or the server refused it.
    func isDue(insteadOf refused: Secret?) -> Bool { token == refused || renewal.map { $0 <= Self.now } ?? false }

    /// Whether the server does not renew it any more.
    var isOver: Bool { end.map { $0 <= Self.now } ?? false }

    /// Unix seconds.
    static var now: Int64 { MachineClock.wall / 1_000_000 }

    /// No login writes more than this.
    private static let longest = 64 << 10

    private static func contents(of path: String) -> ArraySlice<UInt8>? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = fread(&bytes, 1, longest, file)
        return count < longest ? bytes[..<count] : nil
    }
}

/// The turn of the one process that renews a token: a lock on the file's folder, since the file itself is replaced.
struct TokenTurn: Sendable {
    private let descriptor: Int32
    /// A process that renews a token waits for the server for so long at most.
    private static let patience: Duration = .seconds(30)

    /// Waits for the turn; nil when another process does not end its own. Blocks: call it on a helper thread.
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
