import Events

/// What a model shows and what a server's truth says, both as one text a row, so that they can be compared and differences read.
struct Picture {
    /// The text of each row, by what it is a row of.
    private(set) var rows: [String: String] = [:]
    /// Rows that may be missing: what a page of the newest leaves out.
    private(set) var optional: Set<String> = []
    /// Whether writers are followed, and so named, and how they are called.
    var namesWriters = false
    var names: [EntityID: String] = [:]
    /// Who wrote what has to be there.
    var writers: Set<EntityID> = []

    /// A picture of nothing yet.
    init() {}

    /// Differences between a model and the truth, one line each, in the order of their rows' names; empty when there are none.
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
