import JSONText

/// A user while read, of era A (`firstname`, `username`) or era B (`first_name`, `full_name`): as much as a display name needs.
struct Person {
    var id: EntityID?
    var fullName: String?
    var firstName: String?
    var lastName: String?
    var userName: String?
    var email: String?

    init() {}

    init(reading reader: inout JSONReader) throws(Mismatch) {
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.matches(key, "id") {
                id = try reader.idIfAny()
            } else if try !takeName(key, from: &reader) {
                try reader.pass()
            }
        }
    }

    /// A list of users; null counts as an empty one.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Person] {
        var people: [Person] = []
        guard try reader.openListIfAny() else { return people }
        while try reader.another() {
            if try reader.kind() == .object {
                people.append(try Person(reading: &reader))
            } else {
                try reader.pass()
            }
        }
        return people
    }

    /// Takes the value if `key` is one of the names.
    mutating func takeName(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.matches(key, "firstname") || reader.matches(key, "first_name") {
            firstName = try reader.textIfAny()
        } else if reader.matches(key, "lastname") || reader.matches(key, "last_name") {
            lastName = try reader.textIfAny()
        } else if reader.matches(key, "username") {
            userName = try reader.textIfAny()
        } else if reader.matches(key, "full_name") {
            fullName = try reader.textIfAny()
        } else if reader.matches(key, "email") {
            email = try reader.textIfAny()
        } else {
            return false
        }
        return true
    }

    /// The full name, else the first and last, else the user name, else the address; nil when there is none of them.
    var displayName: String? {
        let both = [firstName, lastName].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        return [fullName, both, userName, email].compactMap { $0 }.first { !$0.isEmpty }
    }
}
