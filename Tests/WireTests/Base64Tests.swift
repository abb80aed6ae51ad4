import Testing
import WeirWire

@Suite struct `Base 64` {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the examples of RFC 4648 are encoded and decoded`(bytes: String, text: String) {
        #expect(Base64.encode(ArraySlice(bytes.utf8)) == Array(text.utf8))
        #expect(Base64.decode(Array(text.utf8).span) == Array(bytes.utf8))
    }

    @Test(arguments: ["Z", "Zg=", "Zg", "=", "====", "Z===", "Zg=v", "Zm9\u{0}", "Zm 9v", "Z_9v", "Zg==Zg=="])
    func `invalid base 64 is refused`(text: String) {
        #expect(Base64.decode(Array(text.utf8).span) == nil)
    }

    @Test func `every length and byte reads back`() {
        let bytes = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for count in 0...bytes.count {
            #expect(Base64.decode(Base64.encode(bytes[..<count]).span) == Array(bytes[..<count]))
        }
    }
}
