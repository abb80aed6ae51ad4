import WeirWire

/// The messages and errors read at one end of a WebSocket.
private struct FramesRead: Equatable {
    var messages: [WebSocketMessage] = []
    var controls: [WebSocketReader.Control] = []
    var violation: WebSocketViolation?
}

/// Checks that frames are read the same whether they arrive whole or in pieces, at either end, with and without
/// compression. The first byte selects the case, the second the length of the pieces.
func fuzzWebSocket(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first, let step = input.dropFirst().first else { return }
    let role: WebSocketRole = choice & 1 == 0 ? .client : .server
    var compression: PermessageDeflate?
    if choice & 2 != 0 {
        compression = PermessageDeflate()
        compression?.clientNoContextTakeover = choice & 4 != 0
        compression?.serverNoContextTakeover = choice & 4 != 0
    }
    let bytes = input.dropFirst(2)
    let whole = frames(of: bytes, role, compression, step: max(1, bytes.count))
    let pieces = frames(of: bytes, role, compression, step: Int(step) % 32 + 1)
    require(whole == pieces, "frames read otherwise in pieces")
    for case .text(let text) in whole.messages {
        require(String(validating: text, as: UTF8.self) != nil, "a text is not UTF-8")
    }
}

/// Checks that compressed messages are read as they were written. The input is split into messages at FF.
func fuzzDeflate(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first else { return }
    var compression = PermessageDeflate()
    compression.clientNoContextTakeover = choice & 1 != 0
    compression.clientMaxWindowBits = 8 + Int(choice >> 1) % 8
    let messages = input.dropFirst().split(separator: 0xFF, omittingEmptySubsequences: false).map {
        WebSocketMessage.binary($0)
    }
    var writer = WebSocketWriter(role: .client, compression: compression)
    var bytes: [UInt8] = []
    for message in messages { writer.write(message, mask: 0x0102_0304, to: &bytes) }
    let read = frames(of: bytes[...], .server, compression, step: max(1, bytes.count))
    require(read == FramesRead(messages: messages), "a compressed message reads otherwise")
}

private func frames(
    of bytes: ArraySlice<UInt8>, _ role: WebSocketRole, _ compression: PermessageDeflate?, step: Int
) -> FramesRead {
    var reader = WebSocketReader(role: role, maximumMessage: 1 << 16, compression: compression)
    var result = FramesRead()
    var rest = bytes
    do throws(WebSocketViolation) {
        while !rest.isEmpty {
            reader.append(Array(rest.prefix(step)))
            rest = rest.dropFirst(step)
            repeat {
                try reader.read(&result.controls)
                takeAll(of: &reader, into: &result)
                require(reader.heldBytes <= 1 << 17, "more is held than should be")
            } while reader.hasUnread
        }
    } catch {
        result.violation = error
        takeAll(of: &reader, into: &result)
    }
    return result
}

/// Takes all messages. A single call returns only a bounded number.
private func takeAll(of reader: inout WebSocketReader, into result: inout FramesRead) {
    while reader.hasMessages { result.messages += reader.takeMessages() }
}
