// swift-tools-version: 6.2
import PackageDescription

// The settings of every target. `Lifetimes` lets a reader borrow the bytes it reads (`JSONReader` is not escapable).
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
    .treatAllWarnings(as: .error),
]

// The executables contain Swift's library: its calls cost a tenth less, and the machine does not need Swift. The linker removes or packs
// the parts that only a debugger or the loader reads, which saves two megabytes of memory.
let standalone: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-use-ld=lld", "-Xlinker", "--no-export-dynamic",
            "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
        ], .when(configuration: .release))
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: house)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: house)
}

let package = Package(
    name: "weir",
    products: [
        .executable(name: "weir", targets: ["weir"]),
        .executable(name: "weir-bench", targets: ["weir-bench"]),
        .library(name: "WeirLive", targets: ["WeirLive"]),
        .library(name: "WeirSocketIO", targets: ["WeirSocketIO"]),
        .library(name: "WeirModel", targets: ["WeirModel"]),
    ],
    targets: [
        // One door for each C library. `samples/demo` and `Tests/run` install the packages in `.apt`; no other list of them exists.
        .systemLibrary(
            name: "CWeirLibWebSockets", pkgConfig: "libwebsockets",
            providers: [.apt(["pkg-config", "libwebsockets-dev", "libssl-dev"])]),
        .systemLibrary(name: "CWeirCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CWeirThreads"),
        .systemLibrary(name: "CWeirSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CWeirZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CWeirCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // Replaces malloc in the whole process that imports it.
        .systemLibrary(name: "CWeirMimalloc", providers: [.apt(["libmimalloc-dev"])]),
        .systemLibrary(name: "CWeirZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CWeirYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

        // C++ with a C header.
        .systemLibrary(name: "CWeirRE2Library", providers: [.apt(["libre2-dev"])]),
        .target(
            name: "CWeirRE2", dependencies: ["CWeirRE2Library"],
            linkerSettings: [.linkedLibrary("re2"), .linkedLibrary("stdc++")]),

        // Headers of inline functions that Swift cannot express.
        .target(name: "CWeirJSONScan"),
        .target(name: "CWeirChecksum"),
        .target(name: "CWeirSecretScan"),
        .target(name: "CWeirBuild"),

        // The pure rooms have no clock, thread, file or socket.
        room("WeirJSON", ["CWeirJSONScan"]),
        room("WeirYAML", ["WeirJSON", "CWeirYAML"]),
        room("WeirWire", ["WeirJSON", "CWeirJSONScan", "CWeirZlib"]),
        room("WeirEvents", ["WeirJSON", "CWeirJSONScan"]),
        room("WeirModel"),
        room("WeirTerminal"),
        room("WeirRegex", ["CWeirRE2"]),
        room(
            "WeirPipeline",
            ["WeirYAML", "WeirTerminal", "WeirRegex", "WeirWire", "WeirEvents", "WeirModel", "WeirJSON"]),
        room(
            "WeirViews",
            ["WeirPipeline", "WeirTerminal", "WeirRegex", "WeirWire", "WeirEvents", "WeirModel", "WeirJSON"]),

        // The hands use threads, files and sockets.
        room("WeirThreads", ["WeirWire", "CWeirThreads"]),
        room("WeirNetwork", ["WeirThreads", "WeirWire", "WeirJSON", "CWeirLibWebSockets", "CWeirCurl"]),
        room("WeirSocketIO", ["WeirThreads", "WeirNetwork", "WeirWire", "WeirJSON"]),
        room("WeirStore", ["WeirThreads", "WeirPipeline", "WeirNetwork", "WeirModel", "WeirJSON", "CWeirSQLite"]),
        room(
            "WeirRecording",
            [
                "WeirRegex", "WeirPipeline", "WeirEvents", "WeirWire", "WeirJSON", "CWeirJSONScan", "CWeirChecksum",
                "CWeirCrypto",
                "CWeirSecretScan", "CWeirZstd",
            ]),
        room(
            "WeirLive",
            [
                "WeirThreads", "WeirViews", "WeirTerminal", "WeirRegex", "WeirPipeline", "WeirRecording", "WeirStore",
                "WeirNetwork", "WeirWire", "WeirEvents",
                "WeirModel", "WeirJSON",
            ]),
        room("WeirDemoServer", ["WeirThreads", "WeirPipeline", "WeirNetwork", "WeirWire", "WeirEvents", "WeirJSON"]),
        .executableTarget(
            name: "weir",
            dependencies: [
                "WeirThreads", "WeirLive", "WeirTerminal", "WeirRecording", "WeirStore", "WeirDemoServer",
                "WeirPipeline", "WeirEvents", "WeirNetwork", "WeirWire",
                "WeirJSON", "WeirYAML", "CWeirMimalloc", "CWeirBuild",
            ],
            // Links into schemas and samples: `--schema` prints the published schema, and the demo plays the published sample.
            resources: [
                .embedInCode("envelope.schema.json"), .embedInCode("finish.yaml"), .embedInCode("finish.scenario.yaml"),
            ], swiftSettings: house, linkerSettings: standalone),
        .executableTarget(
            name: "weir-bench",
            dependencies: [
                "WeirThreads", "WeirLive", "WeirTerminal", "WeirPipeline", "WeirRecording", "WeirStore", "WeirNetwork",
                "WeirWire", "WeirEvents", "WeirModel",
                "WeirJSON", "ModelOracle", "Simulation", "CWeirMimalloc",
            ],
            swiftSettings: house, linkerSettings: standalone),

        // The tests compare JSONText with simdjson: C++ with a C header.
        .systemLibrary(
            name: "CSimdjsonLibrary", path: "Tests/CSimdjsonLibrary", providers: [.apt(["libsimdjson-dev"])]),
        .target(
            name: "CSimdjson", dependencies: ["CSimdjsonLibrary"], path: "Tests/CSimdjson",
            linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
        tests("JSONTests", ["WeirJSON", "CWeirJSONScan", "CSimdjson", "WeirWire"]),
        tests("YAMLTests", ["WeirYAML", "WeirJSON", "WeirWire"]),
        tests("WireTests", ["WeirWire", "WeirJSON"]),
        tests("TerminalTests", ["WeirTerminal", "WeirWire"]),
        tests("EventsTests", ["WeirEvents", "WeirWire", "WeirJSON"]),
        tests("RegexTests", ["WeirRegex"]),
        // The oracle of the model's tests. It does not import Testing, so that weir-bench can soak with it too.
        .target(
            name: "ModelOracle", dependencies: ["WeirModel", "WeirWire"], path: "Tests/ModelOracle",
            swiftSettings: house),
        tests("ModelTests", ["ModelOracle", "WeirModel", "WeirWire"]),
        tests("PipelineTests", ["WeirPipeline", "WeirWire", "WeirEvents", "WeirModel", "WeirJSON"]),
        // The whole pure core with a simulated server. It does not import Testing, so that weir-bench can run it too.
        .target(
            name: "Simulation",
            dependencies: ["WeirDemoServer", "WeirPipeline", "WeirEvents", "WeirModel", "WeirWire", "WeirJSON"],
            path: "Tests/Simulation", swiftSettings: house),
        tests(
            "SimulationTests",
            ["Simulation", "WeirDemoServer", "WeirPipeline", "WeirEvents", "WeirModel", "WeirWire", "WeirJSON"]),
        tests("NetworkTests", ["WeirThreads", "TestSupport", "WeirNetwork", "WeirWire"]),
        tests("SocketIOTests", ["WeirThreads", "TestSupport", "WeirSocketIO", "WeirNetwork", "WeirWire", "WeirJSON"]),
        // Writes to a store until a test kills it, or keeps the store locked.
        .executableTarget(
            name: "store-writer", dependencies: ["WeirStore", "WeirPipeline", "WeirEvents", "WeirModel"],
            path: "Tests/StoreWriter", swiftSettings: house),
        tests(
            "StoreTests",
            [
                "TestSupport", "WeirThreads", "WeirStore", "store-writer", "WeirPipeline", "WeirEvents", "WeirModel",
                "WeirJSON", "WeirWire",
                "CWeirSQLite",
            ]),
        // Writes a recording until a test kills it.
        .executableTarget(
            name: "recording-writer",
            dependencies: ["WeirRecording", "WeirPipeline", "WeirModel", "WeirWire", "WeirJSON"],
            path: "Tests/RecordingWriter", swiftSettings: house),
        tests("RecordingTests", ["WeirRecording", "WeirPipeline", "WeirWire", "WeirJSON"]),
        tests(
            "SchemaTests",
            [
                "TestSupport", "WeirThreads", "WeirLive", "WeirViews", "WeirDemoServer", "Simulation", "WeirNetwork",
                "WeirRecording", "WeirPipeline", "WeirEvents",
                "WeirModel", "WeirWire", "WeirJSON",
            ]),
        tests(
            "DemoServerTests",
            ["TestSupport", "WeirDemoServer", "WeirPipeline", "WeirEvents", "WeirNetwork", "WeirWire", "WeirJSON"]),
        .target(
            name: "TestSupport", dependencies: ["WeirThreads", "WeirNetwork", "WeirWire"], path: "Tests/TestSupport",
            swiftSettings: house),
        tests(
            "InteropTests",
            [
                "TestSupport", "WeirThreads", "WeirDemoServer", "WeirLive", "WeirPipeline", "WeirModel", "WeirEvents",
                "WeirNetwork", "WeirWire",
                "WeirJSON",
            ]),
        tests(
            "LiveTests",
            [
                "TestSupport", "WeirThreads", "WeirLive", "WeirViews", "WeirTerminal", "WeirRecording", "WeirStore",
                "WeirDemoServer", "WeirPipeline", "WeirNetwork", "WeirWire",
                "WeirJSON", "WeirModel", "recording-writer",
            ]),
        tests(
            "CommandTests", ["TestSupport", "WeirThreads", "WeirTerminal", "WeirNetwork", "WeirWire", "WeirJSON"],
            exclude: ["Help", "Manual", "Profiles", "Reports"]),
    ],
    swiftLanguageModes: [.v6]
)

// Recordings in NATS streams. Without libnats, WEIR_WITHOUT_NATS leaves them out, and weir refuses each nats:// URL with the reason.
if Context.environment["WEIR_WITHOUT_NATS"] == nil {
    package.targets += [
        .systemLibrary(name: "CWeirNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        room("WeirStreams", ["WeirThreads", "WeirRecording", "WeirNetwork", "WeirWire", "WeirJSON", "CWeirNATS"]),
        tests(
            "StreamsTests",
            ["WeirThreads", "TestSupport", "WeirStreams", "WeirRecording", "WeirNetwork", "WeirWire", "WeirJSON"]),
    ]
    for target in package.targets where ["weir", "weir-bench"].contains(target.name) {
        target.dependencies.append(target.name == "weir" ? "WeirStreams" : "CWeirNATS")
        target.swiftSettings = house + [.define("NATS")]
    }
}

// `--version` prints this commit, which `.ci/package` sets.
if let commit = Context.environment["WEIR_COMMIT"], !commit.isEmpty {
    for target in package.targets where target.name == "weir" {
        target.swiftSettings?.append(.unsafeFlags(["-Xcc", "-DWEIR_COMMIT=\"\(commit)\""]))
    }
}

// Only for `.ci/fuzz`, because a target that links libFuzzer cannot be built without its flags.
if Context.environment["WEIR_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "weir-fuzz",
            dependencies: [
                "WeirLive", "WeirViews", "WeirNetwork", "WeirRecording", "WeirPipeline", "WeirModel", "WeirEvents",
                "WeirWire",
                "WeirJSON", "WeirYAML",
                "WeirTerminal", "WeirDemoServer", "Simulation",
            ],
            path: "Tests/Fuzz", swiftSettings: house))
}
