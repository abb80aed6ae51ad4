import Foundation
import Testing
import TestSupport

/// The links of the DocC pages, and the paths that pages and the README name.
@Suite struct PageLinkTests {
    @Test func `every link of a page leads to a page`() throws {
        let pages = try Self.pages()
        let names = Set(pages.map(Self.name))
        #expect(names.count > 15)
        for page in pages {
            for match in try Self.text(page).matches(of: /<doc:([^>#]+)(?:#[^>]*)?>/) {
                #expect(names.contains(String(match.1)), "\(page) links to \(match.1)")
            }
        }
    }

    /// Readers cannot find a page that no other page lists.
    @Test func `every page is listed by the page of its module`() throws {
        for page in try Self.pages() {
            let folder = page.components(separatedBy: "/").dropLast().joined(separator: "/")
            let root = folder.components(separatedBy: "/").last?.replacing(".docc", with: "") ?? ""
            guard Self.name(page) != root else { continue }
            let isListed = try Self.text("\(folder)/\(root).md").contains("- <doc:\(Self.name(page))>")
            #expect(isListed, "\(page) is not listed")
        }
    }

    /// A program cannot use a symbol that a module keeps inside the package.
    @Test func `every symbol in the topics of a module's page is public`() throws {
        for module in ["WeirLive", "WeirModel", "WeirSocketIO"] {
            // WeirLive exports the names of WeirViews.
            let folders = module == "WeirLive" ? [module, "WeirViews"] : [module]
            let files = try folders.flatMap { try Self.files(in: "Sources/\($0)", ending: ".swift") }
            let source = try files.map(Self.text).joined(separator: "\n")
            let published = Set(
                source.matches(of: /\npublic (?:final )?(?:struct|class|actor|enum|protocol) (\w+)/).map {
                    String($0.1)
                })
            let page = try Self.text("Sources/\(module)/\(module).docc/\(module).md")
            let topics = page.components(separatedBy: "## Topics").last ?? ""
            let named = Set(topics.matches(of: /- ``(\w+)``/).map { String($0.1) })
            #expect(named.count > 5 && named.subtracting(published) == [], "\(module)")
            #expect(published.subtracting(named) == [], "the page of \(module) does not list them")
        }
    }

    @Test func `every path that a page or the README names exists`() throws {
        let path = /`((?:Sources|Tests|schemas|samples|\.ci|\.github)\/[A-Za-z0-9_.+\/-]*)`/
        for page in try Self.pages() + ["README.md"] + Self.files(in: ".github", ending: ".md") {
            for match in try Self.text(page).matches(of: path) where !match.1.contains("NAME") {
                let exists = FileManager.default.fileExists(atPath: "\(packageFolder)/\(match.1)")
                #expect(exists, "\(page) names \(match.1)")
            }
        }
    }

    private static func pages() throws -> [String] {
        try files(in: "Sources", ending: ".md").filter { $0.contains(".docc/") }
    }

    private static func files(in folder: String, ending: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: "\(packageFolder)/\(folder)")
            .filter { $0.hasSuffix(ending) }.map { "\(folder)/\($0)" }.sorted()
    }

    private static func name(_ page: String) -> String {
        String(page.components(separatedBy: "/").last?.dropLast(3) ?? "")
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try readFile("\(packageFolder)/\(path)"), as: UTF8.self)
    }
}
