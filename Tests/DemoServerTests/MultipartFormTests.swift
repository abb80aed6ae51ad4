import Testing

@testable import WeirDemoServer

/// Tests the parsing of multipart forms.
struct MultipartFormTests {
    private let type = "multipart/form-data; boundary=XX"

    private func form(_ text: String, type: String? = nil) -> MultipartForm? {
        MultipartForm(Array(text.utf8), type: type ?? self.type)
    }

    @Test func `the parts of a form are read with their names, types and bytes`() throws {
        let text =
            "--XX\r\nContent-Disposition: form-data; name=\"workspace_id\"\r\n\r\nW\r\n"
            + "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a%22;b.txt\"\r\n"
            + "Content-Type: text/plain\r\n\r\nno --XX\r\n\r\nend\r\n--XX--\r\n"
        let form = try #require(self.form(text))
        #expect(form.text("workspace_id") == "W")
        #expect(form.text("file") == nil)
        #expect(form.file?.filename == "a\";b.txt")
        #expect(form.file?.type == "text/plain")
        #expect(form.file.map { String(decoding: $0.bytes, as: UTF8.self) } == "no --XX\r\n\r\nend")
        let quoted = MultipartForm(Array(text.utf8), type: "Multipart/Form-Data; charset=utf-8; boundary=\"XX\"")
        #expect(quoted?.parts.count == 2)
    }

    @Test func `an invalid or unfinished form is rejected`() {
        let part = "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n"
        #expect(form(part + "--XX--")?.parts.count == 1)
        for broken in ["", "--XX", part, part + "--XX", "--YY--", "x" + part + "--XX--", "--XX\r\n\r\nb\r\n--XX--"] {
            #expect(form(broken) == nil, "\(broken)")
        }
        #expect(form("--XX--", type: "application/json") == nil)
        #expect(form("----", type: "multipart/form-data; boundary=") == nil)
    }

    @Test func `the number of parts and the size of their heads are limited`() {
        let part = "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n"
        func many(_ count: Int) -> String { String(repeating: part, count: count) + "--XX--" }
        #expect(form(many(MultipartForm.mostParts))?.parts.count == MultipartForm.mostParts)
        #expect(form(many(MultipartForm.mostParts + 1)) == nil)
        let long = "--XX\r\nX: \(String(repeating: "x", count: MultipartForm.largestHead))\r\n\r\nb\r\n--XX--"
        #expect(form(long) == nil)
    }
}
