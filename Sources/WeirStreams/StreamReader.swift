import CWeirNATS
import Glibc
import WeirNetwork
package import WeirRecording
import WeirThreads
import WeirWire

/// The text of a recording in a stream.
///
/// The reader pulls messages in small batches through its own consumer. It finds an offset by bisection over the
/// sequences.
///
/// Used by one thread at a time. Calls block until the cluster answers.
final class StreamReader: RemoteText {
    private struct State: ~Copyable {
        var text: StreamText
        /// The sequence to look for next. `last` is the sequence of the last chunk known to exist.
        var next: UInt64 = 1
        var last: UInt64
        /// The offset at which the text ends, as far as known.
        var size: Int
        /// Whether a fence was read: other members of the group have taken over from the one that recorded this.
        var isFenced = false
        /// The reason why no more text can arrive.
        var over: String?
        var consumer: Consumer?
        var bell: StreamBell?
    }

    /// How long to wait for a message that must exist. A server that restarts must catch up first.
    private static let patience: Duration = .seconds(60)

    private let connection: StreamConnection
    private let stream: String
    private let subject: String
    /// The subject that wakes the bell. It includes segments that begin after this one.
    private let rung: String
    private let path: String
    private let state: Monitor<State>

    init(_ address: StreamAddress, _ connection: StreamConnection) throws(ClusterError) {
        self.connection = connection
        path = address.description
        rung = StreamAddress.subject(
            of: address.name ?? address.stream ?? "", segment: address.segment == nil ? nil : "*")
        let (stream, subject) = (address.stream ?? "", address.subject)
        (self.stream, self.subject) = (stream, subject)
        let name = address.name ?? stream
        guard let last = try connection.last(of: subject, in: stream) else {
            let members = try StreamCatalogue.recordings(name + ".*", in: stream, connection)
            if let first = members.first?.name {
                throw ClusterError(
                    "\(name) is a group of \(members.count) recordings, which 'weir replay' and 'weir watch' play as one; "
                        + "name one of them, as in nats://HOST/\(stream)/\(first)")
            }
            throw ClusterError(
                "the stream \(stream) has no recording \(name); weir stream info nats://HOST/\(stream) lists them")
        }
        guard let range = last.range, let recording = last.recording else {
            throw ClusterError("the messages of the stream \(stream) under \(subject) are not a recording")
        }
        let text = StreamText(of: recording)
        state = Monitor(State(text: text, last: last.sequence, size: range.upperBound))
        // Report text removed by the stream's limits right away: nothing can be read without the head.
        if let first = try connection.first(of: subject, in: stream, from: 1), let range = first.range,
            range.lowerBound > 0
        {
            throw ClusterError(
                "the stream's limits removed the first \(range.lowerBound) bytes of the recording, and its head with them"
            )
        }
    }

    var size: Int { state.look { $0.size } }

    var growth: Int32? {
        state.change { state in
            if state.bell == nil { state.bell = StreamBell(rung, connection) }
            return state.bell?.descriptor
        }
    }

    var isFenced: Bool { state.look { $0.isFenced } }

    func whyOver() -> String? { state.look { $0.over } }

