import WeirJSON
import WeirNetwork
package import WeirPipeline
import WeirTerminal
package import WeirWire

/// A parser for emits that a user types: `NAME ARG ARG…`. A name with spaces is quoted as in JSON. An ARG is a JSON
/// value, or `@FILE` (`@"FILE"`) for the bytes of a file.
package struct EmitText {
    /// The reason why the user's text is invalid.
    package struct Problem: Error {
        /// The problem as one sentence.
        package let message: String
    }

    private let bytes: [UInt8]
    private var offset = 0

    /// Creates a parser at the beginning of the text.
    package init(_ text: String) { bytes = Array(text.utf8) }

    /// Parses the name at the current position: up to a space, or up to `end`, which is consumed.
    package mutating func name(endedBy end: Character = " ") throws(Problem) -> String {
        skipSpace()
        let name: String
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
            name = try string()
        } else {
            let rest = bytes[offset...].prefix { !Self.isSpace($0) && $0 != end.asciiValue }
            name = String(decoding: rest, as: UTF8.self)
            offset += rest.count
        }
        guard !name.isEmpty else { throw Problem(message: "the name of the event is missing") }
        if offset < bytes.count, bytes[offset] == end.asciiValue { offset += 1 }
        return name
    }

    /// Parses the remaining text as arguments.
    package mutating func arguments() throws(Problem) -> SocketIO.Arguments {
        var arguments = SocketIO.Arguments()
        while skipSpace() {
            if bytes[offset] == UInt8(ascii: "@") {
                offset += 1
                arguments.append(binary: try Self.file(try name())[...])
                continue
            }
            let start = offset
            do throws(JSONError) {
                var reader = JSONReader(bytes.span, at: offset)
                arguments.append(RawJSON(unchecked: bytes[try reader.skip()]))
                offset = reader.offset
            } catch {
                throw Self.noJSON(bytes[start...], error)
            }
            guard offset == bytes.count || Self.isSpace(bytes[offset]) else {
                throw Self.noJSON(bytes[start...], JSONError(.trailingBytes, at: offset))
            }
        }
        return arguments
    }

    /// Appends an argument that is given as a separate word: a JSON value, or `@FILE`.
    package static func append(_ word: String, to arguments: inout SocketIO.Arguments) throws(Problem) {
        if word.hasPrefix("@") { return arguments.append(binary: try file(String(word.dropFirst()))[...]) }
        do throws(JSONError) {
            arguments.append(try RawJSON(checking: Array(word.utf8)[...]))
        } catch {
            throw noJSON(Array(word.utf8)[...], error)
        }
    }

    private static func file(_ path: String) throws(Problem) -> [UInt8] {
        do throws(TextFile.Problem) {
            return try TextFile.bytes(path, limit: Limits.standard)
        } catch {
            throw Problem(message: "\(TerminalText.escaped(path)): \(error.message)")
        }
    }

    private static func noJSON(_ bytes: ArraySlice<UInt8>, _ error: JSONError) -> Problem {
        let word = TerminalText.truncated(String(decoding: bytes.prefix { !isSpace($0) }, as: UTF8.self), to: 40)
        return Problem(
            message: "the text after the name is not JSON: '\(word)' (\(error.description)); quote a text: \"text\"")
    }

    private mutating func string() throws(Problem) -> String {
        do throws(JSONError) {
            var reader = JSONReader(bytes.span, at: offset)
            let name = try reader.string()
            offset = reader.offset
            return name
        } catch {
            throw Problem(message: "the quoted name has no closing quote: \(error.description)")
        }
    }

    /// Skips white space. Returns `false` at the end of the text.
    @discardableResult
    private mutating func skipSpace() -> Bool {
        while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
        return offset < bytes.count
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }
}

extension Emit {
    /// Creates an event from a line that a user typed: `NAME ARG ARG…`.
    package init(line: String, patience: Duration?) throws(EmitText.Problem) {
        var text = EmitText(line)
        self.init(try text.name(), try text.arguments(), patience: patience)
    }
}
