import CWeirNATS
import Glibc
import WeirNetwork
package import WeirRecording

/// Creates, lists, inspects and removes the streams of a cluster. Every call blocks until the cluster answers.
package struct StreamCatalogue: Sendable {
    /// The retention and replication of a stream.
    package struct Limits: Hashable, Sendable {
        /// The number of nodes that store each message; `nil` for 3 if the cluster has as many, otherwise 1.
        package var replicas: Int?
        /// The size above which the oldest messages are removed; `nil` for no limit.
        package var bytes: Int?
        /// The age at which messages are removed; `nil` for no limit.
        package var age: Duration?
        /// Whether messages are stored in memory only.
        package var isInMemory = false
        /// Creates limits with the defaults.
        package init() {}
    }

    /// The state and settings of a stream.
    package struct Facts: Hashable, Sendable {
        package var name: String
        package var messages: UInt64
        package var bytes: UInt64
        package var firstSequence: UInt64
        package var lastSequence: UInt64
        /// The times at which the first and the last message were stored, in microseconds since 1970 UTC; 0 for an
        /// empty stream.
        package var firstTime: Int64
        package var lastTime: Int64
        package var replicas: Int
        package var isInMemory: Bool
        /// The limits of size and age; `nil` for no limit.
        package var mostBytes: Int?
        package var mostAge: Duration?
        /// The leading node; `nil` if the server is not part of a cluster.
        package var leader: String?
        /// The nodes with further copies of the stream.
        package var followers: [Follower]
        package var consumers: Int
        /// The recordings by name; empty in a list of streams.
        package var recordings: [Held] = []
    }

    /// A node that stores a copy of a stream.
    package struct Follower: Hashable, Sendable {
        package var name: String
        package var isCurrent: Bool
        package var isOffline: Bool
    }

    /// A recording in a stream.
    package struct Held: Hashable, Sendable {
        package var name: String
        /// The recording's id; `nil` if the messages are not a recording.
        package var recording: String?
        package var chunks: Int
        /// The number of bytes of its text.
        package var bytes: Int
        /// The number of bytes that the stream's limits removed.
        package var missing: Int
    }

    let connection: StreamConnection

    init(_ connection: StreamConnection) { self.connection = connection }

    /// Creates a catalogue and connects to the cluster.
    package init(_ address: StreamAddress, through door: StreamDoor) throws(ClusterError) {
        connection = try door.connection(to: address)
    }

    /// Creates a stream that accepts recordings named `name`.
    package func create(_ stream: String, for name: String, _ limits: Limits) throws(ClusterError) -> Facts {
        if let wanted = limits.replicas { return try add(stream, name, limits, wanted) }
        // A cluster with fewer than three nodes refuses with one of these codes.
        let tooFew = [JSClusterNoPeersErr.rawValue, JSStreamReplicasNotSupportedErr.rawValue]
        do throws(ClusterError) { return try add(stream, name, limits, 3) } catch {
            guard tooFew.contains(error.code) else { throw error }
            return try add(stream, name, limits, 1)
        }
    }

    private func add(_ stream: String, _ name: String, _ limits: Limits, _ replicas: Int) throws(ClusterError) -> Facts
    {
        var settings = jsStreamConfig()
        jsStreamConfig_Init(&settings)
        settings.Storage = limits.isInMemory ? js_MemoryStorage : js_FileStorage
        settings.Replicas = Int64(replicas)
        settings.MaxBytes = limits.bytes.map { Int64($0) } ?? -1
        let age = limits.age.map { $0.components.seconds * Self.second } ?? 0
        settings.MaxAge = age
        // Within this time the server detects a repeated message by its id; later, by its predecessor.
        settings.Duplicates = age == 0 ? 120 * Self.second : min(120 * Self.second, age)
        settings.Discard = js_DiscardOld
        settings.AllowDirect = true
        var made: UnsafeMutablePointer<jsStreamInfo>?
        var code = jsErrCode(rawValue: 0)
        let status = stream.withCString { text in
            settings.Name = text
            return Self.withSubjects([Self.subjects(of: name)], of: &settings) {
                js_AddStream(&made, connection.streams, &$0, nil, &code)
            }
        }
        guard status == NATS_OK, let made else {
            throw ClusterError("the stream \(stream) cannot be created", status, code)
        }
        defer { jsStreamInfo_Destroy(made) }
        return Self.facts(made.pointee)
    }

    private static let second: Int64 = 1_000_000_000

    /// Returns the subjects of everything published under a name.
    private static func subjects(of name: String) -> String { "weir.\(name).>" }

    private static func withSubjects(
        _ subjects: [String], of settings: inout jsStreamConfig, _ body: (inout jsStreamConfig) -> natsStatus
    ) -> natsStatus {
        let texts = subjects.map { strdup($0) }
        defer { for text in texts { free(text) } }
        var pointers = texts.map { UnsafePointer<CChar>($0) }
        return pointers.withUnsafeMutableBufferPointer { pointers in
            (settings.Subjects, settings.SubjectsLen) = (pointers.baseAddress, Int32(pointers.count))
            return body(&settings)
        }
    }

    /// Adds the subjects of a name to a stream unless it already accepts them.
    static func take(_ name: String, in stream: String, _ connection: StreamConnection) throws(ClusterError) {
        let found = try info(stream, nil, connection)
        defer { jsStreamInfo_Destroy(found) }
        guard let config = found.pointee.Config else { return }
        let subjects = (0..<Int(config.pointee.SubjectsLen)).compactMap { place in
            config.pointee.Subjects[place].map { String(cString: $0) }
        }
        let words = name.split(separator: ".")
        let covering = words.indices.map { Self.subjects(of: words[...$0].joined(separator: ".")) } + ["weir.>", ">"]
        guard !subjects.contains(where: covering.contains) else { return }
        var settings = config.pointee
        var made: UnsafeMutablePointer<jsStreamInfo>?
        var code = jsErrCode(rawValue: 0)
        let status = withSubjects(subjects + [Self.subjects(of: name)], of: &settings) {
            js_UpdateStream(&made, connection.streams, &$0, nil, &code)
        }
        guard status == NATS_OK else {
            throw ClusterError("the stream \(stream) does not take the name \(name)", status, code)
        }
        jsStreamInfo_Destroy(made)
    }

    /// Returns all streams of recordings.
    package func list() throws(ClusterError) -> [Facts] {
        var options = jsOptions()
        jsOptions_Init(&options)
        var list: UnsafeMutablePointer<jsStreamInfoList>?
        var code = jsErrCode(rawValue: 0)
        let status = "weir.>".withCString { filter in
            options.Stream.Info.SubjectsFilter = filter
            return js_Streams(&list, connection.streams, &options, &code)
        }
        if status == NATS_NOT_FOUND { return [] }
        guard status == NATS_OK, let list else { throw ClusterError("the streams cannot be listed", status, code) }
        defer { jsStreamInfoList_Destroy(list) }
        return (0..<Int(list.pointee.Count)).compactMap { list.pointee.List[$0].map { Self.facts($0.pointee) } }
            .sorted { $0.name < $1.name }
    }

    /// Returns the facts of a stream, including its recordings.
    package func info(_ stream: String) throws(ClusterError) -> Facts {
        let found = try Self.info(stream, nil, connection)
        defer { jsStreamInfo_Destroy(found) }
        var facts = Self.facts(found.pointee)
        for (name, subject, messages) in try Self.recordings("*", in: stream, connection)
            + Self.recordings("*.*", in: stream, connection)
        {
            guard let last = try connection.last(of: subject, in: stream) else { continue }
            let first = try connection.first(of: subject, in: stream, from: 1)?.range
            let range = last.range
            facts.recordings.append(
                Held(
                    name: name, recording: range == nil ? nil : last.recording, chunks: messages,
                    bytes: range?.upperBound ?? 0, missing: first?.lowerBound ?? 0))
        }
        facts.recordings.sort { $0.name < $1.name }
        return facts
    }

    /// Returns the recordings and segments in a stream that match a pattern, each with its subject and the number of
    /// its messages. The name of a segment is `NAME/0001`.
    static func recordings(
        _ pattern: String, in stream: String, _ connection: StreamConnection
    ) throws(ClusterError) -> [(name: String, subject: String, messages: Int)] {
        var found: [(name: String, subject: String, messages: Int)] = []
        for filter in [StreamAddress.subject(of: pattern), StreamAddress.subject(of: pattern, segment: "*")] {
            let facts = try info(stream, filter, connection)
            defer { jsStreamInfo_Destroy(facts) }
            for (subject, messages) in subjects(facts) {
                let words = subject.split(separator: ".").dropFirst().split(separator: "records")
                found.append((words.map { $0.joined(separator: ".") }.joined(separator: "/"), subject, messages))
            }
        }
        return found
    }

    /// Returns the segments of a recording in order, without those whose beginning was removed by a limit and which
    /// therefore cannot be read.
    func segments(_ address: StreamAddress) throws(ClusterError) -> [StreamAddress] {
        let stream = address.stream ?? ""
        let found = try Self.info(
            stream, StreamAddress.subject(of: address.name ?? stream, segment: "*"), connection)
        defer { jsStreamInfo_Destroy(found) }
        var segments: [StreamAddress] = []
        for (subject, _) in Self.subjects(found) {
            var segment = address
            segment.segment = subject.split(separator: ".").last.flatMap { Int($0) }
            guard try connection.first(of: subject, in: stream, from: 1)?.range?.lowerBound == 0 else { continue }
            segments.append(segment)
        }
        return segments.sorted { $0.segment ?? 0 < $1.segment ?? 0 }
    }

    /// Returns the subjects in a stream's info, and the number of messages of each.
    private static func subjects(_ info: UnsafeMutablePointer<jsStreamInfo>) -> [(subject: String, messages: Int)] {
        guard let list = info.pointee.State.Subjects?.pointee else { return [] }
        return (0..<Int(list.Count)).compactMap { place in
            list.List[place].Subject.map { (String(cString: $0), Int(list.List[place].Msgs)) }
        }
    }

    /// Removes a stream with everything in it.
    package func remove(_ stream: String) throws(ClusterError) {
        var code = jsErrCode(rawValue: 0)
        let status = js_DeleteStream(connection.streams, stream, nil, &code)
        guard status == NATS_OK else { throw ClusterError("the stream \(stream) is not removed", status, code) }
    }

    /// Removes the messages of a recording or of one segment. The stream stays.
    package func remove(_ address: StreamAddress) throws(ClusterError) {
        let stream = address.stream ?? ""
        var code = jsErrCode(rawValue: 0)
        var options = jsOptions()
        jsOptions_Init(&options)
        let subject = address.segment == nil ? Self.subjects(of: address.name ?? stream) : address.subject
        let status = subject.withCString { text in
            options.Stream.Purge.Subject = text
            return js_PurgeStream(connection.streams, stream, &options, &code)
        }
        guard status == NATS_OK else { throw ClusterError("\(address) is not removed", status, code) }
    }

    private static func info(
        _ stream: String, _ subjects: String?, _ connection: StreamConnection
    ) throws(ClusterError) -> UnsafeMutablePointer<jsStreamInfo> {
        var options = jsOptions()
        jsOptions_Init(&options)
        var found: UnsafeMutablePointer<jsStreamInfo>?
        var code = jsErrCode(rawValue: 0)
        let status = (subjects ?? "").withCString { filter in
            if subjects != nil { options.Stream.Info.SubjectsFilter = filter }
            return js_GetStreamInfo(&found, connection.streams, stream, &options, &code)
        }
        if status == NATS_OK, let found { return found }
        if status == NATS_NOT_FOUND || code == JSStreamNotFoundErr { throw ClusterError.noStream(stream) }
        throw ClusterError("the stream \(stream) does not answer", status, code)
    }

    private static func facts(_ info: jsStreamInfo) -> Facts {
        let (config, state) = (info.Config?.pointee, info.State)
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        let cluster = info.Cluster?.pointee
        let followers = (0..<Int(cluster?.ReplicasLen ?? 0)).compactMap { place -> Follower? in
            guard let peer = cluster?.Replicas[place]?.pointee else { return nil }
            return Follower(name: text(peer.Name), isCurrent: peer.Current, isOffline: peer.Offline)
        }
        let leader = cluster.map { text($0.Leader) } ?? ""
        let hasMessages = state.Msgs > 0
        return Facts(
            name: text(config?.Name), messages: state.Msgs, bytes: state.Bytes, firstSequence: state.FirstSeq,
            lastSequence: state.LastSeq, firstTime: hasMessages ? state.FirstTime / 1000 : 0,
            lastTime: hasMessages ? state.LastTime / 1000 : 0, replicas: Int(config?.Replicas ?? 1),
            isInMemory: config?.Storage == js_MemoryStorage,
            mostBytes: config.flatMap { $0.MaxBytes > 0 ? Int($0.MaxBytes) : nil },
            mostAge: config.flatMap { $0.MaxAge > 0 ? .nanoseconds($0.MaxAge) : nil },
            leader: leader.isEmpty ? nil : leader, followers: followers, consumers: Int(state.Consumers))
    }
}
