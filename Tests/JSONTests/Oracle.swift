import CSimdjson
import WeirJSON

/// Calls simdjson, the reference for the reader.
enum Oracle {
    /// Whether simdjson accepts `text` as one document.
    static func accepts(_ text: [UInt8]) -> Bool {
        text.withUnsafeBytes { csimdjson_accepts($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) == 1 }
    }

    /// The canonical dump of the values that simdjson reads in `text`; `nil` if it refuses the text.
    static func dump(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBytes { source in
            var length = 0
            let start = source.baseAddress?.assumingMemoryBound(to: CChar.self)
            guard let dump = csimdjson_dump(start, source.count, &length) else { return nil }
            defer { csimdjson_free(dump) }
            return Array(UnsafeRawBufferPointer(start: dump, count: length))
        }
    }
}

/// Calls the reader under test.
enum Ours {
    /// Returns the error with which `skip()` and `end()` refuse `text`; `nil` if they accept it.
    static func refusal(_ text: [UInt8], maximumDepth: Int = 1024) -> JSONError? {
        var reader = JSONReader(text.span, maximumDepth: maximumDepth)
        do throws(JSONError) {
            try reader.skip()
            try reader.end()
            return nil
        } catch {
            return error
        }
    }

    /// The canonical dump of the values the reader reads in `text`, in the format of `csimdjson_dump`.
    static func dump(_ text: [UInt8]) throws(JSONError) -> [UInt8] {
        var reader = JSONReader(text.span, maximumDepth: 1024)
        var out: [UInt8] = []
        try append(reader.value(), to: &out)
        try reader.end()
        return out
    }

    static func append(_ value: JSONValue, to out: inout [UInt8]) {
        switch value {
        case .null: out += "n".utf8
        case .bool(let value): out += (value ? "t" : "f").utf8
        case .integer(let value): out += "i\(value);".utf8
        case .number(let value): append(value, to: &out)
        case .string(let text): append(text, to: &out)
        // simdjson also has integers up to 2^64, which it dumps like fractions.
        case .text(let text):
            if let value = Double(text.description) {
                append(value, to: &out)
            } else {
                append(text.description, to: &out)
            }
        case .array(let elements):
            out += "[".utf8
            for element in elements { append(element, to: &out) }
            out += "]".utf8
        case .object(let members):
            out += "{".utf8
            for member in members {
                append(member.key, to: &out)
                append(member.value, to: &out)
            }
            out += "}".utf8
        }
    }

    private static func append(_ value: Double, to out: inout [UInt8]) {
        let digits = String(value.bitPattern, radix: 16)
        out += "d\(String(repeating: "0", count: 16 - digits.utf8.count))\(digits);".utf8
    }

    private static func append(_ text: String, to out: inout [UInt8]) { out += "s\(text.utf8.count):\(text)".utf8 }
}

/// A difference that `compare` found between the two readers.
struct Disagreement: Error, CustomStringConvertible {
    var text: [UInt8]
    var reason: String
    var description: String { "\(reason): \(String(decoding: text, as: UTF8.self).debugDescription) \(text)" }
}

/// Feeds `text` to both readers, checks that they agree on the verdict and on every value and that `skip()` agrees
/// with the reading, and returns the verdict. simdjson refuses unpaired surrogates and numbers outside its types, so
/// it gets the text with those replaced.
@discardableResult
func compare(_ text: [UInt8]) throws -> Bool {
    let refusal = Ours.refusal(text)
    guard let expected = Oracle.dump(text) else {
        if Oracle.accepts(Tamed.text(of: text)) {
            if let refusal { throw Disagreement(text: text, reason: "only we refuse (\(refusal))") }
            _ = try Ours.dump(text)
            return true
        }
        if refusal == nil { throw Disagreement(text: text, reason: "only simdjson refuses") }
        if (try? Ours.dump(text)) != nil { throw Disagreement(text: text, reason: "only skip() refuses, not value()") }
        return false
    }
    if let refusal { throw Disagreement(text: text, reason: "only we refuse (\(refusal))") }
    do {
        if try Ours.dump(text) != expected { throw Disagreement(text: text, reason: "other values") }
    } catch let error as JSONError {
        throw Disagreement(text: text, reason: "skip() accepts, value() refuses (\(error))")
    }
    return true
}
