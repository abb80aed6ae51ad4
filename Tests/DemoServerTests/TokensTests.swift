import Testing
import WeirEvents
import WeirWire

@testable import WeirDemoServer

@Suite struct TokensTests {
    private let now = Moment(microseconds: 5_000_000)

    @Test func `a token is valid until it expires`() {
        let tokens = Tokens(key: (1, 2))
        let token = tokens.issue(for: "U1", at: now, lifetime: .seconds(10)).reveal()
        #expect(tokens.judge(token, at: now) == .valid(user: "U1"))
        #expect(tokens.judge(token, at: Moment(microseconds: 14_999_999)) == .valid(user: "U1"))
        #expect(
            tokens.judge(token, at: Moment(microseconds: 15_000_000)) == .expired(at: Moment(microseconds: 15_000_000)))
    }

    @Test func `a changed token or one with another key is refused`() {
        let tokens = Tokens(key: (1, 2))
        let token = tokens.issue(for: "U1", at: now, lifetime: .seconds(10)).reveal()
        #expect(tokens.judge(token.replacing("U1", with: "U2"), at: now) == .refused)
        #expect(Tokens(key: (1, 3)).judge(token, at: now) == .refused)
        for text in [
            "weir", "weir....", "....", String(repeating: "x", count: 5_000), "weir.U1.99999999999999999999.1.0",
        ] {
            #expect(tokens.judge(text, at: now) == .refused)
        }
        #expect(tokens.judge(nil, at: now) == .missing)
        #expect(tokens.judge("", at: now) == .missing)
    }

    @Test func `all tokens can be refused, and all earlier tokens can be expired`() {
        var tokens = Tokens(key: (1, 2))
        let token = tokens.issue(for: "U1", at: now, lifetime: .seconds(10)).reveal()
        tokens.refusesAll = true
        #expect(tokens.judge(token, at: now) == .refused)
        tokens.refusesAll = false
        tokens.expiredBefore = Moment(microseconds: 6_000_000)
        #expect(tokens.judge(token, at: now) == .expired(at: Moment(microseconds: 6_000_000)))
        let later = Moment(microseconds: 6_000_000)
        #expect(
            tokens.judge(tokens.issue(for: "U1", at: later, lifetime: .seconds(1)).reveal(), at: later)
                == .valid(user: "U1"))
    }

    /// The first test vectors of SipHash-2-4's authors: key 00…0f, messages of 0, 1 and 8 bytes 00, 01, ….
    @Test func `the seal is SipHash-2-4`() {
        let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        #expect(hash.hash("") == 0x726f_db47_dd0e_0e31)
        #expect(hash.hash("\u{0}") == 0x74f8_39c5_93dc_67fd)
        #expect(hash.hash("\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}") == 0x93f5_f579_9a93_2462)
    }

    @Test func `a date is formatted as in JavaScript`() {
        #expect(ISODate.text(milliseconds: 1_664_618_400_000) == "2022-10-01T10:00:00.000Z")
        #expect(ISODate.text(milliseconds: 951_782_400_123) == "2000-02-29T00:00:00.123Z")
        #expect(ISODate.text(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
    }
}
