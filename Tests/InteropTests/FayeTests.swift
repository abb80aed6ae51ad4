import Glibc
import Testing
import TestSupport
import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

/// Tests the Bayeux client against Debian's Faye with GroupMe's rules (Bayeux BX-26).
@Suite(
    .serialized,
    .enabled(if: access("/usr/lib/ruby/vendor_ruby/faye.rb", R_OK) == 0, "run Tests/run to install ruby-faye"))
struct FayeTests {
    private typealias Effect = BayeuxClient.Effect

    private let channel = "/user/20000001"

    private func subscribed(_ stage: FayeStage, _ type: Bayeux.ConnectionType = .websocket) async -> FayeClient {
        let client = FayeClient(stage, type)
        await client.connect()
        await client.subscribe(channel, token: "token-20000001")
        await client.told.wait(seconds: 20) { $0.subscriptions == 1 }
        return client
    }

    @Test(arguments: Bayeux.ConnectionType.allCases)
    func `a subscription with a valid token delivers every event in order, with any JSON except null`(
        type: Bayeux.ConnectionType
    ) async throws {
        let stage = try FayeStage()
        defer { stage.stop() }
        let client = await subscribed(stage, type)
        for data in [#"{"type":"line.create","é":"😀"}"#, "[1,2]", #""text""#, "3"] {
            try await stage.publish(channel, data)
        }
        let told = await client.told.wait(seconds: 20) { $0.data.count == 4 }
        #expect(told.data == [#"{"type":"line.create","é":"😀"}"#, "[1,2]", #""text""#, "3"])
        #expect(told.continuities == [.first])
    }

    @Test func `another user's token is refused with the server's words, and the own subscription stays`() async throws
    {
        let stage = try FayeStage()
        defer { stage.stop() }
        let client = await subscribed(stage)
        await client.subscribe("/user/20000002", token: "token-20000001")
        await client.subscribe("/user/20000003", token: "nonsense")
        let told = await client.told.wait(seconds: 20) { $0.refusals.count == 2 }
        #expect(told.refusals.allSatisfy { $0.contains("access token authentication failed") })
        try await stage.publish("/user/20000002", "1")
        try await stage.publish(channel, "2")
        #expect(await client.told.wait(seconds: 20) { !$0.data.isEmpty }.data == ["2"])
    }

    @Test func `our own message arrives before its answer, and the client tells both apart`() async throws {
        let stage = try FayeStage()
        defer { stage.stop() }
        let client = await subscribed(stage)
        await client.publish(channel, #"{"type":"typing"}"#, token: "token-20000001")
        let told = await client.told.wait(seconds: 20) { $0.isPublished }
        #expect(told.data == [#"{"type":"typing"}"#])
    }

    @Test func `a session resumes within its window and delivers everything published meanwhile`() async throws {
        let stage = try FayeStage(timeout: 10)
        defer { stage.stop() }
        let client = await subscribed(stage)
        await client.cut()
        try stage.server?.readLine(startingWith: "closed")
        for number in 1...3 { try await stage.publish(channel, "\(number)") }
        await client.connect()
        let told = await client.told.wait(seconds: 20) { $0.data.count == 3 }
        #expect(told.data == ["1", "2", "3"])
        #expect(told.continuities == [.first, .resumed])
        try await stage.publish(channel, "4")
        await client.told.wait(seconds: 20) { $0.data.count == 4 }
        #expect(client.told.all.subscriptions == 1, "the subscription stood all the time")
    }

    @Test func `outside its window the session is new, and the gap is known`() async throws {
        let stage = try FayeStage(timeout: 1)
        defer { stage.stop() }
        let client = await subscribed(stage)
        await client.cut()
        try stage.server?.readLine(startingWith: "disconnect")
        try await stage.publish(channel, "1")
        await client.connect()
        await client.told.wait(seconds: 20) { $0.subscriptions == 2 }
        try await stage.publish(channel, "2")
        let told = await client.told.wait(seconds: 20) { !$0.data.isEmpty }
        #expect(told.data == ["2"])
        #expect(told.continuities == [.first, .renewed])
    }

    @Test func `the client resubscribes to a restarted server`() async throws {
        let stage = try FayeStage(timeout: 10)
        defer { stage.stop() }
        let client = await subscribed(stage)
        stage.kill()
        try stage.start()
        await client.cut()
        await client.connect()
        await client.told.wait(seconds: 20) { $0.subscriptions == 2 }
        try await stage.publish(channel, "1")
        let told = await client.told.wait(seconds: 20) { !$0.data.isEmpty }
        #expect(told.continuities == [.first, .renewed])
    }

    @Test func `a probe detects a server that hangs, and the session resumes when the server continues`() async throws {
        let stage = try FayeStage(timeout: 60)
        defer { stage.stop() }
        let client = await subscribed(stage)
        let server = try #require(stage.server)
        kill(server.pid, SIGSTOP)
        await client.told.wait(seconds: 20) { $0.contains(.close(.silent)) }
        kill(server.pid, SIGCONT)
        await client.connect()
        await client.told.wait(seconds: 20) { $0.continuities == [.first, .resumed] }
        try await stage.publish(channel, "1")
        await client.told.wait(seconds: 20) { $0.data == ["1"] }
    }

    @Test(arguments: Bayeux.ConnectionType.allCases)
    func `the session survives many idle hold times, and a disconnect ends it`(
        type: Bayeux.ConnectionType
    ) async throws {
        let stage = try FayeStage(timeout: 1)
        defer { stage.stop() }
        let client = await subscribed(stage, type)
        // A session without a connect dies after two seconds. Each connect takes one second.
        let other = FayeClient(stage, type)
        for round in 1...3 {
            await other.connect()
            await other.told.wait(seconds: 20) { $0.continuities.count == round }
            await other.cut()
            try stage.server?.readLine(startingWith: "disconnect")
        }
        try await stage.publish(channel, "1")
        let told = await client.told.wait(seconds: 20) { !$0.data.isEmpty }
        #expect(told.continuities == [.first])
        await client.disconnect()
        await client.told.wait(seconds: 20) { $0.contains(.close(.requested)) }
    }
}

extension [BayeuxClient.Effect] {
    fileprivate var subscriptions: Int { count { if case .subscribed = $0 { true } else { false } } }
    fileprivate var isPublished: Bool { contains { if case .published = $0 { true } else { false } } }

    fileprivate var data: [String] {
        compactMap { if case .delivery(let delivery) = $0 { delivery.data.description } else { nil } }
    }

    fileprivate var refusals: [String] { compactMap { if case .refused(_, let words) = $0 { words } else { nil } } }

    fileprivate var continuities: [BayeuxClient.Continuity] {
        compactMap { if case .connected(let continuity) = $0 { continuity } else { nil } }
    }
}
