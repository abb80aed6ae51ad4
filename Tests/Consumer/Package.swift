// swift-tools-version: 6.2
import PackageDescription

// An application whose own targets have the usual names. Target names are global in a package graph, so this builds only while Weir's modules
// carry its name. `.ci/samples` builds it against a tagged clone of this repository: WEIR_URL and WEIR_VERSION name both.
let own = ["Events", "Live", "Network", "Pipeline", "Recording", "Store", "Streams", "Terminal", "Wire"]
let environment = Context.environment

let package = Package(
    name: "consumer",
    dependencies: [
        environment["WEIR_URL"].map { .package(url: $0, exact: Version(environment["WEIR_VERSION"] ?? "0.9.0")!) }
            ?? .package(name: "weir", path: "../..")
    ],
    targets: own.map { .target(name: $0) } + [
        .target(name: "CSQLite"),
        .executableTarget(
            name: "consumer",
            dependencies: own.map { .init(stringLiteral: $0) } + [
                "CSQLite",
                .product(name: "WeirLive", package: "weir"), .product(name: "WeirModel", package: "weir"),
                .product(name: "WeirSocketIO", package: "weir"),
            ]),
    ]
)
