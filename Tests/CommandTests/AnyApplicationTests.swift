import Glibc
import TestSupport
import Testing

/// The page "Look into any Socket.IO application", followed as it stands.
@Suite struct AnyApplicationTests {
    /// The steps of the page, without or with the part about Chainlit.
    private static func steps(ofChainlit: Bool) throws -> DocumentedSteps {
        let page = String(
            decoding: try readFile(packageFolder + "/Sources/Live/Live.docc/AnySocketIOApplication.md"), as: UTF8.self)
        let end = try #require(page.firstRange(of: "### Another application: Chainlit"))
        let part = ofChainlit ? page[end.lowerBound...] : page[..<end.lowerBound]
        return DocumentedSteps(of: part)
    }

    @Test(.enabled(if: environment("nicegui") != nil, "NiceGUI is not installed: run Tests/run"))
    func `each step of the page does with NiceGUI what the page says`() throws {
        let port = try freePort()
        let python = try #require(environment("nicegui")) + "/bin/python"
        let peer = try Peer([python, peersFolder + "/nicegui_app.py", "not-guessed", "\(port)"], errorsToo: true)
        defer { peer.stop() }
        try peer.readLine(startingWith: "listening")
        peer.drain()
        let steps = try Self.steps(ofChainlit: false)
        #expect(steps.list.count == 6)
        try steps.follow(port: port)
    }

    // The long run needs it: there the test fails, and is not passed over.
    @Test(
        .enabled(
            if: environment("chainlit") != nil || getenv("WEIR_LONG") != nil,
            "Chainlit is not installed: run WEIR_LONG=1 Tests/run"))
    func `the page's part about Chainlit does what it says`() throws {
        let port = try freePort()
        let program = try #require(environment("chainlit")) + "/bin/chainlit"
        let folder = try temporaryFolder()
        let peer = try Peer(
            ["env", "-C", folder, program, "run", peersFolder + "/chainlit_app.py", "--headless", "--port", "\(port)"],
            environment: ["HOME": folder], errorsToo: true)
        defer { peer.stop() }
        while let line = peer.readLine(), !line.contains("Your app is available") {}
        peer.drain()
        let steps = try Self.steps(ofChainlit: true)
        #expect(steps.list.count == 1)
        try steps.follow(port: port)
    }
}
