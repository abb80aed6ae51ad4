import WeirNetwork
import WeirPipeline
import WeirWire

extension RESTCall {
    /// The size limit of a file in a request body, in bytes.
    package static let largestFile = 16 << 20

    /// Returns the body with the files' contents, encoded in base64. Blocks: call it off the loop.
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
    /// Inserts the files into the body of a request, or opens the file of its form, on a helper thread.
    ///
    /// - Parameters:
    ///   - progress: A callback for the upload of a form's file, on another thread.
    ///   - completion: A callback on the loop. It is called at once if the request has no files.
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
    /// Returns the problem with the file's path in its message.
    fileprivate func of(_ path: String) -> Self {
        var problem = self
        problem.message = "the file \(path): \(message)"
        return problem
    }
}

/// The progress of a file upload.
package struct UploadProgress: Hashable, Sendable {
    /// The name of the uploaded file.
    package var name: String
    /// The bytes sent so far, and the size of the file.
    package var sent: Int, size: Int
}

extension RESTCall.Form {
    /// Returns the form with its file opened.
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
    /// The time limit of an upload.
    private static let patience: Duration = .seconds(600)

    /// Returns the request with a form. Such a request is sent only once.
    fileprivate func posting(_ form: HTTPForm) -> HTTPRequest {
        var request = self
        (request.form, request.isRepeatable, request.timeout) = (form, false, Self.patience)
        return request
    }
}

extension Answer {
    /// Creates the answer to a request that was not sent because a file could not be read.
    init(_ problem: TextFile.Problem) { self = .failure(kind: "file", message: problem.message) }
}
