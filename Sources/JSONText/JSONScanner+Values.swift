extension JSONScanner {
    /// Checks the value at `start` completely and returns the offset after it.
    ///
    /// `depth` arrays and objects are already open, and at most `limit` may be open. The open ones form a stack of bits
    /// (1 = object). After 64 levels the function calls itself, so the recursion is 64 times shallower than the text.
    func valueEnd(from start: Int, depth: Int, limit: Int) throws(JSONError) -> Int {
        let levels = limit - depth
        var i = start
        var open = 0
        var kinds: UInt64 = 0
        while true {
            guard i < text.count else { throw JSONError(.unexpectedEnd, at: i) }
            let byte = text[i]
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                guard open < levels else { throw tooDeep(at: i, limit: limit) }
                if open == UInt64.bitWidth {
                    i = try valueEnd(from: i, depth: depth + open, limit: limit)
                } else {
                    let isObject = byte == UInt8(ascii: "{")
                    kinds = kinds << 1 | (isObject ? 1 : 0)
                    open += 1
                    i = try afterSpace(i + 1)
                    // In ASCII, each closing bracket is its opening bracket plus 2.
                    if text[i] != byte + 2 {
                        if isObject { i = try keyEnd(from: i) }
                        continue
                    }
                }
            } else {
                i = try scalarEnd(from: i)
            }
            i = try closing(from: i, open: &open, kinds: &kinds)
            if open == 0 { return i }
        }
    }

    /// Returns the error for the bracket at `start`, which exceeds the limit by one level.
    @inline(never)
    func tooDeep(at start: Int, limit: Int) -> JSONError {
        var (depth, found) = (limit, limit)
        var isInString = false
        var i = start
        while i < text.count, depth >= limit {
            switch text[i] {
            case UInt8(ascii: "\\") where isInString: i += 1
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString: depth += 1
            case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString: depth -= 1
            default: break
            }
            found = max(found, depth)
            i += 1
        }
        return JSONError(.tooDeep(found: found, limit: limit), at: start)
    }

    /// Moves from the end of a value to the start of the next one, or to the end if everything that was open is closed.
    @inline(__always)
    private func closing(from start: Int, open: inout Int, kinds: inout UInt64) throws(JSONError) -> Int {
        var i = start
        while open > 0 {
            i = try afterSpace(i)
            let isObject = kinds & 1 == 1
            if text[i] == UInt8(ascii: ",") {
                i = try afterSpace(i + 1)
                return isObject ? try keyEnd(from: i) : i
            }
            guard text[i] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw unexpected(at: i) }
            i += 1
            open -= 1
            kinds >>= 1
        }
        return i
    }

    /// Moves from the start of a key to the start of its value.
    @inline(__always)
    private func keyEnd(from start: Int) throws(JSONError) -> Int {
        guard text[start] == UInt8(ascii: "\"") else { throw unexpected(at: start) }
        let colon = try afterSpace(contents(from: start).range.upperBound + 1)
        guard text[colon] == UInt8(ascii: ":") else { throw unexpected(at: colon) }
        return try afterSpace(colon + 1)
    }

    @inline(__always)
    private func scalarEnd(from start: Int) throws(JSONError) -> Int {
        switch text[start] {
        case UInt8(ascii: "\""): return try contents(from: start).range.upperBound + 1
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let end = shortInteger(at: start).end
            return end > start ? end : try number(from: start).range.upperBound
        case UInt8(ascii: "t"): return try literalEnd(from: start, "true")
        case UInt8(ascii: "f"): return try literalEnd(from: start, "false")
        case UInt8(ascii: "n"): return try literalEnd(from: start, "null")
        default: throw unexpected(at: start)
        }
    }
}
