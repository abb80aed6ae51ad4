import Network
import Pipeline
import Wire

extension RESTCall {
    /// The most bytes of a file that goes into a body.
    package static let largestFile = 16 << 20

    /// The body with the files' content in it, in base64. Blocks, and takes its time: not for the loop.
    func bodyWithFiles() -> Result<[UInt8], TextFile.Problem> {
        Result { () throws(TextFile.Problem) in
            var (filled, place): ([UInt8], Int) = ([], 0)
            for file in files {
                let content: [UInt8]
                do throws(TextFile.Problem) { content = try TextFile.bytes(file.path, limit: Self.largestFile) } catch {
                    var problem = error
                    problem.message = "the file \(file.path): \(error.message)"
                    throw problem
                }
                filled += body[place..<file.offset]
                filled += Base64.encode(content[...])
                place = file.offset
            }
            return filled + body[place...]
        }
    }
}

extension EventLoop {
    /// Fills the files into the body of a request, on a thread of their own; `completion` is called on the loop, at once where there are none.
    func fill(
        _ exchange: HTTPRequest, _ call: RESTCall,
        _ completion: @escaping @Sendable (Result<HTTPRequest, TextFile.Problem>) -> Void
    ) {
        guard !call.files.isEmpty else { return completion(.success(exchange)) }
        offload(named: "weir-file") {
            call.bodyWithFiles().map { body in
                var exchange = exchange
                exchange.body = body
                return exchange
            }
        } completion: {
            completion($0)
        }
    }
}

extension Answer {
    /// A request that was not sent, since a file cannot be read.
    init(_ problem: TextFile.Problem) { self = .failure(kind: "file", message: problem.message) }
}
