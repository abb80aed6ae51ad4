package import JSONText

/// What is shown of a file that came with a message, in a line: `[plan.pdf 1.2 MB]`.
package enum FilePreview {
    /// The name, and the size where it is known. Untrusted text.
    package static func text(name: String, size: Int?) -> String {
        "[\(name)" + (size.map { " " + text(ofBytes: $0) } ?? "") + "]"
    }

    /// Those of a list of files as rows have it; nil for none.
    package static func text(of files: JSONValue) -> String? {
        guard case .array(let files) = files else { return nil }
        let shown = files.compactMap { file -> String? in
            guard case .string(let name)? = file["name"] ?? file["id"] else { return nil }
            let size: Int? = if case .integer(let size)? = file["size"] { Int(clamping: size) } else { nil }
            return text(name: name, size: size)
        }
        return shown.isEmpty ? nil : shown.joined(separator: " ")
    }

    /// A number of bytes as people read it: `640 B`, `1.2 kB`, `34 MB`.
    package static func text(ofBytes count: Int) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var (tenths, unit) = (count / 100, 0)
        while tenths >= 9_995, unit < 3 { (tenths, unit) = ((tenths + 500) / 1000, unit + 1) }
        let number = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
        return "\(number) \(["kB", "MB", "GB", "TB"][unit])"
    }
}
