import WeirNetwork
package import WeirRecording
import WeirThreads

/// Opens the streams of NATS clusters for `RemoteRecordings`. Can be used on any thread.
package final class StreamDoor: RemoteRecordings.Door {
    private let access: @Sendable () throws(ClusterError) -> ClusterAccess
    /// The connections by their servers. They are shared because a command opens a recording several times.
    private let connections = Monitor<[[String]: StreamConnection]>([:])

    private struct Publisher {
        weak var publisher: StreamPublisher?
    }

    private let publishers = Monitor<[StreamAddress: Publisher]>([:])

    private struct Seat {
        weak var keeper: GroupKeeper?
    }

    /// The seats of this process in groups, by the address of the recording that each publishes.
    private let seats = Monitor<[StreamAddress: Seat]>([:])

    /// Creates a door. `access` is called for each new connection and each output.
    package init(_ access: @escaping @Sendable () throws(ClusterError) -> ClusterAccess) { self.access = access }

    func connection(to address: StreamAddress) throws(ClusterError) -> StreamConnection {
        if let known = connections.look({ $0[address.servers] }) { return known }
        let made = try StreamConnection(to: address.servers, access())
        return connections.change { connections in
            let kept = connections[address.servers] ?? made
            connections[address.servers] = kept
            return kept
        }
    }

    package func open(_ address: StreamAddress) throws(RecordingError) -> any RemoteText {
        try ask(address) { (connection) throws(ClusterError) in try StreamReader(address, connection) }
    }

    /// Asks the cluster at an address, and asks again while it elects a leader.
    private func ask<Answer>(
        _ address: StreamAddress, _ request: (StreamConnection) throws(ClusterError) -> Answer
    ) throws(RecordingError) -> Answer {
        do throws(ClusterError) {
            let connection = try connection(to: address)
            return try connection.patiently { () throws(ClusterError) in try request(connection) }
        } catch {
            throw error.error(address.description)
        }
    }

    package func create(
        _ address: StreamAddress, recording: String, resumes: Bool
    ) throws(RecordingError) -> any RemoteOutput {
        do throws(ClusterError) {
            let fence = seats.look { $0[address]?.keeper?.fence }
            let made = try StreamPublisher(
                address, recording: recording, resumes: resumes, fence: fence, connection(to: address), access())
            // Events are published under the recording's name, independent of its segment.
            var recording = address
            recording.segment = nil
            publishers.change { $0[recording] = Publisher(publisher: made) }
            return made
        } catch {
            throw error.error(address.description)
        }
    }

    package func join(_ group: StreamAddress, lease: Duration) throws(RecordingError) -> any GroupSeat {
        do throws(ClusterError) {
            let keeper = try GroupKeeper(group, lease: lease, connection(to: group))
            seats.change { $0[keeper.address] = Seat(keeper: keeper) }
            return keeper
        } catch {
            throw error.error(group.description)
        }
    }

    package func members(_ group: StreamAddress) throws(RecordingError) -> [StreamAddress] {
        try ask(group) { (connection) throws(ClusterError) in try GroupBucket.recordings(of: group, connection) }
    }

    package func output(_ address: StreamAddress) -> (any RemoteOutput)? {
        publishers.look { $0[address]?.publisher }
    }

    package func segments(_ address: StreamAddress) throws(RecordingError) -> [StreamAddress] {
        try ask(address) { (connection) throws(ClusterError) in
            try StreamCatalogue(connection).segments(address)
        }
    }

    package func remove(_ address: StreamAddress) throws(RecordingError) {
        try ask(address) { (connection) throws(ClusterError) in try StreamCatalogue(connection).remove(address) }
    }
}
