import Testing
import WeirPipeline

@Suite struct DownloadBookTests {
    @Test func `the first to ask starts the download, and all who ask meanwhile get the result, in order`() {
        var book = DownloadBook<String, Int>()
        let asked = [("picture", 1), ("picture", 2), ("file", 3), ("picture", 4)].map { book.ask(for: $0, $1) }
        #expect(asked == [true, false, true, false])
        #expect(book.count == 2)
        let told = ["picture", "picture", "file"].map { book.settle($0) }
        #expect(told == [[1, 2, 4], [], [3]])
        #expect(book.count == 0)
    }

    @Test func `a request after the end starts a new download`() {
        var book = DownloadBook<String, Int>()
        _ = book.ask(for: "picture", 1)
        _ = book.settle("picture")
        let isFirst = book.ask(for: "picture", 2)
        #expect(isFirst)
    }
}
