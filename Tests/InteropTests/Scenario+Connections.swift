import Testing
import TestSupport
import WeirJSON
import WeirNetwork
import WeirWire

// MARK: - Namespaces

extension Scenario {
    static let namespaces = [
        Scenario("two namespaces share a connection, and leaving one leaves the other") { stage in
            let client = try await Client.start(
                stage, .standard(stage.lane.revision, [.init("/"), .init("/custom")]))
            await client.waits { Set($0.joins.map(\.namespace)) == ["/", "/custom"] }
            #expect(Set(client.events.all.joins.map(\.handshake.sid)).count == 1)
            let custom = try await client.ask(
                .init("message-with-ack", arguments: json("1"), namespace: "/custom"))
            #expect(custom.namespace == "/custom" && custom.trees == [.integer(1)])
            client.on { $0.leave("/custom") }
            #expect(try await client.ask(.init("message-with-ack", arguments: json("2"))).trees == [.integer(2)])
            await #expect(throws: AcknowledgementFailure.notSent(.notJoined)) {
                try await client.ask(.init("message-with-ack", namespace: "/custom"))
            }
            await client.end()
        },
        Scenario("a namespace joined later takes its auth along") { stage in
            let client = try await Client.joined(stage)
            let isThree = stage.lane.revision == .v3
            client.on {
                $0.join(.init(isThree ? "/custom?token=1" : "/custom", auth: isThree ? nil : json(#"{"token":"1"}"#)))
            }
            let told = await client.waits { $0.joins.count >= 2 && !$0.auths.isEmpty }
            let auth = try #require(told.auths.first)
            // python-socketio 4 has no auth payload.
            if stage.lane.server != .python4 { #expect(auth.values.first?["token"] == .string("1")) }
            await client.end()
        },
        Scenario(
            "a namespace that does not exist is refused, and the others go on", isFor: { $0.server != .python4 }
        ) { stage in
            let client = try await Client.start(
                stage, .standard(stage.lane.revision, [.init("/"), .init("/nowhere")]))
            let told = await client.waits { $0.joins.count >= 1 && $0.refusals.count >= 1 }
            #expect(told.refusals.first?.namespace == "/nowhere")
            let words = stage.lane.isPython ? "Unable to connect" : "Invalid namespace"
            #expect(told.refusals.first?.refusal.message == words)
            #expect(try await client.ask(.init("message-with-ack")).trees == [])
            await client.end()
        },
        Scenario(
            "a refusal of the application brings its data, and ends a client with no other namespace",
            isFor: { $0.isPython && $0.revision == .v4 }
        ) { stage in
            let client = try await Client.start(stage, .standard(stage.lane.revision, [.init("/admin")]))
            let told = await client.waits { $0.ending != nil }
            guard case .namespaceRefused(let refusal) = told.ending else {
                Issue.record("\(String(describing: told.ending))")
                return
            }
            #expect(refusal.message == "not authorized")
            #expect(try refusal.data.map { try JSONValue(parsing: $0.bytes) }?["code"] == .integer(401))
        },
    ]
}

// MARK: - Deliveries

extension Scenario {
    static let deliveries = [
        Scenario("what is emitted before the join waits or is dropped, as its delivery says") { stage in
            let client = try await Client.start(
                stage,
                first: { connection in
                    connection.emit(.init("message", arguments: json("0"), delivery: .volatile))
                    connection.emit(.init("message", arguments: json("1")))
                    connection.emit(
                        .init("message-with-ack", delivery: .retried(attempts: 3, timeout: .seconds(20))))
                })
            let told = await client.waits {
                !$0.received("message-back").isEmpty
                    && $0.contains { if case .acknowledged = $0 { true } else { false } }
            }
            #expect(told.received("message-back").map(\.values) == [[.integer(1)]])
            #expect(told.dropped.map(\.cause) == [.notJoined])
            await client.end()
        },
        Scenario(
            "an acknowledgement that nobody sends is given up in time", isFor: { $0.server != .python4 }
        ) { stage in
            let client = try await Client.joined(stage)
            await #expect(throws: AcknowledgementFailure.unacknowledged(.timeout)) {
                try await client.ask(.init("nobody-hears-this", ack: .within(.milliseconds(50))))
            }
            await #expect(throws: AcknowledgementFailure.unacknowledged(.timeout)) {
                try await client.ask(
                    .init("nobody-hears-this", delivery: .retried(attempts: 2, timeout: .milliseconds(50))))
            }
            #expect(try await client.ask(.init("message-with-ack")).trees == [])
            await client.end()
        },
        Scenario("an acknowledgement that is due when the client leaves is told") { stage in
            let client = try await Client.joined(stage)
            client.on { connection in
                connection.emit(.init("message-with-ack")) { _ in }
                connection.emit(.init("message-with-ack", ack: .unlimited))
                connection.disconnect()
            }
            let told = await client.waits { $0.ending != nil }
            let ends = told.filter {
                if case .unacknowledged(_, _, .disconnected) = $0 { true } else { false }
            }
            #expect(ends.count == 1, "the other one's end was told to who asked")
        },
    ]
}

// MARK: - Coming back

extension Scenario {
    static let reconnects = [
        Scenario("the server ends and comes back: what waited leaves, URL and auth are made anew") { stage in
            let attempts = Mailbox<Int>()
            let isThree = stage.lane.revision == .v3
            let client = try await Client.joined(
                stage, .standard(stage.lane.revision, [.init("/"), .init("/custom")])
            ) { attempt, proceed in
                attempts.put(attempt)
                let count = attempts.all.count
                let auth = isThree ? [:] : ["/custom": json(#"{"count":\#(count)}"#)]
                let url = Result { try stage.url("count=\(count)") }
                proceed(
                    url.map { stage.lane.attempt($0, auth: auth) }.mapError {
                        ConnectFailure(phase: .resolve, message: "\($0)")
                    })
            }
            await client.waits { $0.joins.count >= 2 && $0.auths.count >= 1 }
            try stage.restart()
            // An event emitted before the client notices the cut is lost with the connection.
            await client.waits { $0.contains { if case .lost = $0 { true } else { false } } }
            client.emit(.init("message", arguments: json("\"kept\"")))
            let told = await client.waits {
                $0.joins.count >= 4 && $0.auths.count >= 2 && !$0.received("message-back").isEmpty
            }
            #expect(attempts.all.count >= 2)
            if !isThree {
                let counts = told.auths.compactMap { $0.values.first?["count"] }
                #expect(counts == [.integer(1), .integer(Int64(attempts.all.count))])
            }
            #expect(told.joins.map(\.isRecovered) == [false, false, false, false])
            await client.end()
        },
        Scenario("after a kick the client comes back, and one that is told not to ends", isFor: \.isPython) { stage in
            let client = try await Client.joined(stage)
            client.emit(.init("test:kick"))
            await client.waits { $0.joins.count >= 2 }
            #expect(try await client.ask(.init("message-with-ack")).trees == [])
            await client.end()
            // python-engineio 3 forgets a kicked session before it answers the GET with 500, so the client cannot know
            // the cause.
            if stage.lane.server == .python4, stage.lane.transport != .websocket { return }
            var configuration = SocketIOReconnection.Configuration.standard(stage.lane.revision)
            configuration.returnsAfterKick = false
            let other = try await Client.joined(stage, configuration)
            other.emit(.init("test:kick"))
            let told = await other.waits { $0.ending != nil }
            #expect(told.ending == .disconnectedByServer)
        },
        Scenario("the revision is found out, whichever the server speaks", isFor: { $0.server != .ours }) { stage in
            let client = try await Client.joined(stage, .standard(nil))
            #expect(try await client.ask(.init("message-with-ack")).trees == [])
            #expect((client.events.all.joins.first?.id == nil) == (stage.lane.revision == .v3))
            await client.end()
        },
        Scenario("a client that is ended while it connects ends, and one that finds nobody gives up") { stage in
            let client = try await Client.start(stage)
            client.on { $0.disconnect() }
            let told = await client.waits { $0.ending != nil }
            #expect(told.ending == .requested)
            let nowhere = try freePort()
            var configuration = SocketIOReconnection.Configuration.standard(stage.lane.revision)
            configuration.maximumAttempts = 2
            let other = try await Client.start(stage, configuration) { _, proceed in
                let url = Result { try URLParts(parsing: "http://127.0.0.1:\(nowhere)/socket.io/") }
                proceed(
                    url.map { stage.lane.attempt($0) }.mapError {
                        ConnectFailure(phase: .resolve, message: "\($0)")
                    })
            }
            let ended = await other.waits { $0.ending != nil }
            guard case .gaveUp(attempts: 2, .failed(let failure)) = ended.ending else {
                Issue.record("\(String(describing: ended.ending))")
                return
            }
            #expect(failure.phase == .connect)
        },
    ]
}

extension [SocketIOReconnection.Event] {
    /// The events with which the server echoes the auth of `/custom`. Our own server also sends one in `/`.
    fileprivate var auths: [SocketIO.Event] { received("auth").filter { $0.namespace == "/custom" } }
}
