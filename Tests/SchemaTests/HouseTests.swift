import Foundation
import Testing
import TestSupport

/// The picture of the house, in the README and in the pages, and the targets of `Package.swift`.
@Suite struct HouseTests {
    private static let pages = ["README.md", "Sources/WeirLive/WeirLive.docc/TheWayOfOneEvent.md"]

    @Test func `every target of Sources stands in the picture`() throws {
        let picture = try Self.picture(in: Self.pages[0])
        let targets = try Self.targets()
        #expect(targets.count > 25)
        for target in targets {
            let name = try Regex<Substring>(#"(?:^|[^\w-])\#(target)(?:$|[^\w-])"#)
            #expect(picture.firstMatch(of: name) != nil, "\(target) is not in the picture")
        }
    }

    @Test func `the README and the pages have the same picture`() throws {
        let pictures = try Self.pages.map(Self.picture)
        #expect(pictures.allSatisfy { $0 == pictures[0] })
    }

    @Test func `every folder of Sources is a target`() throws {
        #expect(try Set(names(in: packageFolder + "/Sources")) == Set(Self.targets()))
    }

    @Test func `the README has at most 150 lines, and its first command is in the first screen`() throws {
        let lines = try Self.text("README.md").components(separatedBy: "\n")
        #expect(lines.count <= 151)
        let first = lines.firstIndex { $0.hasPrefix("samples/demo") }
        #expect((first ?? .max) < 24)
    }

    /// The lines of the fenced block that has the pure modules in a double line.
    private static func picture(in page: String) throws -> String {
        let blocks = try text(page).components(separatedBy: "```")
        let picture = try #require(blocks.first { $0.contains("╔") }, "\(page) has no picture")
        let lines = picture.components(separatedBy: "\n")
        let top = try #require(lines.firstIndex { $0.contains("┌") })
        let bottom = try #require(lines.firstIndex { $0.contains("╚") })
        return lines[top...bottom].joined(separator: "\n")
    }

    /// The names of the targets that `Package.swift` makes, without those in `Tests`.
    private static func targets() throws -> [String] {
        let manifest = try text("Package.swift")
        let start = /(?:^|[^A-Za-z.])(?:room|\.target|\.executableTarget|\.systemLibrary)\(\s*(?:name: )?"([\w-]+)"/
        let matches = manifest.matches(of: start)
        return matches.enumerated().compactMap { index, match in
            let end = index + 1 < matches.count ? matches[index + 1].range.lowerBound : manifest.endIndex
            let rest = manifest[match.range.lowerBound..<end]
            return rest.contains("path: \"Tests/") ? nil : String(match.1)
        }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try readFile("\(packageFolder)/\(path)"), as: UTF8.self)
    }
}
