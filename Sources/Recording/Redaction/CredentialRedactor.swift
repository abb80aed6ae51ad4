/// Replaces the values of credentials in outgoing text. It looks only at tokens, so packet digits before the JSON, or
/// JSON that is cut off, do no harm. Time is linear in the text.
enum CredentialRedactor {
    private static let quote = UInt8(ascii: "\"")
    private static let replacement = Array(Redactor.replacement.utf8)

    /// Returns the text with the strings that are credentials replaced. The text is JSON and may have a prefix.
    static func redact(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.withUnsafeBufferPointer { text in
            var result: [UInt8] = []
            var kept = 0
            var place = 0
            // The nesting depth of the values below a credential's name, which are all replaced; 0 outside.
            var depth = 0
            var isValueNext = false
            while place < text.count {
                let byte = text[place]
                if byte == quote {
                    let end = endOfString(text, from: place + 1)
                    let isKey = isKey(text, behind: end)
                    if isKey {
                        if depth == 0 {
                            isValueNext = isCredential(UnsafeBufferPointer(rebasing: text[place + 1..<end]))
                        }
                    } else if depth > 0 || isValueNext {
                        if end > place + 1 {
                            result += text[kept...place]
                            result += replacement
                            kept = end
                        }
                        if depth == 0 { isValueNext = false }
                    }
                    place = min(end + 1, text.count)
                    continue
                }
                switch byte {
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if depth > 0 || isValueNext { depth += 1 }
                    isValueNext = false
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth > 0 { depth -= 1 }
                    isValueNext = false
                case UInt8(ascii: ","): isValueNext = false
                default: break
                }
                place += 1
            }
            guard kept > 0 else { return bytes }
            result += text[kept...]
            return result[...]
        }
    }

    /// Returns a URL with the values of credential parameters in its query replaced.
    static func redact(url: String) -> String {
        guard let mark = url.firstIndex(of: "?") else { return url }
        let parameters = url[url.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false).map {
            parameter -> String in
            guard let sign = parameter.firstIndex(of: "=") else { return String(parameter) }
            let isCredential = SecretName.isCredential(inQuery: String(parameter[..<sign]))
            return isCredential ? "\(parameter[...sign])\(Redactor.replacement)" : String(parameter)
        }
        return url[...mark] + parameters.joined(separator: "&")
    }

    /// Returns whether everything below a name is a credential.
    private static func isCredential(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        SecretName(name)?.coversWhatIsInside ?? false
    }

    /// Returns the position of the quote that ends the string, or the end of the text.
    private static func endOfString(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var place = start
        while place < text.count, text[place] != quote { place += text[place] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(place, text.count)
    }

    private static func isKey(_ text: UnsafeBufferPointer<UInt8>, behind end: Int) -> Bool {
        var place = end + 1
        while place < text.count, text[place] <= UInt8(ascii: " ") { place += 1 }
        return place < text.count && text[place] == UInt8(ascii: ":")
    }
}
