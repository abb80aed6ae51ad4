import Testing
import WeirWire

struct ValueTests {
    @Test func `a secret is never described`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump([secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped] {
            #expect(!text.contains("hunter2"))
        }
        #expect(secret.reveal() == "hunter2")
    }

    @Test func `moments count whole microseconds`() {
        let moment = Moment(microseconds: 5) + .nanoseconds(2_999)
        #expect(moment == Moment(microseconds: 7))
        #expect(moment - Moment(microseconds: 10) == .microseconds(-3))
        #expect(Duration.milliseconds(-1).microseconds == -1000)
        #expect(Moment.zero < moment)
    }

    @Test func `the reserved names equal those of the reference`() {
        let reserved = ["connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener"]
        #expect(reserved.allSatisfy(SocketIO.isReserved))
        #expect(!SocketIO.isReserved("message"))
    }
}
