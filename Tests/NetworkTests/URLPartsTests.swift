import Testing

@testable import WeirNetwork

@Suite struct URLPartsTests {
    @Test(
        "A URL is split according to RFC 3986",
        arguments: [
            ("ws://host", "ws host 80 / "),
            ("WSS://Host.Example:8443/a/b?c=d&e#f", "wss host.example 8443 /a/b c=d&e"),
            ("http://127.0.0.1:8080", "http 127.0.0.1 8080 / "),
            ("https://[::1]/x", "https ::1 443 /x "),
            ("https://[2001:db8::1.2.3.4]:99?q", "https 2001:db8::1.2.3.4 99 / q"),
            ("http://a_b-c.d:/", "http a_b-c.d 80 / "),
            ("http://h/?", "http h 80 / "),
            ("http://h/a%2Fb?x=/?", "http h 80 /a%2Fb x=/?"),
        ])
    func split(text: String, expected: String) throws {
        let url = try URLParts(parsing: text)
        #expect("\(url.scheme) \(url.host) \(url.port) \(url.path) \(url.query)" == expected)
        #expect(try URLParts(parsing: url.description) == url)
    }

    @Test("The default port is omitted from the text, and any other port is included")
    func description() throws {
        #expect(try URLParts(parsing: "https://[::1]:443/a?b").description == "https://[::1]/a?b")
        #expect(try URLParts(parsing: "ws://h:81").description == "ws://h:81/")
        #expect(try URLParts(parsing: "wss://h").isSecure)
        #expect(try !URLParts(parsing: "http://h").isSecure)
    }

    @Test(
        "An invalid URL is refused, and the error describes the problem",
        arguments: [
            ("", "has no scheme"), ("host:80", "has no scheme"), ("/path", "has no scheme"), ("ftp://h", "not one of"),
            ("ws:/h", "has no scheme"), ("ws://", "no host"), ("ws://:80", "no host"), ("ws:///p", "no host"),
            ("ws://h:0", "not a port"), ("ws://h:65536", "not a port"), ("ws://h:8a", "not a port"),
            ("ws://h:-1", "not a port"),
            ("ws://[::1", "closing bracket"), ("ws://[1:2]", "not an IPv6"), ("ws://[::1]x", "comes a port"),
            ("ws://::1", "no host"),
            ("ws://1:2:3", "not a port"), ("ws://h h", "position 7"), ("ws://h/\u{e4}", "position 8"),
            ("ws://h/%4", "percent sign at position 8"),
            ("ws://h/%zz", "percent sign"), ("ws://a,b", "not a host name"), ("ws://user:secret@h", "user information"),
            ("ws://h/a\nb", "position 9"), ("ws://[1::2::3]", "not an IPv6"),
            ("ws://[1:2:3:4:5:6:7:8:9]", "not an IPv6"),
        ])
    func refused(text: String, problem: String) {
        let error = #expect(throws: URLProblem.self) { try URLParts(parsing: text) }
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("secret") != true)
    }
}
