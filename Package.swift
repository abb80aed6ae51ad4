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
        .library(name: "Live", targets: ["Live"]),
        .library(name: "SocketIO", targets: ["Network", "Wire", "JSONText"]),
        .library(name: "SectionedModel", targets: ["SectionedModel"]),
    ],
    targets: [
        // One door for each C library. `samples/demo` and `Tests/run` install the packages in `.apt`; no other list of them exists.
        .systemLibrary(
            name: "CLibWebSockets", pkgConfig: "libwebsockets",
            providers: [.apt(["pkg-config", "libwebsockets-dev", "libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // Replaces malloc in the whole process that imports it.
        .systemLibrary(name: "CMimalloc", providers: [.apt(["libmimalloc-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

        // C++ with a C header.
        .systemLibrary(name: "CRE2Library", pkgConfig: "re2", providers: [.apt(["libre2-dev"])]),
        .target(
            name: "CRE2", dependencies: ["CRE2Library"],
            linkerSettings: [.linkedLibrary("re2"), .linkedLibrary("stdc++")]),

        // Headers of inline functions that Swift cannot express.
        .target(name: "CJSONScan"),
        .target(name: "CChecksum"),
        .target(name: "CSecretScan"),
        .target(name: "CBuild"),

        // The pure rooms have no clock, thread, file or socket.
        room("JSONText", ["CJSONScan"]),
        room("YAMLText", ["JSONText", "CYAML"]),
        room("Wire", ["JSONText", "CJSONScan", "CZlib"]),
        room("Events", ["JSONText", "CJSONScan"]),
        room("SectionedModel"),
        room("Terminal"),
        room("RegularExpressions", ["CRE2"]),
        room(
            "Pipeline",
            ["YAMLText", "Terminal", "RegularExpressions", "Wire", "Events", "SectionedModel", "JSONText"]),

        // The hands use threads, files and sockets.
        room("Network", ["Wire", "JSONText", "CLibWebSockets", "CCurl"]),
        room("Store", ["Pipeline", "Network", "SectionedModel", "JSONText", "CSQLite"]),
        room(
            "Recording",
            [
                "RegularExpressions", "Pipeline", "Events", "Wire", "JSONText", "CJSONScan", "CChecksum", "CCrypto",
                "CSecretScan", "CZstd",
            ]),
        room(
            "Live",
            [
                "Terminal", "RegularExpressions", "Pipeline", "Recording", "Store", "Network", "Wire", "Events",
                "SectionedModel", "JSONText",
            ]),
        room("DemoServer", ["Pipeline", "Network", "Wire", "Events", "JSONText"]),
        .executableTarget(
            name: "weir",
            dependencies: [
                "Live", "Terminal", "Recording", "Store", "DemoServer", "Pipeline", "Events", "Network", "Wire",
                "JSONText", "YAMLText", "CMimalloc", "CBuild",
            ],
            // Links into schemas and samples: `--schema` prints the published schema, and the demo plays the published sample.
            resources: [
                .embedInCode("envelope.schema.json"), .embedInCode("finish.yaml"), .embedInCode("finish.scenario.yaml"),
            ], swiftSettings: house, linkerSettings: standalone),
        .executableTarget(
            name: "weir-bench",
            dependencies: [
                "Live", "Terminal", "Pipeline", "Recording", "Store", "Network", "Wire", "Events", "SectionedModel",
                "JSONText", "ModelOracle", "Simulation", "CMimalloc",
            ],
            swiftSettings: house, linkerSettings: standalone),

        // The tests compare JSONText with simdjson: C++ with a C header.
        .systemLibrary(
            name: "CSimdjsonLibrary", path: "Tests/CSimdjsonLibrary", providers: [.apt(["libsimdjson-dev"])]),
        .target(
            name: "CSimdjson", dependencies: ["CSimdjsonLibrary"], path: "Tests/CSimdjson",
            linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
        tests("JSONTextTests", ["JSONText", "CJSONScan", "CSimdjson", "Wire"]),
        tests("YAMLTextTests", ["YAMLText", "JSONText", "Wire"]),
        tests("WireTests", ["Wire", "JSONText"]),
        tests("TerminalTests", ["Terminal", "Wire"]),
        tests("EventsTests", ["Events", "Wire", "JSONText"]),
        tests("RegularExpressionsTests", ["RegularExpressions"]),
        // The oracle of the model's tests. It does not import Testing, so that weir-bench can soak with it too.
        .target(
            name: "ModelOracle", dependencies: ["SectionedModel", "Wire"], path: "Tests/ModelOracle",
            swiftSettings: house),
        tests("SectionedModelTests", ["ModelOracle", "SectionedModel", "Wire"]),
        tests("PipelineTests", ["Pipeline", "Wire", "Events", "SectionedModel", "JSONText"]),
        // The whole pure core with a simulated server. It does not import Testing, so that weir-bench can run it too.
        .target(
            name: "Simulation",
            dependencies: ["DemoServer", "Pipeline", "Events", "SectionedModel", "Wire", "JSONText"],
            path: "Tests/Simulation", swiftSettings: house),
        tests(
            "SimulationTests", ["Simulation", "DemoServer", "Pipeline", "Events", "SectionedModel", "Wire", "JSONText"]),
        tests("NetworkTests", ["TestSupport", "Network", "Wire"]),
        // Writes to a store until a test kills it, or keeps the store locked.
        .executableTarget(
            name: "store-writer", dependencies: ["Store", "Pipeline", "Events", "SectionedModel"],
            path: "Tests/StoreWriter", swiftSettings: house),
        tests(
            "StoreTests",
            [
                "TestSupport", "Store", "store-writer", "Pipeline", "Events", "SectionedModel", "JSONText", "Wire",
                "CSQLite",
            ]),
        // Writes a recording until a test kills it.
        .executableTarget(
            name: "recording-writer", dependencies: ["Recording", "Pipeline", "SectionedModel", "Wire", "JSONText"],
            path: "Tests/RecordingWriter", swiftSettings: house),
        tests("RecordingTests", ["Recording", "Pipeline", "Wire", "JSONText"]),
        tests(
            "SchemaTests",
            [
                "TestSupport", "Live", "DemoServer", "Simulation", "Network", "Recording", "Pipeline", "Events",
                "SectionedModel", "Wire", "JSONText",
            ]),
        tests("DemoServerTests", ["TestSupport", "DemoServer", "Pipeline", "Events", "Network", "Wire", "JSONText"]),
        .target(
            name: "TestSupport", dependencies: ["Network", "Wire"], path: "Tests/TestSupport", swiftSettings: house),
        tests(
            "InteropTests",
            [
                "TestSupport", "DemoServer", "Live", "Pipeline", "SectionedModel", "Events", "Network", "Wire",
                "JSONText",
            ]),
        tests(
            "LiveTests",
            [
                "TestSupport", "Live", "Terminal", "Recording", "Store", "DemoServer", "Pipeline", "Network", "Wire",
                "JSONText", "SectionedModel", "recording-writer",
            ]),
        tests(
            "CommandTests", ["TestSupport", "Terminal", "Network", "Wire", "JSONText"],
            exclude: ["Help", "Manual", "Profiles", "Reports"]),
    ],
    swiftLanguageModes: [.v6]
)

// Recordings in NATS streams. Without libnats, WEIR_WITHOUT_NATS leaves them out, and weir refuses each nats:// URL with the reason.
if Context.environment["WEIR_WITHOUT_NATS"] == nil {
    package.targets += [
        .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        room("Streams", ["Recording", "Network", "Wire", "JSONText", "CNATS"]),
        tests("StreamsTests", ["TestSupport", "Streams", "Recording", "Network", "Wire", "JSONText"]),
    ]
    for target in package.targets where ["weir", "weir-bench"].contains(target.name) {
        target.dependencies.append(target.name == "weir" ? "Streams" : "CNATS")
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
                "Live", "Network", "Recording", "Pipeline", "SectionedModel", "Events", "Wire", "JSONText", "YAMLText",
                "Terminal", "DemoServer", "Simulation",
            ],
            path: "Tests/Fuzz", swiftSettings: house))
}
