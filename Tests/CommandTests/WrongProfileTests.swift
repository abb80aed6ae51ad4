import Foundation
import Testing
import TestSupport

/// Checks the messages for invalid profiles and AsyncAPI documents. `Profiles/wrong.txt` and `wrong-asyncapi.txt`
/// contain the cases, each with a title and the output of `weir profile`.
@Suite struct WrongProfileTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var profile: String
        var message: String
    }

    static let profiles = cases(of: "wrong")
    static let documents = cases(of: "wrong-asyncapi")

    private static func cases(of name: String) -> [Case] {
        let path = packageFolder + "/Tests/CommandTests/Profiles/\(name).txt"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.components(separatedBy: "=== ").dropFirst().map { part in
            let (head, message) = (part.components(separatedBy: "---\n")[0], part.components(separatedBy: "---\n")[1])
            let title = head.prefix { $0 != "\n" }
            return Case(
                testDescription: String(title), profile: String(head.dropFirst(title.count + 1)), message: message)
        }
    }

    @Test func `at least forty invalid profiles and a dozen invalid documents are tested`() {
        #expect(Self.profiles.count >= 40)
        #expect(Self.documents.count >= 12)
    }

    @Test(arguments: profiles)
    func `an invalid profile is refused with each place and the valid alternatives`(_ wrong: Case) throws {
        try check(wrong, "check", "profile.yaml")
    }

    @Test(arguments: documents)
    func `an invalid AsyncAPI document is refused with each place`(_ wrong: Case) throws {
        try check(wrong, "from-asyncapi", "document.yaml")
    }

    private func check(_ wrong: Case, _ verb: String, _ name: String) throws {
        let path = try temporaryFolder() + "/" + name
        try wrong.profile.write(toFile: path, atomically: true, encoding: .utf8)
        let result = try weir("profile", verb, path)
        #expect(result.status != 0)
        #expect(result.output.isEmpty)
        #expect(result.errors.replacing(path, with: name) == wrong.message)
    }

    /// `Profiles/from-asyncapi` contains the expected profile for each document in `samples/asyncapi`.
    @Test(arguments: ["socketio-chat-2.yaml", "socketio-chat-3.yaml", "gateway-2.yaml", "gateway-3.json"])
    func `an AsyncAPI document gives a valid profile, and unmapped parts are reported`(_ name: String) throws {
        let made = try weir("profile", "from-asyncapi", packageFolder + "/samples/asyncapi/" + name)
        #expect(made.status == 0)
        let snapshot =
            packageFolder + "/Tests/CommandTests/Profiles/from-asyncapi/" + name.prefix { $0 != "." } + ".yaml"
        #expect(try made.output == String(contentsOfFile: snapshot, encoding: .utf8))
        let path = try temporaryFolder() + "/made.yaml"
        try made.output.write(toFile: path, atomically: true, encoding: .utf8)
        let checked = try weir("profile", "check", path)
        #expect(checked.status == 0, "\(checked.errors)")
        for line in made.errors.split(separator: "\n") {
            #expect(line.hasPrefix("not mapped: "))
            #expect(made.output.contains("# Not mapped: \(line.dropFirst("not mapped: ".count))."))
        }
    }
}
