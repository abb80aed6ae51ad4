import Foundation
import Glibc
import Testing
import TestSupport

/// The rules that comments cite, such as (Twake TW-12), and the DocC pages that number them.
@Suite struct CitationTests {
    /// A rule on a page: a list item that begins with its number in bold, and ends with its source.
    private struct Rule {
        var page: String
        var prefix: String
        var number: Int
        var text: String
    }

    @Test func `the rules of a prefix are numbered from 1, without holes or repeats, on one page`() throws {
        let rules = try Self.rules()
        #expect(rules.count > 200)
        for (prefix, rules) in Dictionary(grouping: rules, by: \.prefix) {
            #expect(rules.map(\.number) == Array(1...rules.count), "\(prefix) on \(rules[0].page)")
            #expect(Set(rules.map(\.page)).count == 1, "\(prefix) is on several pages")
        }
    }

    @Test func `every rule has one or two sentences and a source`() throws {
        for rule in try Self.rules() {
            let parts = rule.text.components(separatedBy: "*Source:*")
            #expect(parts.count == 2, "\(rule.prefix)-\(rule.number) has no source")
            #expect(parts[0].count < 600, "\(rule.prefix)-\(rule.number) is long")
        }
    }

    @Test func `every citation names a rule that exists`() throws {
        let rules = Set(try Self.rules().map { "\($0.prefix)-\($0.number)" })
        let prefixes = Set(try Self.rules().map(\.prefix)).sorted()
        let citation = try Regex<(Substring, Substring)>(#"\b((?:\#(prefixes.joined(separator: "|")))-[0-9]+)\b"#)
        var count = 0
        for file in try Self.citingFiles() where try Self.has(file, oneOf: prefixes.map { $0 + "-" }) {
            for match in try Self.text(file).matches(of: citation) {
                count += 1
                #expect(rules.contains(String(match.output.1)), "\(file) cites \(match.output.1)")
            }
        }
        #expect(count >= rules.count)
    }

    /// The sheets from which the pages were written are not in the repository.
    @Test func `no citation of a sheet outside of the repository remains`() throws {
        let names = ["socketio", "twake", "groupme", "terminal", "model", "measured"]
        let sheet = try Regex<Substring>(#"\breference/[a-z]|\b(?:\#(names.joined(separator: "|")))\.md\b"#)
        for file in try Self.citingFiles()
        where try !file.hasSuffix("/CitationTests.swift")
            && Self.has(file, oneOf: ["reference/"] + names.map { $0 + ".md" })
        {
            for (number, line) in try Self.text(file).components(separatedBy: "\n").enumerated() {
                #expect(line.firstMatch(of: sheet) == nil, "\(file):\(number + 1): \(line)")
            }
        }
    }

    private static func rules() throws -> [Rule] {
        var rules: [Rule] = []
        for file in try citingFiles() where file.hasSuffix(".md") && file.contains(".docc/") {
            for line in try text(file).components(separatedBy: "\n") {
                if let match = line.prefixMatch(of: /\* \*\*([A-Z]+)-([0-9]+)\*\* (.*)/) {
                    rules.append(
                        Rule(
                            page: file, prefix: String(match.1), number: Int(match.2) ?? 0, text: String(match.3)))
                } else if line.hasPrefix("  "), !line.hasPrefix("   "), let last = rules.indices.last,
                    rules[last].page == file
                {
                    rules[last].text += " " + line.dropFirst(2)
                }
            }
        }
        return rules
    }

    /// The paths of all texts that may cite: sources, tests, pages, scripts.
    private static func citingFiles() throws -> [String] {
        var files = ["README.md"]
        for folder in ["Sources", "Tests", "samples", ".ci", ".github"] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: "\(packageFolder)/\(folder)")
            files += paths.filter { path in
                [".swift", ".md", ".h", ".c", ".cpp", ".rb", ".py", ".js"].contains { path.hasSuffix($0) }
                    || folder == ".ci"
            }.map { "\(folder)/\($0)" }
        }
        return files.sorted()
    }

    /// Whether a file contains one of some texts: quicker than a regular expression, since most files contain none.
    private static func has(_ path: String, oneOf texts: [String]) throws -> Bool {
        let bytes = try readFile("\(packageFolder)/\(path)").map(CChar.init(bitPattern:)) + [0]
        return texts.contains { strstr(bytes, $0) != nil }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try readFile("\(packageFolder)/\(path)"), as: UTF8.self)
    }
}
