import Live
import Network
import Pipeline
import Terminal
import Wire

/// The options of `rooms`.
struct RoomsOptions {
    /// What to do with the rooms.
    var command: Command
    /// The words behind the verb; what stands in files of patterns is put in.
    var words: [String]
    /// The tail to speak to; nil when there is just one.
    var name: String?
    /// The store to look into instead of a running tail.
    var store: String?
    /// How long a wish lasts.
    var lasting: Duration?
    /// The set to save the patterns as.
    var save: String?
    var json: Bool
    var all: Bool
    /// Messages of that time on; milliseconds since 1970.
    var since: Int64?
    /// Whether the page before the oldest message that is shown is wanted.
    var older: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        command = arguments.command
        words = try arguments.patternWords(arguments.positionals)
        name = try arguments.name(.on)
        store = arguments[.store] == "none" ? nil : arguments[.store]
        if store != nil, name != nil { throw arguments.error("--store is instead of a running tail, which --on names") }
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
        // What is wrong with a pattern is known before anybody is spoken to.
        if command != .roomsSet { _ = try arguments.expression(of: words) }
    }
}

extension Arguments {
    /// What patterns that were typed mean; sets are still named.
    func expression(of words: [String]) throws(UsageError) -> RoomExpression {
        do throws(RoomPatternError) {
            return try RoomExpression(words: words)
        } catch {
            throw self.error(error.sentence)
        }
    }

    /// The words with the lines of files in the place of their names: `@-`, and `@` with a path that has a slash.
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
            if lines.isEmpty { throw error("\(UsageError.quoted(word)) holds no pattern") }
            // They are one thing, to leave out or not.
            result.append(lines.count == 1 ? lines[0] : "(" + lines.map { "(\($0))" }.joined(separator: " + ") + ")")
        }
        return result
    }
}

extension RoomPatternError {
    /// What is wrong, with what may have been meant.
    var sentence: String {
        message + (unknown.map { Suggestion.phrase(for: $0.word, among: $0.candidates) } ?? "")
    }
}
