import WeirJSON

/// An error thrown when an event or a REST answer cannot be decoded. It describes what was expected,
/// and where in the payload.
public struct DecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The wire name of the event, or the name of the entity being decoded. Untrusted text.
    public var subject: String
    /// A one-line description for people: the path of the field and what is wrong with it. Untrusted text.
    public var message: String
    /// The byte offset in the payload, which is the event's first argument or the answer's body.
    public var offset: Int

    /// Creates a failure at a byte offset of the payload.
    public init(subject: String, message: String, offset: Int) {
        self.subject = subject
        self.message = message
        self.offset = offset
    }

    /// Returns the failure for an event of a protocol that the backend does not speak.
    package static func foreign(_ subject: String) -> DecodingFailure {
        DecodingFailure(subject: subject, message: "an event of another protocol", offset: 0)
    }

    /// The subject, the message and the byte offset on one line.
    public var description: String { "\(subject): \(message) (byte \(offset))" }
}

/// The reason why a value does not have the form that a decoder expected, and its offset. It becomes a
/// `DecodingFailure` once the decoded event or answer is known.
///
/// Decoders do not carry the path of a field along; it is found in the text when a failure is reported.
struct Mismatch: Error {
    enum Reason {
        /// The text is not JSON, or a value is of another kind than expected.
        case json(JSONError.Reason)
        /// The object at the offset lacks this field, or the field is null.
        case missing(StaticString)
        /// Any other reason, in readable form.
        case unusable(StaticString)
    }
    var reason: Reason
    /// The offset in bytes from the start of the payload.
    var offset: Int

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    init(_ error: JSONError) {
        self.init(.json(error.reason), at: error.offset)
    }

    /// The reason in readable form, without the position.
    private var words: String {
        switch reason {
        case .missing: "missing"
        case .unusable(let words): words.description
        case .json(.wrongKind(let expected, let found)): "expected \(expected.words), found \(found.words)"
        case .json(.unexpectedEnd): "the text ends inside a value"
        case .json(.unexpectedByte(let byte)): "unexpected byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        case .json(.trailingBytes): "something follows the value"
        case .json(.invalidUTF8): "not UTF-8"
        case .json(.invalidString): "not a valid string"
        case .json(.invalidNumber): "not a valid number, or out of range"
        case .json(.tooDeep(let found, let limit)): "nested \(found) levels deep; the limit is \(limit)"
        }
    }

    /// Returns the failure to report, with as much of the field's path as `reader` can find. The reader must be
    /// at the start of the text.
    func failure(of subject: String, in reader: inout JSONReader) -> DecodingFailure {
        var path = reader.path(to: offset)
        if case .missing(let field) = reason {
            path += path.isEmpty ? field.description : ".\(field)"
        }
        return DecodingFailure(
            subject: subject, message: path.isEmpty ? words : "\(path): \(words)", offset: offset)
    }
}

extension JSONKind {
    fileprivate var words: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .bool: "a Boolean"
        case .null: "null"
        }
    }
}

extension JSONReader {
    /// Returns the keys and indices that lead from the next value to the one at `target`, as in `resource.members[2]`.
    ///
    /// Each level scans the value that it enters once more, so the number of levels is bounded.
    fileprivate mutating func path(to target: Int) -> String {
        var path = ""
        for _ in 0..<8 {
            guard let step = try? step(to: target) else { break }
            path += path.isEmpty && step.hasPrefix(".") ? String(step.dropFirst()) : step
        }
        return path
    }

    /// Enters the next level of the path to `target` and returns `.key` or `[index]`; the reader is then before that
    /// value. Returns `nil` at the end of the path.
    private mutating func step(to target: Int) throws(JSONError) -> String? {
        switch try peek() {
        case .object:
            try beginObject()
            while let key = try nextKey() {
                if stops(at: target) { return ".\(string(key).prefix(40))" }
                if offset > target { break }
            }
        case .array:
            try beginArray()
            var index = 0
            while try nextElement() {
                if stops(at: target) { return "[\(index)]" }
                if offset > target { break }
                index += 1
            }
        case .string, .number, .bool, .null: break
        }
        return nil
    }

    /// Skips a value and returns false, unless `target` is inside the value or the value cannot be read to its end. In
    /// those cases it returns true and the reader is before the value. A value that starts after `target` is not
    /// skipped, although the result is false; the caller checks `offset`.
    private mutating func stops(at target: Int) -> Bool {
        var start = offset
        do {
            _ = try peek()
            start = offset
            if start > target { return false }
            if try skip().upperBound <= target { return false }
        } catch {}
        seek(to: start)
        return true
    }
}
