import Testing
import WeirWire

// 12: the upgrade.
extension EngineIOClientTransportTests {
    @Test func `an upgrade probes, pauses, completes the last GET, and then sends the waiting packets`() {
        var client = ClientTransportTranscript(.upgrade)
        _ = client.start()
        #expect(
            client.answer(1, [Self.open]) == [
                "opened", "openWebSocket /s/?EIO=4&transport=websocket&sid=s", "received \(Self.open)",
                "get 2 \(client.polling(2))",
            ])
        #expect(client.send("40") == ["post 3 \(client.polling(3)) text/plain;charset=UTF-8 40"])
        #expect(client.give(.webSocketOpened) == ["ws 2probe"])
        #expect(client.answer(2, ["40{}"]) == ["received 40{}", "get 4 \(client.polling(4))"])
        #expect(client.give(.webSocketReceived([.text("6")])) == [])
        #expect(client.give(.webSocketReceived([.text("3probe")])) == [])
        // The pause: sent packets wait, and no request begins.
        #expect(client.send("42[1]") == [])
        #expect(client.answer(3, ["ok"]) == [])
        #expect(client.send("42[2]") == [])
        #expect(client.answer(4, ["42[\"last\"]\u{1E}6"]) == ["received 42[\"last\"]", "ws 5", "ws 42[1]", "ws 42[2]"])
        #expect(client.machine.isWebSocketStream)
        #expect(client.machine.deadline == nil)
        // Python servers send a noop over the WebSocket.
        #expect(client.give(.webSocketReceived([.text("6"), .text("42[3]")])) == ["received 6 42[3]"])
        #expect(client.send("42[4]") == ["ws 42[4]"])
    }

    @Test func `the POST may be the last request to end`() {
        var client = ClientTransportTranscript.upgrading(Self.open)
        _ = client.send("42[1]")
        _ = client.give(.webSocketReceived([.text("3probe")]))
        #expect(client.answer(2, ["6"]) == [])
        #expect(client.answer(3, ["ok"]) == ["ws 5"])
    }

    @Test func `a failed probe leaves the session on polling`() {
        var client = ClientTransportTranscript.upgrading(Self.open)
        #expect(client.give(.webSocketClosed(WebSocketClose(code: 1006))) == [])
        #expect(client.answer(2, ["42[1]"]) == ["received 42[1]", "get 3 \(client.polling(3))"])
        #expect(client.send("42[2]").first?.hasPrefix("post 4") == true)

        client = ClientTransportTranscript(.upgrade)
        _ = client.start()
        _ = client.answer(1, [Self.open])
        #expect(client.fail(.handshake, 502) == [])
        #expect(client.answer(2, ["6"]) == ["get 3 \(client.polling(3))"])
    }

    @Test func `an unanswered probe is given up in time, even during the pause`() {
        var client = ClientTransportTranscript.upgrading(Self.open)
        #expect(client.machine.deadline == ms(10_000))
        #expect(client.advance(to: 10_000) == ["closeWebSocket 1000"])
        #expect(client.give(.webSocketReceived([.text("3probe")])) == [])
        #expect(client.answer(2, ["6"]) == ["get 3 \(client.polling(3))"])

        client = ClientTransportTranscript.upgrading(Self.open)
        _ = client.send("42[1]")
        _ = client.give(.webSocketReceived([.text("3probe")]))
        _ = client.answer(2, ["6"])
        _ = client.send("42[2]")
        #expect(client.advance(to: 10_000) == ["closeWebSocket 1000", "get 4 \(client.polling(4))"])
        #expect(client.answer(3, ["ok"]) == ["post 5 \(client.polling(5)) text/plain;charset=UTF-8 42[2]"])
    }

    @Test func `a close during an upgrade waits for its outcome`() {
        var client = ClientTransportTranscript.upgrading(Self.open)
        _ = client.send("41")
        #expect(client.close() == [])
        #expect(client.send("42[]") == [])
        #expect(client.answer(2, ["42[1]"]) == ["get 4 \(client.polling(4))"])
        #expect(client.give(.webSocketReceived([.text("3probe")])) == [])
        #expect(client.answer(4, ["6"]) == [])
        #expect(client.answer(3, ["ok"]) == ["ws 5", "closeWebSocket 1000"])
        #expect(client.give(.webSocketClosed(WebSocketClose(code: 1000))) == ["closed 1000 later"])

        client = ClientTransportTranscript.upgrading(Self.open)
        #expect(client.close() == [])
        #expect(
            client.give(.webSocketClosed(WebSocketClose(code: 1006)))
                == ["post 3 \(client.polling(3)) text/plain;charset=UTF-8 1"])
        #expect(client.answer(3, ["ok"]) == ["cancel 2", "closed 1000 later"])
    }

    @Test func `a session that ends during an upgrade closes the WebSocket as well`() {
        var client = ClientTransportTranscript.upgrading(Self.open)
        #expect(client.answer(2, ["1"]) == ["received 1", "cancel 2", "closeWebSocket 1000", "closed 1005 later"])
        #expect(client.give(.webSocketClosed(WebSocketClose(code: 1006))) == [])
    }

    @Test func `no upgrade is attempted unless the server offers it and the user wants it`() {
        var client = ClientTransportTranscript(.upgrade)
        _ = client.start()
        #expect(client.answer(1, [Self.openWithoutUpgrade]).count == 3)
        client = ClientTransportTranscript(.polling)
        _ = client.start()
        #expect(client.answer(1, [Self.open]).count == 3)
    }
}
