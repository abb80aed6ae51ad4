// swift-tools-version: 6.2
import PackageDescription

// A package that uses Weir's Socket.IO client. An application of yours names the repository's URL instead of the path.
let package = Package(
    name: "socketio-chat",
    dependencies: [.package(name: "weir", path: "../..")],
    targets: [
        .executableTarget(name: "chat", dependencies: [.product(name: "WeirSocketIO", package: "weir")])
    ]
)
