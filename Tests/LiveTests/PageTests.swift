import Testing
import TestSupport

@Suite struct PageTests {
    @Test(arguments: [
        ("WeirLive/WeirLive.docc/WeirLive.md", "PageExample.swift"),
        ("WeirModel/WeirModel.docc/WeirModel.md", "ModelPageExample.swift"),
    ])
    func `the example on a library's page equals the one compiled here`(name: String, example: String) throws {
        let page = String(decoding: try readFile("\(packageFolder)/Sources/\(name)"), as: UTF8.self)
        let compiled = String(decoding: try readFile("\(packageFolder)/Tests/LiveTests/\(example)"), as: UTF8.self)
        let start = try #require(page.range(of: "```swift\n")?.upperBound)
        let end = try #require(page[start...].range(of: "```\n")?.lowerBound)
        #expect(page[start..<end] == compiled)
    }
}

extension StringProtocol where Self: Collection {
    /// Returns the range of the first occurrence of `text`.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
