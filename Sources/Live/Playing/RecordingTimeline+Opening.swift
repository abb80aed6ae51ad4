import Recording
import Wire

// Opening recordings and keeping marks.
extension RecordingTimeline {
    /// Opens the recordings of a configuration. Files of one recording become its segments, in order.
    convenience init(opening configuration: ReplayConfiguration, keepsWay: Bool, keepsChecksum: Bool)
        throws(RecordingError)
    {
        if let stream = configuration.stream {
            let reader = try RecordingReader(reading: stream, name: configuration.paths.first ?? "the stream")
            // A stream can be read only once, like standard input.
            let track = try RecordingTrack(["-"], reader, configuration, keepsWay: false, keepsChecksum: keepsChecksum)
            self.init([track], keepsWay: false)
            return
        }
        if configuration.paths.count == 1, let members = try RemoteRecordings.members(configuration.paths[0]) {
            let tracks = try members.map { path throws(RecordingError) in
                try Self.member(path, configuration)
            }
            self.init(tracks, group: GroupModel(keepsChecksum: keepsChecksum), keepsWay: keepsWay)
            return
        }
        var recordings: [(id: String, files: [(segment: Int, path: String)])] = []
        for path in try Self.segments(of: configuration) {
            // A stream can be read only once, so its head is not read here and it cannot be a segment.
            let head = RecordingTrack.isStream(path) ? nil : try RecordingReader(opening: path).head
            let id = head?.recording ?? path
            let file = (segment: head?.segment ?? 1, path: path)
            if let index = recordings.firstIndex(where: { $0.id == id }) {
                recordings[index].files.append(file)
            } else {
                recordings.append((id, [file]))
            }
        }
        var tracks: [RecordingTrack] = []
        for recording in recordings {
            let paths = recording.files.sorted { $0.segment < $1.segment }.map(\.path)
            tracks.append(
                try RecordingTrack(
                    paths, try RecordingReader(opening: paths[0]), configuration,
                    keepsWay: keepsWay || configuration.loops != 1, keepsChecksum: keepsChecksum))
        }
        self.init(
            tracks, marks: try Self.keptMarks(of: recordings.flatMap { $0.files.map(\.path) }, tracks),
            keepsWay: keepsWay)
    }

    /// Returns the paths to play. For a recording in a stream they are its segments, beginning with the last one that
    /// starts before the start position: nothing earlier has to be read.
    private static func segments(of configuration: ReplayConfiguration) throws(RecordingError) -> [String] {
        var paths: [String] = []
        for path in configuration.paths { paths += try RemoteRecordings.segments(of: path) }
        guard configuration.paths.count == 1, paths.count > 1, let start = configuration.start else { return paths }
        for index in paths.indices.dropFirst().reversed() {
            var reader = try RecordingReader(opening: paths[index])
            guard case .record(_, let stamp)? = try reader.next() else { continue }
            if start.isAfter(stamp) { return Array(paths[index...]) }
        }
        return paths
    }

    /// Opens one recording of a group, without reading ahead.
    private static func member(
        _ path: String, _ configuration: ReplayConfiguration
    ) throws(RecordingError) -> RecordingTrack {
        try RecordingTrack(
            [path], try RecordingReader(opening: path), configuration, keepsWay: true, keepsChecksum: false)
    }

    /// Adds the members that have begun since the last call, if the group is followed.
    func lookForMembers(_ configuration: ReplayConfiguration) throws(RecordingError) {
        guard isGroup, let members = try RemoteRecordings.members(configuration.paths[0]) else { return }
        let known = Set(tracks.flatMap(\.segments))
        for path in members where !known.contains(path) {
            add(try Self.member(path, configuration))
        }
    }

    /// Returns the marks that earlier replays stored next to the files.
    private static func keptMarks(of paths: [String], _ tracks: [RecordingTrack]) throws(RecordingError) -> [PlacedMark]
    {
        guard tracks.count == 1 else { return [] }
        var marks: [PlacedMark] = []
        for path in paths where !RecordingTrack.isStream(path) {
            marks += try MarkFile(beside: path).marks().map { PlacedMark($0.label, number: $0.number, time: $0.time) }
        }
        return marks
    }

    /// Adds a mark, and stores it in the mark file next to the recording.
    func keep(_ mark: PlacedMark) throws(RecordingError) {
        add(mark)
        guard tracks.count == 1, let path = tracks.first.map({ $0.segments[$0.segment] }),
            !RecordingTrack.isStream(path)
        else {
            return
        }
        try MarkFile(beside: path).append(
            MarkFile.Mark(label: mark.label, number: mark.number, time: mark.time, wall: position.wall ?? 0))
    }

    /// Returns the time on the timeline that corresponds to a wall-clock time, in microseconds since 1970.
    func time(ofWall wall: Int64) -> Moment {
        let earliest = tracks.map(\.head.wallStart).min() ?? 0
        let (time, overflows) = wall.subtractingReportingOverflow(earliest)
        return overflows ? .zero : max(Moment(microseconds: time), .zero)
    }
}
