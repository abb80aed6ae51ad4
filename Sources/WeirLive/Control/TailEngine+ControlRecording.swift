import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirWire

// Recordings over the control socket. A client names a file, never a folder.
extension TailEngine {
    /// Ends the recording. The tail continues.
    func stopRecording(_ call: ControlCall) throws(ControlError) {
        guard recorder.path != nil else { throw ControlError(.nothing, "nothing is recorded") }
        let now = loop.now
        noteLastState(at: now)
        recorder.path = nil
        pending.append(
            .stopRecording(journal.stamp(at: now)) { [patience = configuration.patience] error in
                patience?.keepUnread(in: nil)
                call.answer(error.map { .failure(ControlError($0)) } ?? .success(.done))
            })
        handOver()
    }

    /// Begins the next segment of the recording.
    func rotateByControl() throws(ControlError) -> ControlResult {
        guard recorder.path != nil else { throw ControlError(.nothing, "nothing is recorded") }
        guard recorder.path == configuration.recordPath, configuration.recording.rotation != nil else {
            throw ControlError(.nothing, "the recording has no segments; start the tail with --rotate hup")
        }
        rotate()
        return .done
    }

    /// The result of the method `record.status`.
    var recordStatus: ControlResult {
        let (path, folder) = (recorder.path, recordFolder)
        return ControlResult { writer in
            writer.beginObject()
            writer.member("recording", orNull: path)
            writer.member("folder", orNull: folder)
            writer.member("viewers", control.viewers.count)
            writer.endObject()
        }
    }

    /// The folder for recordings that clients begin; `nil` if they may not begin any.
    private var recordFolder: String? {
        if let folder = configuration.recordFolder { return folder }
        return configuration.recordPath.flatMap(Self.folder(of:))
    }

    /// Returns the folder of a recording; `nil` for standard output.
    static func folder(of path: String) -> String? {
        guard path != "-" else { return nil }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Begins a recording at the current position.
    func startRecording(_ call: ControlCall) throws(ControlError) {
        guard case .running = phase else { throw ControlError(.nothing, "the tail is ending") }
        if let path = recorder.path {
            throw ControlError(.nothing, "\(path) is being recorded; end it first with record.stop")
        }
        guard let folder = recordFolder else {
            throw ControlError(.forbidden, "no folder for recordings: set one with --record-dir")
        }
        let name = call.arguments.text("name") ?? ""
        guard Self.isFileName(name) else {
            throw ControlError(
                .forbidden,
                "params.name must be a file name of up to 100 letters, digits, '.', '_' and '-'; recordings are in \(folder)"
            )
        }
        let path = "\(folder)/\(name.contains(".") ? name : name + ".weir.jsonl")"
        var plan = configuration.recording
        // A client's recording must not replace a file or end the tail.
        plan.options.overwrites = false
        plan.writeErrors = .continue
        plan.rotation = nil
        let now = loop.now
        var stamp = journal.unnumbered(at: now)
        stamp.n = journal.last
        let start = RecordingStart(
            path: path, plan: plan, head: recorder.head.recording(plan.filter), stamp: stamp, restatement: restatement)
        recorder.path = path
        pending.append(
            .beginRecording(start) { [self, patience = configuration.patience] error in
                if error == nil {
                    patience?.keepUnread(in: folder)
                } else {
                    loop.run { self.assumeIsolated { $0.recorder.path = nil } }
                }
                call.answer(error.map { .failure(ControlError($0)) } ?? .success(ControlResult { $0.string(path) }))
            })
        handOver()
    }

    private static func isFileName(_ name: String) -> Bool {
        name.isPlainName && name.utf8.count <= 100 && !name.hasPrefix(".")
    }
}

extension ControlError {
    /// Creates the client's error for an error of a recording.
    init(_ error: RecordingError) {
        switch error {
        case .exists(let path): self.init(.failed, "\(path) already exists and is not overwritten")
        case .system, .notARecording, .unusable: self.init(.failed, OutletError(error, path: "").words)
        }
    }
}
