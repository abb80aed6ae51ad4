import Testing
import WeirLive
@testable import WeirViews
import WeirWire

@Suite("The server's clock")
struct ServerClockTests {
    @Test(
        "Check 12: with five minutes of skew either way the lag is right within 50 ms",
        arguments: [-300_000, -1, 0, 7, 300_000] as [Int64])
    func skew(ahead: Int64) {
        var clock = ServerClock()
        var random = Noise(state: 7)
        for n in 0..<20_000 as Range<Int64> {
            // Ten messages a second for half an hour. The transfer takes 2 to 40 ms. At times the server is late by up
            // to a minute and a half.
            let isLate = n % 5000 > 4000
            let delay = 2 + random.next(below: 38) + (isLate ? random.next(below: 90_000) : 0)
            clock.note(delay - ahead, at: Moment(microseconds: n * 100_000))
            if n > 20 { #expect(abs(delay - ahead - clock.offset - delay) <= 50) }
        }
    }

    @Test("A time far in the future or past has no effect once two others agree")
    func wild() {
        var clock = ServerClock()
        for (n, difference) in ([-86_400_000, 5, 9, 3_600_000, 7] as [Int64]).enumerated() {
            clock.note(difference, at: Moment(microseconds: Int64(n)))
        }
        #expect(clock.offset == 0)
        var other = ServerClock()
        for (n, difference) in ([.min, 60_003, 60_009, .max] as [Int64]).enumerated() {
            other.note(difference, at: Moment(microseconds: Int64(n)))
        }
        #expect(other.offset == 60_003)
    }

    @Test(
        "A corrected clock is followed at once in one direction, and after ten minutes in the other"
    )
    func steps() {
        var clock = ServerClock()
        func note(_ difference: Int64, minute: Int64) {
            clock.note(difference, at: Moment(microseconds: minute * 60_000_000))
        }
        note(100_000, minute: 0)
        #expect(clock.offset == 100_000)
        note(4, minute: 1)
        #expect(clock.offset == 0)
        for minute in 2...11 as ClosedRange<Int64> { note(60_000, minute: minute) }
        #expect(clock.offset == 60_000)
    }
}

/// A deterministic sequence of numbers that look random.
private struct Noise {
    var state: UInt64

    mutating func next(below bound: Int64) -> Int64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int64(state >> 33) % bound
    }
}
