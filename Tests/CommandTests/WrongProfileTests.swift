import Foundation
import TestSupport
import Testing

/// What people are told of profiles that are wrong: `Profiles/wrong.txt` has them, each with its title and what `weir profile check` says.
@Suite struct WrongProfileTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var profile: String
        var message: String
    }

    static let cases: [Case] = {
        let path = packageFolder + "/Tests/CommandTests/Profiles/wrong.txt"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.components(separatedBy: "=== ").dropFirst().map { part in
            let (head, message) = (part.components(separatedBy: "---\n")[0], part.components(separatedBy: "---\n")[1])
            let title = head.prefix { $0 != "\n" }
            return Case(
                testDescription: String(title), profile: String(head.dropFirst(title.count + 1)), message: message)
        }
    }()

    @Test func `forty wrong profiles at least are known`() { #expect(Self.cases.count >= 40) }

    @Test(arguments: cases)
    func `a wrong profile is refused with each place and what is allowed there`(_ wrong: Case) throws {
        let path = try temporaryFolder() + "/profile.yaml"
        try wrong.profile.write(toFile: path, atomically: true, encoding: .utf8)
        let result = try weir("profile", "check", path)
        #expect(result.status != 0)
        #expect(result.output.isEmpty)
        #expect(result.errors.replacing(path, with: "profile.yaml") == wrong.message)
    }
}
