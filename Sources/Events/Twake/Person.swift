import JSONText

/// A user while it is being read, of era A (`firstname`, `username`) or era B (`first_name`, `full_name`). It has only
/// the fields needed to show a sender.
struct Person {
    var id: EntityID?
    var fullName: String?
    var firstName: String?
    var lastName: String?
    var userName: String?
    var email: String?
    /// The address of a picture; never empty.
    var picture: String?

    init() {}

    init(reading reader: inout JSONReader) throws(Mismatch) {
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                id = try reader.idIfAny()
            } else if try !takeName(key, from: &reader) {
                try reader.pass()
            }
        }
    }

    /// Reads a list of users; null counts as an empty list. Elements that are not objects are skipped.
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

    /// Reads the value if `key` is one of the names or the picture. Returns whether it is.
    mutating func takeName(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "firstname") || reader.isNamed(key, "first_name") {
            firstName = try reader.textIfAny()
        } else if reader.isNamed(key, "lastname") || reader.isNamed(key, "last_name") {
            lastName = try reader.textIfAny()
        } else if reader.isNamed(key, "username") {
            userName = try reader.textIfAny()
        } else if reader.isNamed(key, "full_name") {
            fullName = try reader.textIfAny()
        } else if reader.isNamed(key, "email") {
            email = try reader.textIfAny()
        } else if reader.isNamed(key, "thumbnail") || reader.isNamed(key, "picture") {
            picture = try reader.textIfAny()?.unlessEmpty
        } else {
            return false
        }
        return true
    }

    /// The full name, else first and last name, else the user name, else the e-mail address; `nil` if there is none.
    var displayName: String? {
        if let fullName = fullName?.unlessEmpty { return fullName }
        return switch (firstName?.unlessEmpty, lastName?.unlessEmpty) {
        case (let first?, let last?): "\(first) \(last)"
        case (let first?, nil): first
        case (nil, let last?): last
        case (nil, nil): userName?.unlessEmpty ?? email?.unlessEmpty
        }
    }
}

extension String {
    /// The string, or `nil` if it is empty.
    package var unlessEmpty: String? { isEmpty ? nil : self }
}
