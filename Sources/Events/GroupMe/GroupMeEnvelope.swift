import JSONText

extension GroupMe {
    /// The error in an answer that is not a success (GroupMe GM-27). The HTTP status decides about success: the code
    /// may have five digits and is not a status.
    package struct Refusal: Hashable, Sendable {
        /// The code in the envelope; `nil` if there is no envelope.
        package var code: Int?
        /// The server's error texts, which are untrusted.
        package var errors: [String]

        /// Reads any body: an envelope, no bytes, or something else.
        package init(body: ArraySlice<UInt8>) {
            var reader = JSONReader(body.span)
            let envelope = try? Envelope(reading: &reader)
            code = envelope?.code
            errors = envelope?.errors ?? []
        }

        /// Whether the server rejects the token, which the status 401 alone does not show (GroupMe GM-46).
        package var isUnauthorized: Bool { errors.first == "unauthorized" }
    }

    /// The envelope of an answer while it is being read.
    struct Envelope {
        var code: Int?
        var errors: [String] = []
        /// The start offset of the response; `nil` if it is null or missing.
        var response: Int?
        var hasResponse = false

        init(reading reader: inout JSONReader) throws(Mismatch) {
            _ = try reader.open()
            while let key = try reader.field() {
                if reader.isNamed(key, "response") {
                    hasResponse = true
                    let isNull = try reader.kind() == .null
                    let range = try reader.pass()
                    response = isNull ? nil : range.lowerBound
                } else if reader.isNamed(key, "meta") {
                    try takeMeta(from: &reader)
                } else {
                    try reader.pass()
                }
            }
        }

        private mutating func takeMeta(from reader: inout JSONReader) throws(Mismatch) {
            guard try reader.kind() == .object else {
                try reader.pass()
                return
            }
            _ = try reader.open()
            while let key = try reader.field() {
                if reader.isNamed(key, "code") {
                    code = try reader.looseIntegerIfAny()
                } else if reader.isNamed(key, "errors"), try reader.kind() == .array {
                    _ = try reader.openListIfAny()
                    while try reader.another() {
                        let isText = try reader.kind() == .string
                        errors.append(isText ? try reader.text() : try reader.keptText().description)
                    }
                } else {
                    try reader.pass()
                }
            }
        }
    }

    /// Reads the `response` of an envelope, which must be present.
    static func response<Value>(
        _ body: ArraySlice<UInt8>, _ subject: String, _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(DecodingFailure) -> Value {
        guard let value = try page(body, subject, read) else {
            throw DecodingFailure(subject: subject, message: "response: missing", offset: 0)
        }
        return value
    }

    /// Reads the `response` of an envelope; returns `nil` if the answer states the end of the list. A failed answer never states it,
    /// whatever it lacks: a page that could not be fetched is not the last one.
    static func page<Value>(
        _ body: ArraySlice<UInt8>, _ subject: String, _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(DecodingFailure) -> Value? {
        if body.isEmpty { return nil }
        return try decoded(body, as: subject) { (reader) throws(Mismatch) in
            let envelope = try Envelope(reading: &reader)
            let end = reader.offset
            if let response = envelope.response {
                reader.seek(to: response)
                let value = try read(&reader)
                reader.seek(to: end)
                return value
            }
            if envelope.code == 304 { return nil }
            guard envelope.hasResponse, envelope.errors.isEmpty else { throw Mismatch(.missing("response"), at: 0) }
            return nil
        }
    }
}
