import WeirNetwork

/// Checks that requests are parsed the same whether they arrive whole or in pieces. The first byte determines the
/// length of the pieces.
func fuzzHTTP(_ input: ArraySlice<UInt8>) {
    guard let step = input.first else { return }
    let bytes = input.dropFirst()
    let whole = requests(in: bytes, step: max(1, bytes.count))
    let pieces = requests(in: bytes, step: Int(step) % 32 + 1)
    require(whole == pieces, "requests read otherwise in pieces:\n\(whole)\n\(pieces)")
}

/// Returns one line for each request, and one for the rejection that ended parsing.
private func requests(in bytes: ArraySlice<UInt8>, step: Int) -> [String] {
    var reader = HTTPRequestReader(maximumBody: 4096)
    var read: [String] = []
    var rest = bytes
    do throws(HTTPRequestReader.Refusal) {
        while !rest.isEmpty {
            rest.prefix(step).withUnsafeBytes { reader.append($0) }
            rest = rest.dropFirst(step)
            reading: while true {
                switch try reader.next() {
                case .needsMore: break reading
                case .head, .wantsContinue: continue
                case .request(let request):
                    let headers = request.request.headers.map { "\($0.name): \($0.value)" }
                    read.append(
                        "\(request.request.method) \(request.request.path) \(request.request.query) \(headers) \(request.request.body) \(request.keepsAlive)"
                    )
                }
            }
        }
    } catch {
        read.append("\(error.status) \(error.reason)")
    }
    return read
}