    func move(to offset: Int) throws(RecordingError) {
        do throws(ClusterError) {
            try state.change { (state) throws(ClusterError) in
                state.consumer = nil
                state.next = try sequence(at: offset, state.last)
                state.text = StreamText(at: offset, of: state.text.recording)
            }
        } catch {
            throw error.error(path)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(RecordingError) -> Int {
        guard buffer.count > 0 else { return 0 }
        do throws(ClusterError) {
            return try state.change { (state) throws(ClusterError) in
                while state.text.isEmpty {
                    guard state.over == nil, let message = try message(&state) else { return 0 }
                    let sequence = message.sequence
                    state.next = sequence + 1
                    state.last = max(state.last, sequence)
                    if message.isFence { state.isFenced = true }
                    if let range = message.range { state.size = max(state.size, range.upperBound) }
                    if case .otherRecording(let id) = state.text.append(message.chunk) {
                        state.over = "another recording, \(id), continues under its name"
                    }
                }
                return state.text.take(into: buffer)
            }
        } catch {
            throw error.error(path)
        }
    }

    /// Returns the next message; `nil` if it does not exist yet.
    private func message(_ state: inout State) throws(ClusterError) -> StreamMessage? {
        let deadline = MachineClock.monotonic + Self.patience
        while true {
            let isDue = state.next <= state.last
            if !isDue { state.bell?.clear() }
            do throws(ClusterError) {
                if state.consumer == nil {
                    state.consumer = try Consumer(of: subject, in: stream, from: state.next, connection)
                }
                if let message = try state.consumer?.next(waits: isDue) { return message }
                if !isDue { return nil }
                // A consumer whose server is gone returns nothing. Create another one.
                state.consumer = nil
            } catch {
                state.consumer = nil
                if MachineClock.monotonic > deadline { throw error }
                usleep(100_000)
            }
            if MachineClock.monotonic > deadline {
                throw ClusterError(
                    "message \(state.next) of the stream \(stream) does not come, and \(state.last) is the last")
            }
        }
    }

    /// Returns the sequence of the chunk that contains an offset of the text, or of the next chunk if none does.
    private func sequence(at offset: Int, _ last: UInt64) throws(ClusterError) -> UInt64 {
        guard offset > 0 else { return 1 }
        var (low, high): (UInt64, UInt64) = (1, last + 1)
        while low < high {
            let middle = low + (high - low) / 2
            let found = try connection.patiently { () throws(ClusterError) in
                try connection.first(of: subject, in: stream, from: middle)
            }
            guard let message = found else {
                high = middle
                continue
            }
            guard let range = message.range else {
                low = message.sequence + 1
                continue
            }
            if range.contains(offset) { return message.sequence }
            if range.lowerBound > offset { high = middle } else { low = message.sequence + 1 }
        }
        return low
    }

    // MARK: - The consumer

    /// A consumer without a stored position. The reader tracks the sequence, and another consumer can continue from it.
    ///
    /// It requests messages itself: the `natsSubscription_Fetch` of libnats 3.4 writes past the end of its list if
    /// messages of an earlier request arrive late.
    private final class Consumer {
        private static let mostMessages = 32
        /// How long to wait for the next message of a request, in milliseconds. The server closes a request earlier.
        private static let patience: Int64 = 2000

        private let connection: OpaquePointer
        private let subscription: OpaquePointer
        private let inbox: String
        /// The subject of requests for messages.
        private let requests: String
        /// The number of messages to request. It doubles with each request, because many readers need only the head.
        private var batch = 1
        /// The number of messages that the server may still send for the current request.
        private var outstanding = 0

        init(of subject: String, in stream: String, from sequence: UInt64, _ streams: StreamConnection)
            throws(ClusterError)
        {
            var config = jsConsumerConfig()
            jsConsumerConfig_Init(&config)
            config.DeliverPolicy = js_DeliverByStartSequence
            config.OptStartSeq = sequence
            config.AckPolicy = js_AckNone
            config.InactiveThreshold = 60_000_000_000
            config.MemoryStorage = true
            config.Replicas = 1
            var info: UnsafeMutablePointer<jsConsumerInfo>?
            var code = jsErrCode(rawValue: 0)
            let status = subject.withCString { subject in
                config.FilterSubject = subject
                return js_AddConsumer(&info, streams.streams, stream, &config, nil, &code)
            }
            guard status == NATS_OK, let info, let name = info.pointee.Name else {
                throw ClusterError("the stream \(stream) refuses a consumer", status, code)
            }
            requests = "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(String(cString: name))"
            jsConsumerInfo_Destroy(info)
            connection = streams.connection
            var inbox: UnsafeMutablePointer<CChar>?
            var subscription: OpaquePointer?
            guard natsInbox_Create(&inbox) == NATS_OK, let inbox else { throw ClusterError("out of memory") }
            defer { natsInbox_Destroy(inbox) }
            self.inbox = String(cString: inbox)
            let made = natsConnection_SubscribeSync(&subscription, connection, inbox)
            guard made == NATS_OK, let subscription else {
                throw ClusterError("the stream \(stream) delivers no messages", made)
            }
            self.subscription = subscription
        }

        deinit {
            // libnats 3.4 crashes if a message arrives while its subscription is destroyed. The server has already sent
            // the messages of the request.
            while outstanding > 0, (try? received()) != nil {}
            natsSubscription_Unsubscribe(subscription)
            natsSubscription_Destroy(subscription)
        }

        /// Returns the next message; `nil` if there is none. Waits up to one second for it if `waits` is true.
        func next(waits: Bool) throws(ClusterError) -> StreamMessage? {
            if outstanding == 0 { try request("\"no_wait\":true") }
            if let message = try received() { return message }
            guard waits else { return nil }
            try request("\"expires\":1000000000")
            return try received()
        }

        private func request(_ kind: String) throws(ClusterError) {
            let text = "{\"batch\":\(batch),\(kind)}"
            let status = natsConnection_PublishRequestString(connection, requests, inbox, text)
            guard status == NATS_OK else { throw ClusterError("the stream delivers no messages", status) }
            outstanding = batch
            batch = min(2 * batch, Self.mostMessages)
        }

        /// Returns the next message of the current request; `nil` if the server has closed the request.
        private func received() throws(ClusterError) -> StreamMessage? {
            var message: OpaquePointer?
            let status = natsSubscription_NextMsg(&message, subscription, Self.patience)
            guard status == NATS_OK, let message else {
                outstanding = 0
                if status == NATS_TIMEOUT { return nil }
                throw ClusterError("the stream delivers no messages", status)
            }
            let found = StreamMessage(message)
            guard found.header("Status") == nil else {
                outstanding = 0
                return nil
            }
            outstanding -= 1
            return found
        }
    }
}

/// Signals that a message of a subject was published: its descriptor becomes readable. Missing a signal is harmless,
/// since the waiting reader also polls.
final class StreamBell: Sendable {
    let descriptor: Int32
    private let isOver = Monitor(false)

    init?(_ subject: String, _ connection: StreamConnection) {
        var ends: [Int32] = [-1, -1]
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard socketpair(AF_UNIX, Int32(type), 0, &ends) == 0 else { return nil }
        descriptor = ends[0]
        let (bell, isOver) = (ends[1], isOver)
        runOnThread(named: "weir-bell") {
            defer {
                close(bell)
                nats_ReleaseThreadMemory()
            }
            var made: OpaquePointer?
            guard natsConnection_SubscribeSync(&made, connection.connection, subject) == NATS_OK, let made else {
                return
            }
            var byte: UInt8 = 0
            while !isOver.look({ $0 }) {
                var message: OpaquePointer?
                guard natsSubscription_NextMsg(&message, made, 500) == NATS_OK else { continue }
                natsMsg_Destroy(message)
                // A full buffer is already a signal.
                _ = send(bell, &byte, 1, Int32(MSG_NOSIGNAL))
            }
            retire(made)
        }
    }

    deinit {
        isOver.change { $0 = true }
        close(descriptor)
    }

    /// Clears the signal by draining the descriptor.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}

/// A consumer's position in a recording: the number of the last record read. It is stored under a name in the cluster's
/// key-value bucket `weir-marks`. Can be used on any thread.
package final class StreamMark: Sendable {
    private static let bucket = "weir-marks"

    private let connection: StreamConnection
    private let key: String

    /// Creates the mark with the given name (letters, digits, - and _) in a recording.
    package init(_ address: StreamAddress, called name: String, through door: StreamDoor) throws(ClusterError) {
        connection = try door.connection(to: address)
        let stream = address.stream ?? ""
        key = "\(stream).\(address.name ?? stream).\(name)"
    }

    /// Returns the number of the last record that was stored; `nil` if none was.
    package func record() throws(ClusterError) -> Int? {
        let store = try connection.bucket(Self.bucket)
        defer { kvStore_Destroy(store) }
        var entry: OpaquePointer?
        let status = kvStore_Get(&entry, store, key)
        if status == NATS_NOT_FOUND { return nil }
        guard status == NATS_OK, let entry else { throw ClusterError("the mark \(key) cannot be read", status) }
        defer { kvEntry_Destroy(entry) }
        return kvEntry_ValueString(entry).flatMap { Int(String(cString: $0)) }
    }

    /// Stores the number of a record as the new position.
    package func keep(_ record: Int) throws(ClusterError) {
        let store = try connection.bucket(Self.bucket)
        defer { kvStore_Destroy(store) }
        let status = kvStore_PutString(nil, store, key, "\(record)")
        guard status == NATS_OK else { throw ClusterError("the mark \(key) cannot be written", status) }
    }
}
