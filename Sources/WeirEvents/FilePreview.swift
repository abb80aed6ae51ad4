package import WeirJSON

/// The one-line preview of a file attached to a message: `[plan.pdf 1.2 MB]`.
package enum FilePreview {
    /// Returns the name, and the size if it is known, in brackets. Untrusted text.
    package static func text(name: String, size: Int?) -> String {
        "[\(name)" + (size.map { " " + text(ofBytes: $0) } ?? "") + "]"
    }

    /// Returns the previews of a row's list of files; `nil` if there are none.
    package static func text(of files: JSONValue) -> String? {
        guard case .array(let files) = files else { return nil }
        let shown = files.compactMap { file -> String? in
            guard case .string(let name)? = file["name"] ?? file["id"] else { return nil }
            let size: Int? = if case .integer(let size)? = file["size"] { Int(clamping: size) } else { nil }
            return text(name: name, size: size)
        }
        return shown.isEmpty ? nil : shown.joined(separator: " ")
    }

    /// Returns a number of bytes in readable form: `640 B`, `1.2 kB`, `34 MB`.
    package static func text(ofBytes count: Int) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var (tenths, unit) = (count / 100, 0)
        while tenths >= 9_995, unit < 3 { (tenths, unit) = ((tenths + 500) / 1000, unit + 1) }
        let number = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
        return "\(number) \(["kB", "MB", "GB", "TB"][unit])"
    }
}
