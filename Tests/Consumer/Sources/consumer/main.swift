import CSQLite
import Events
import Foundation
import Live
import Network
import Pipeline
import Recording
import Store
import Streams
import Terminal
import WeirLive
import WeirModel
import WeirSocketIO
import Wire

// Types of the application and of Weir next to each other, and Foundation's names without a prefix.
let markers: [Any] = [
    EventsMarker(), LiveMarker(), NetworkMarker(), PipelineMarker(), RecordingMarker(), StoreMarker(), StreamsMarker(),
    TerminalMarker(), WireMarker(), consumer_marker(),
]
let failure: any Error = URLError(.badURL)
let client = SocketIOClient("http://127.0.0.1:9")
print(markers.count, failure is URLError, client, Tail.self, Replay.self)

/// A row of a model.
struct Contact: ModelEntity {
    var name: String
    var uniqueValue: String { name }
    subscript(key: String) -> String? { nil }
}

let model = EntityModel<Contact>()
print(model)
