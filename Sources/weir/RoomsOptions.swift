import Live
import Network
import Pipeline
import Terminal
import Wire

/// The options of `weir rooms`.
struct RoomsOptions {
    /// The verb, as a command.
    var command: Command
    /// The words after the verb, with pattern files replaced by their patterns.
    var words: [String]
    /// The name of the tail; `nil` if only one runs.
    var name: String?
    /// The group whose rooms are listed; `nil` for the rooms of a tail.
    var group: SharingGroup.Asked?
    /// The store to read instead of asking a running tail.
    var store: String?
    /// How long the change lasts; `nil` for no limit.
    var lasting: Duration?
    /// The name of the set to store the patterns in.
    var save: String?
    var json: Bool
    var all: Bool
    /// The time of the oldest message to print, in milliseconds since 1970.
    var since: Int64?
    /// Whether to fetch the page before the oldest known message.
    var older: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        command = arguments.command
        words = try arguments.patternWords(arguments.positionals)
        group = command == .roomsLs ? try SharingGroup.named(arguments).map { SharingGroup.Asked($0, arguments) } : nil
        name = group == nil ? try arguments.name(.on) : nil
        store = arguments[.store] == "none" ? nil : arguments[.store]
        if store != nil, name != nil || group != nil { throw arguments.error("--store and --on exclude each other") }
        lasting = try arguments.duration(.span)
        json = arguments.has(.json)
        all = arguments.has(.all)
        save = arguments[.save]
        older = arguments.has(.older)
        since = try arguments.duration(.since).map { WallTime.milliseconds - $0.microseconds / 1000 }
        if let save {
            do { _ = try RoomPattern.setName(save) } catch { throw arguments.error("--save: " + error.message) }
        }
        let storeVerbs: [Command] = [.roomsLs, .roomsJoin, .roomsLeave, .roomsSet]
        if store != nil, !storeVerbs.contains(command) {
            throw arguments.error("\(command.verb) needs a running tail")
        }
        // Report invalid patterns before contacting a tail.
        if command != .roomsSet { _ = try arguments.expression(of: words) }
    }
}

extension Arguments {
    /// Parses typed patterns. The names of sets are not expanded.
    func expression(of words: [String]) throws(UsageError) -> RoomExpression {
        do throws(RoomPatternError) {
            return try RoomExpression(words: words)
        } catch {
            throw self.error(error.sentence)
        }
    }

    /// Replaces the names of pattern files by their lines: `@-`, and `@` with a path that contains a slash.
    func patternWords(_ words: [String]) throws(UsageError) -> [String] {
        var result: [String] = []
        for word in words {
            guard word == "@-" || (word.hasPrefix("@") && word.contains("/")) else {
                result.append(word)
                continue
            }
            let text: String
            if word == "@-" {
                switch StandardInput.text() {
                case .success(let read): text = read
                case .failure(let problem): throw error("@-: " + problem.message)
                }
            } else {
                do throws(TextFile.Problem) {
                    text = try TextFile.read(String(word.dropFirst()))
                } catch {
                    throw self.error("\(UsageError.quoted(word)): \(error.message)")
                }
            }
            let lines = text.split(whereSeparator: \.isNewline).map(String.init).filter {
                !$0.allSatisfy(\.isWhitespace)
            }
            if lines.isEmpty { throw error("\(UsageError.quoted(word)) contains no pattern") }
            // The lines form one operand, so that a minus sign excludes all of them.
            result.append(lines.count == 1 ? lines[0] : "(" + lines.map { "(\($0))" }.joined(separator: " + ") + ")")
        }
        return result
    }
}

extension RoomPatternError {
    /// The message with a suggestion for the unknown word, if any.
    var sentence: String {
        message + (unknown.map { Suggestion.phrase(for: $0.word, among: $0.candidates) } ?? "")
    }
}
