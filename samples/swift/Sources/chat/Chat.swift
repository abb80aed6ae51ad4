// A chat in the terminal over Socket.IO: lines that you type are sent, and what the server sends is printed.
//
//     weir serve --scenario echo --listen 127.0.0.1:3000
//     swift run --package-path samples/swift chat http://127.0.0.1:3000 Ana
//
// The echo server returns each `message` as `message-back`.

import WeirSocketIO

/// One message, as both ends write it.
struct Message: Codable {
    var author: String
    var text: String
    var mood: String?
}

@main struct Chat {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let url = arguments.first, let name = arguments.dropFirst().first else {
            return print("usage: chat URL NAME")
        }
        let client = SocketIOClient(url, auth: ["name": .string(name)])
        // Sequences that exist before `connect()` miss nothing.
        let messages = client.events(named: "message-back", as: Message.self)
        let states = client.states

        try await withThrowingTaskGroup { group in
            group.addTask {
                for await state in states { report(state) }
            }
            group.addTask {
                for try await message in messages { print("\(message.author): \(message.text)") }
            }
            try await client.connect()
            let echo = try await client.request("message-with-ack", "hello", ["from": .string(name), "try": 1])
            print("the server answered \(echo)")
            Task.detached { try await type(as: name, to: client) }
            try await group.waitForAll()
        }
    }

    /// Sends each line of standard input, and disconnects at its end. Then the sequences end too.
    static func type(as name: String, to client: SocketIOClient) async throws {
        while let line = readLine() {
            try await client.emit("message", Message(author: name, text: line))
        }
        await client.disconnect()
    }

    static func report(_ state: SocketIOState) {
        switch state {
        case .connecting(let attempt): print("· connecting, attempt \(attempt)")
        case .joined(let namespace, let id, _): print("· in \(namespace) as \(id ?? "nobody")")
        case .waiting(let delay, let error): print("· \(error); again in \(delay)")
        case .ended(let error): print("· \(error.map { "ended: \($0)" } ?? "goodbye")")
        case .refused, .removed, .malformed: print("· \(state)")
        }
    }
}
