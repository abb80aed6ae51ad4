import CBuild
import CMimalloc
import Network
import Recording
import Store
import Wire
import YAMLText

#if NATS
    import Streams
#endif

/// The output of `weir --version`: the version, the commit of the build if it is known, and the versions of the linked libraries.
enum VersionText {
    static var text: String {
        let commit = String(cString: weir_commit())
        var lines = [Help.version + (commit.isEmpty ? "" : " (\(commit))")]
        for (name, version) in libraries {
            lines.append("  \(name)" + String(repeating: " ", count: max(1, 15 - name.count)) + version)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static var libraries: [(name: String, version: String)] {
        let mimalloc = Int(mi_version())
        var all =
            NetworkLibraries.versions + StoreLibraries.versions + WireLibraries.versions + RecordingLibraries.versions
            + YAMLLibraries.versions
        #if NATS
            all += StreamsLibraries.versions
        #endif
        all.append(("mimalloc", "\(mimalloc / 100).\(mimalloc / 10 % 10).\(mimalloc % 10)"))
        return all.sorted { $0.name < $1.name }
    }
}
