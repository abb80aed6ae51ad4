import WeirEvents

/// The contents of a model, or of a server's truth, as one text per row, so that both can be compared and their
/// differences read.
struct Picture {
    /// The text of each row, by the row's kind and id.
    private(set) var rows: [String: String] = [:]
    /// The keys of rows that may be missing because they are not on the newest page.
    private(set) var optional: Set<String> = []
    /// Whether writers are followed and therefore named, and their names.
    var namesWriters = false
    var names: [EntityID: String] = [:]
    /// The users who wrote messages that must be present.
    var writers: Set<EntityID> = []

    init() {}

    /// Returns the differences between a model and the truth, one line each, in order of the rows' keys.
    static func differences(_ model: Picture, _ truth: Picture) -> [String] {
        var lines: [String] = []
        for key in Set(model.rows.keys).union(truth.rows.keys).sorted() {
            switch (model.rows[key], truth.rows[key]) {
            case (let have?, let want?): if have != want { lines.append("\(key): \(have), but in truth \(want)") }
            case (let have?, nil): lines.append("\(key): there is none, but the model has \(have)")
            case (nil, let want?): if !optional(key, truth) { lines.append("\(key): missing, in truth \(want)") }
            case (nil, nil): break
            }
        }
        return lines
    }

    private static func optional(_ key: String, _ truth: Picture) -> Bool { truth.optional.contains(key) }

    mutating func add(_ key: String, _ text: String, isOptional: Bool = false) {
        rows[key] = text
        if isOptional { optional.insert(key) }
    }

    mutating func makeOptional(_ key: String) { optional.insert(key) }

    func text(_ time: Timestamp?) -> String { time.map { "\($0.milliseconds)" } ?? "-" }
}
