import Testing
import WeirWire

struct BayeuxClientTests {
    @Test func `the client sends a handshake, a connect in its own frame, and then the subscriptions`() {
        var client = BayeuxClientTranscript()
        #expect(client.subscribe("/user/1", ext: #"{"access_token":"t"}"#) == [], "nothing before the session stands")
        #expect(
            client.start() == [
                #"send {"channel":"/meta/handshake","id":"1","version":"1.0","supportedConnectionTypes":["websocket"]}"#
            ])
        #expect(
            client.receive(handshaken) == [
                "connected first",
                #"connect {"channel":"/meta/connect","id":"2","clientId":"c1","connectionType":"websocket"}"#,
                #"send {"channel":"/meta/subscribe","id":"3","clientId":"c1","subscription":"/user/1","ext":{"access_token":"t"}}"#,
            ])
        #expect(
            client.receive(#"[{"id":"3","channel":"/meta/subscribe","successful":true,"subscription":"/user/1"}]"#)
                == ["subscribed /user/1"])
        #expect(client.subscribe("/user/1") == [], "it stands")
    }

    @Test func `the answer to a connect triggers the next one, after the interval`() {
        var client = BayeuxClientTranscript.open()
        #expect(
            client.receive(#"[{"id":"2","channel":"/meta/connect","successful":true}]"#, at: 5000) == [
                #"connect {"channel":"/meta/connect","id":"3","clientId":"c1","connectionType":"websocket"}"#
            ])
        let slower = #"[{"id":"3","channel":"/meta/connect","successful":true,"advice":{"interval":2000}}]"#
        #expect(client.receive(slower, at: 10_000) == [])
        #expect(client.advance(to: 11_999) == [])
        #expect(client.advance(to: 12_000).first?.hasPrefix("connect") == true)
        #expect(client.receive(slower, at: 13_000) == [], "an answer to an earlier connect")
    }

    @Test func `a server that answers every connect at once gets five connects a second`() {
        var client = BayeuxClientTranscript.open()
        var asked = 0
        for milliseconds in Int64(0)...5000 {
            let number = String(asked + 2, radix: 36)
            let told = client.receive(
                #"[{"id":"\#(number)","channel":"/meta/connect","successful":true,"advice":{"interval":0}}]"#,
                at: milliseconds)
            asked += told.count
            asked += client.advance(to: milliseconds).count
        }
        #expect(24...30 ~= asked)
    }

    @Test func `only a message with the field successful is an answer`() {
        var client = BayeuxClientTranscript.subscribed()
        #expect(
            client.publish("/user/1", #"{"type":"typing"}"#) == [
                #"send {"channel":"/user/1","id":"5","clientId":"c1","data":{"type":"typing"}}"#
            ])
        #expect(
            client.receive(#"[{"channel":"/user/1","id":"5","data":{"type":"typing"}}]"#) == [
                #"delivery /user/1 {"type":"typing"}"#
            ], "our own, with our id, before the answer (Bayeux BX-20)")
        #expect(client.receive(#"[{"id":"5","channel":"/user/1","successful":true}]"#) == ["published 4"])
        #expect(client.receive(#"[{"id":"5","channel":"/user/1","successful":true}]"#) == [])
    }

    @Test func `every message of a frame is processed, and data may be any JSON`() {
        var client = BayeuxClientTranscript.subscribed()
        let frame = #"[{"channel":"/a","data":"x"},{"channel":"/b"},4,{"channel":"/c","data":[1],"id":"2"}]"#
        #expect(
            client.receive(frame) == [
                "malformed a message that is not an object", #"delivery /a "x""#, "malformed a message without data",
                "delivery /c [1]",
            ])
        #expect(client.receive("not JSON").first?.hasPrefix("malformed") == true)
    }

    @Test func `a refused subscription is reported in the server's words and not repeated`() {
        var client = BayeuxClientTranscript.open()
        _ = client.subscribe("/user/1")
        let refusal =
            #"[{"id":"3","channel":"/meta/subscribe","successful":false,"error":"access token authentication failed"}]"#
        #expect(client.receive(refusal) == ["refused /user/1: access token authentication failed"])
        #expect(client.machine.deadline == Moment(microseconds: 15_000_000), "the connect's")
        #expect(client.subscribe("/user/1").count == 1, "unless somebody wants it again")
        #expect(client.subscribe("/meta/connect") == ["refused /meta/connect: a channel of the protocol"])
    }

    @Test func `an unanswered subscription is sent three times`() {
        var client = BayeuxClientTranscript.open()
        _ = client.subscribe("/user/1")
        _ = client.receive(#"[{"id":"2","channel":"/meta/connect","successful":true}]"#, at: 9000)
        #expect(client.advance(to: 10_000).count == 1)
        _ = client.receive(#"[{"id":"4","channel":"/meta/connect","successful":true}]"#, at: 19_000)
        #expect(client.advance(to: 20_000).count == 1)
        _ = client.receive(#"[{"id":"6","channel":"/meta/connect","successful":true}]"#, at: 29_000)
        #expect(client.advance(to: 30_000) == ["unanswered /user/1"])
    }

    @Test func `a forgotten session is started anew with all subscriptions`() {
        var client = BayeuxClientTranscript.subscribed()
        let unknown = """
            [{"id":"2","channel":"/meta/connect","successful":false,"error":"401:c1:Unknown client",\
            "advice":{"reconnect":"handshake"}}]
            """
        #expect(client.receive(unknown, at: 100).map { $0.prefix(36) } == [#"send {"channel":"/meta/handshake","i"#])
        let again = handshaken.replacing(#""id":"1""#, with: #""id":"4""#).replacing("c1", with: "c2")
        #expect(
            client.receive(again, at: 200) == [
                "connected renewed",
                #"connect {"channel":"/meta/connect","id":"5","clientId":"c2","connectionType":"websocket"}"#,
                #"send {"channel":"/meta/subscribe","id":"6","clientId":"c2","subscription":"/user/1"}"#,
            ])
        // A server that forgets each session at once does not cause a tight loop.
        #expect(client.receive(unknown.replacing(#""id":"2""#, with: #""id":"5""#), at: 300) == [])
        #expect(client.advance(to: 2000).first?.contains("handshake") == true)
    }

    @Test(arguments: [#"{"reconnect":"none"}"#, #"{"interval":-1}"#])
    func `a server that forbids reconnecting is not contacted again`(advice: String) {
        var client = BayeuxClientTranscript.open()
        let end =
            #"[{"id":"2","channel":"/meta/connect","successful":false,"error":"403::Unknown client","advice":\#(advice)}]"#
        #expect(client.receive(end) == [#"close forbidden("403::Unknown client")"#])
        #expect(client.machine.deadline == nil)
        #expect(client.receive(handshaken) == [])
    }

    @Test func `a silent socket is probed with an existing subscription, and closed without an answer`() {
        var client = BayeuxClientTranscript.subscribed()
        _ = client.receive(
            #"[{"id":"2","channel":"/meta/connect","successful":true,"advice":{"timeout":600000}}]"#, at: 1000)
        #expect(client.advance(to: 30_999) == [])
        #expect(
            client.advance(to: 31_000) == [
                #"send {"channel":"/meta/subscribe","id":"5","clientId":"c1","subscription":"/user/1"}"#
            ])
        #expect(client.receive(#"[{"id":"5","channel":"/meta/subscribe","successful":true}]"#, at: 31_100) == [])
        #expect(client.advance(to: 61_100).count == 1)
        #expect(client.advance(to: 71_100) == ["close silent"])
    }

    @Test func `a probe detects that the session is lost or a subscription is refused`() {
        var client = BayeuxClientTranscript.subscribed()
        _ = client.receive(
            #"[{"id":"2","channel":"/meta/connect","successful":true,"advice":{"timeout":600000}}]"#, at: 0)
        _ = client.advance(to: 30_000)
        var other = client
        #expect(
            client.receive(
                #"[{"id":"5","channel":"/meta/subscribe","successful":false,"error":"401:c1:Unknown client"}]"#
            )
            .first?.contains("/meta/handshake") == true)
        #expect(
            other.receive(#"[{"id":"5","channel":"/meta/subscribe","successful":false,"error":"revoked"}]"#)
                == ["refused /user/1: revoked"])
    }

    @Test func `a connect held longer than advised ends the transport`() {
        var client = BayeuxClientTranscript.open()
        #expect(client.advance(to: 14_999) == [])
        #expect(client.advance(to: 15_000) == ["close silent"])
    }

    @Test func `a new socket resumes the session within twice the time a connect is held`() {
        var old = BayeuxClientTranscript.subscribed()
        var memory = BayeuxClient.Memory()
        #expect(old.run { memory = $0.transportClosed(into: &$1) } == [])
        var client = BayeuxClientTranscript(memory: memory)
        #expect(
            client.start(at: 9999) == [
                #"connect {"channel":"/meta/connect","id":"1","clientId":"c1","connectionType":"websocket","advice":{"timeout":0}}"#
            ], "which is answered at once (Bayeux BX-12)")
        #expect(
            client.receive(#"[{"channel":"/user/1","data":1,"id":"x"}]"#, at: 10_000) == [
                "connected resumed", "delivery /user/1 1",
            ], "what is missing is missing before it")
        #expect(
            client.receive(#"[{"id":"1","channel":"/meta/connect","clientId":"c1","successful":true}]"#, at: 10_000)
                == [
                    #"connect {"channel":"/meta/connect","id":"2","clientId":"c1","connectionType":"websocket"}"#
                ], "and its subscriptions stand")
        var late = BayeuxClientTranscript(memory: memory)
        #expect(late.start(at: 10_000).first?.contains("/meta/handshake") == true)
    }

    @Test func `a lost session is replaced by a new one, and events are missed`() {
        var old = BayeuxClientTranscript.subscribed()
        var memory = BayeuxClient.Memory()
        _ = old.run { memory = $0.transportClosed(into: &$1) }
        var client = BayeuxClientTranscript(memory: memory)
        _ = client.start(at: 2000)
        let unknown = #"[{"id":"1","channel":"/meta/connect","successful":false,"error":"401:c1:Unknown client"}]"#
        #expect(client.receive(unknown, at: 2000).first?.contains("/meta/handshake") == true)
        let lines = client.receive(handshaken.replacing(#""id":"1""#, with: #""id":"2""#), at: 2000)
        #expect(lines.first == "connected renewed")
        #expect(lines.last?.contains(#""subscription":"/user/1""#) == true)
    }

    @Test func `nothing is missed when the server acknowledges batches`() {
        var client = BayeuxClientTranscript(.longPolling, acknowledges: true)
        #expect(client.start().first?.contains(#""ext":{"ack":true}"#) == true)
        let answer = handshaken.replacing(#""version""#, with: #""ext":{"ack":true},"version""#)
        #expect(client.receive(answer).last?.hasSuffix(#""ext":{"ack":0}}"#) == true)
        let batch =
            #"[{"channel":"/a","data":1},{"id":"2","channel":"/meta/connect","successful":true,"ext":{"ack":7}}]"#
        #expect(client.receive(batch).last?.hasSuffix(#""ext":{"ack":7}}"#) == true)
        var memory = BayeuxClient.Memory()
        _ = client.run { memory = $0.transportClosed(into: &$1) }
        var next = BayeuxClientTranscript(.longPolling, acknowledges: true, memory: memory)
        #expect(next.start(at: 1000).first?.hasSuffix(#""ext":{"ack":7}}"#) == true)
        let lines = next.receive(#"[{"id":"1","channel":"/meta/connect","successful":true,"ext":{"ack":8}}]"#, at: 1000)
        #expect(lines.first == "connected complete")
    }

    @Test func `publications before the session is established wait, and unanswered ones are reported`() {
        var client = BayeuxClientTranscript()
        #expect(client.publish("/a", "1") == [])
        _ = client.start()
        #expect(
            client.receive(handshaken.replacing(#""id":"1""#, with: #""id":"2""#)).last?.contains(#""data":1"#) == true)
        #expect(client.advance(to: 10_000) == ["unpublished 1 timeout"])
        _ = client.publish("/a", "2", at: 10_000)
        #expect(client.run { _ = $0.transportClosed(into: &$1) } == ["unpublished 5 sessionLost"])
    }

    @Test func `a waiting publication is reported when the transport closes before the session is established`() {
        var client = BayeuxClientTranscript()
        _ = client.publish("/a", "1")
        #expect(client.run { _ = $0.transportClosed(into: &$1) } == ["unpublished 1 finished"])
    }

    @Test func `the client disconnects on the answer to its goodbye, or soon without one`() {
        var client = BayeuxClientTranscript.subscribed()
        var silent = client
        let bye = client.run { $0.disconnect(at: .zero, into: &$1) }
        #expect(bye == [#"send {"channel":"/meta/disconnect","id":"4","clientId":"c1"}"#])
        #expect(client.receive(#"[{"id":"4","channel":"/meta/disconnect","successful":true}]"#) == ["close requested"])
        _ = silent.run { $0.disconnect(at: .zero, into: &$1) }
        #expect(silent.advance(to: 2000) == ["close requested"])
    }

    @Test func `the client unsubscribes from a channel, and forgets one it never subscribed to`() {
        var client = BayeuxClientTranscript.subscribed()
        #expect(
            client.unsubscribe("/user/1") == [
                #"send {"channel":"/meta/unsubscribe","id":"4","clientId":"c1","subscription":"/user/1"}"#
            ])
        #expect(
            client.receive(#"[{"id":"4","channel":"/meta/unsubscribe","successful":false,"error":"x"}]"#)
                == ["unsubscribed /user/1"])
        var idle = BayeuxClientTranscript()
        _ = idle.subscribe("/a")
        #expect(idle.unsubscribe("/a") == ["unsubscribed /a"])
    }

    @Test func `a server that answers the handshake with anything else is not contacted again and again`() {
        var client = BayeuxClientTranscript()
        _ = client.start()
        #expect(client.receive("<html>").first?.hasPrefix("close notBayeux") == true)
        var refused = BayeuxClientTranscript()
        _ = refused.start()
        let refusal =
            #"[{"id":"1","channel":"/meta/handshake","successful":false,"error":"301:websocket:Connection types not supported"}]"#
        #expect(refused.receive(refusal) == [#"close refused("301:websocket:Connection types not supported")"#])
        var silent = BayeuxClientTranscript()
        _ = silent.start()
        #expect(silent.advance(to: 10_000) == ["close noAnswer"])
    }

    @Test func `while the transport is not read, silence of a Bayeux server is no failure`() {
        var client = BayeuxClientTranscript.subscribed()
        let due = client.machine.deadline
        client.machine.set(.paused, at: ms(1_000))
        #expect(client.machine.deadline == nil)
        client.machine.set(.resumed, at: ms(61_000))
        #expect(client.machine.deadline == due.map { $0 + .seconds(62) })
    }
}
