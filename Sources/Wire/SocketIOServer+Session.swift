import JSONText

extension SocketIOServer.Configuration {
    /// The contents of the open packet.
    public var handshake: EngineIO.Handshake {
        EngineIO.Handshake(
            sid: sid, upgrades: upgrades, pingInterval: pingInterval, pingTimeout: pingTimeout, maxPayload: maxPayload)
    }

    /// Returns the session id of a namespace, which must differ from the session id of the connection
    /// (Socket.IO SIO-7).
    func socketID(for namespace: String) -> String { Self.id(from: "\(sid)\u{0}\(namespace)") }

    /// Returns the id with which a client of this connection requests recovery in the namespace.
    func recoveryID(for namespace: String) -> String? {
        recoverySecret.map { Self.id(from: "\($0.reveal())\u{0}\(namespace)") }
    }

    /// Returns the payload of the answer to CONNECT.
    static func connectPayload(sid: String, pid: String?) -> RawJSON {
        .object {
            $0.member("sid", sid)
            $0.member("pid", pid)
        }
    }

    /// Returns an id in the usual format (20 characters of base64url), derived from a unique text, because this module
    /// has no source of randomness.
    private static func id(from text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        // FNV-1a hashes the text, and a seeded generator spreads the hash over the characters.
        var seed: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var random = RandomSource(seed: seed)
        return String(decoding: (0..<20).map { _ in alphabet[Int(random.next() >> 58)] }, as: UTF8.self)
    }
}

extension SocketIO.NamespaceAddress {
    /// The name, and the query as an object of auth values, as the JavaScript server converts it (Socket.IO SIO-9).
    var nameAndAuth: (String, RawJSON?) {
        guard let query else { return (name, nil) }
        var seen: Set<String> = []
        let auth = RawJSON.object { writer in
            for pair in query.split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let key = parts[0].percentDecoded()
                // A repeated key keeps its first value.
                guard seen.insert(key).inserted else { continue }
                writer.key(key)
                writer.string(parts.count == 2 ? parts[1].percentDecoded() : "")
            }
        }
        return (name, auth)
    }
}

extension RawJSON {
    /// The `pid` and the `offset` of a CONNECT payload that requests recovery, or `nil` if either is not a string.
    var recoveryWish: (pid: String, offset: String)? {
        guard case (let pid?, let offset?)? = texts("pid", "offset") else { return nil }
        return (pid, offset)
    }

    /// Returns two string members of an object, with `nil` for one that is missing or not a string. Returns `nil` if
    /// this is not an object.
    func texts(_ first: StaticString, _ second: StaticString) -> (String?, String?)? {
        var texts: (String?, String?)
        do throws(JSONError) {
            var reader = JSONReader(bytes.span)
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let isText = try reader.peek() == .string
                if isText, reader.matches(key, first) {
                    texts.0 = try reader.string()
                } else if isText, reader.matches(key, second) {
                    texts.1 = try reader.string()
                } else {
                    try reader.skip()
                }
            }
        } catch {
            return nil
        }
        return texts
    }
}
