import JSONText

/// Why a value is not what a decoder asked for, and where: a `DecodingFailure` that does not know yet what it is part of.
///
/// The path of the field is not carried along while decoding; it is found in the text when a failure is reported.
struct Mismatch: Error {
    enum Reason {
        /// The text is not JSON, or a value is of another kind than the one asked for.
        case json(JSONError.Reason)
        /// The object at the offset lacks this field, or has null there.
        case missing(StaticString)
        /// Anything else, in words.
        case unusable(StaticString)
    }
    var reason: Reason
    /// Bytes from the start of the payload.
    var offset: Int

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    init(_ error: JSONError) {
        self.init(.json(error.reason), at: error.offset)
    }

    /// What is wrong, without the place.
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

    /// The failure to report, with the path of the field as far as `reader`, a fresh one at the start of the text, can find it.
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
    /// The names and indices that lead from the next value to the one at `target`, as in `resource.members[2]`.
    ///
    /// Every level scans the value it descends into once more, so the number of levels is bounded.
    fileprivate mutating func path(to target: Int) -> String {
        var path = ""
        for _ in 0..<8 {
            guard let step = try? step(to: target) else { break }
            path += path.isEmpty && step.hasPrefix(".") ? String(step.dropFirst()) : step
        }
        return path
    }

    /// The next level of the way to `target`: `.key` or `[index]`, the reader standing before that value. Nil at the end of the way.
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

    /// Passes over a value, unless `target` is in it or it cannot be read to its end: then true, and the reader stands before it. A
    /// value that starts behind `target` is not passed over either; `offset` tells.
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
