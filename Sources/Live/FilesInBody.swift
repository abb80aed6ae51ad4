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
                    throw error.of(file.path)
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
    /// Fills the files into the body of a request, or opens the one of its form, on a thread of their own; `completion` is called on the loop,
    /// at once where there are none. Calls `progress` on another thread with what of a form's file was sent.
    func fill(
        _ exchange: HTTPRequest, _ call: RESTCall, progress: (@Sendable (UploadProgress) -> Void)? = nil,
        _ completion: @escaping @Sendable (Result<HTTPRequest, TextFile.Problem>) -> Void
    ) {
        guard !call.files.isEmpty || call.form != nil else { return completion(.success(exchange)) }
        offload(named: "weir-file") {
            if let form = call.form { return form.opened(progress).map { exchange.posting($0) } }
            return call.bodyWithFiles().map { body in
                var exchange = exchange
                exchange.body = body
                return exchange
            }
        } completion: {
            completion($0)
        }
    }
}

extension TextFile.Problem {
    /// The same as a sentence.
    fileprivate func of(_ path: String) -> Self {
        var problem = self
        problem.message = "the file \(path): \(message)"
        return problem
    }
}

/// How far the upload of a file is.
public struct UploadProgress: Hashable, Sendable {
    /// What the file is called.
    public var name: String
    /// Bytes.
    public var sent: Int, size: Int
}

extension RESTCall.Form {
    /// The form with its file open.
    fileprivate func opened(_ progress: (@Sendable (UploadProgress) -> Void)?) -> Result<HTTPForm, TextFile.Problem> {
        Result { () throws(TextFile.Problem) in
            let opened: UploadedFile
            do throws(TextFile.Problem) {
                let name = file.name
                opened = try UploadedFile(opening: file.path) { sent, size in
                    progress?(UploadProgress(name: name, sent: sent, size: size))
                }
            } catch {
                throw error.of(file.path)
            }
            return HTTPForm(
                fields: fields.map { ($0.name, $0.value) }, name: name, filename: file.name, type: file.type,
                file: opened)
        }
    }
}

extension HTTPRequest {
    /// How long a file may be on its way.
    private static let patience: Duration = .seconds(600)

    /// The same with a form, which is sent once.
    fileprivate func posting(_ form: HTTPForm) -> HTTPRequest {
        var request = self
        (request.form, request.isRepeatable, request.timeout) = (form, false, Self.patience)
        return request
    }
}

extension Answer {
    /// A request that was not sent, since a file cannot be read.
    init(_ problem: TextFile.Problem) { self = .failure(kind: "file", message: problem.message) }
}
