// swift-tools-version: 6.2
import PackageDescription

// Programs that use Weir's libraries. An application of yours names the repository's URL instead of the path.
let package = Package(
    name: "weir-samples",
    dependencies: [.package(name: "weir", path: "../..")],
    targets: [
        // Follows a chat server, in a task group.
        .executableTarget(name: "tail", dependencies: [.product(name: "WeirLive", package: "weir")]),
        // Plays a recording, and moves through it.
        .executableTarget(name: "replay", dependencies: [.product(name: "WeirLive", package: "weir")]),
        // A Socket.IO client.
        .executableTarget(name: "chat", dependencies: [.product(name: "WeirSocketIO", package: "weir")]),
        // A sorted list in sections, and its changes.
        .executableTarget(name: "contacts", dependencies: [.product(name: "WeirModel", package: "weir")]),
    ]
)
