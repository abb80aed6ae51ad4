import CWeirCurl
import Glibc
import WeirThreads
import WeirWire

/// One request and its response, as libcurl sees them. On the HTTP client's thread.
final class CurlExchange {
    let number: UInt64
    let receiver: HTTPReceiver
    /// libcurl's handle; `nil` after `free`.
    private(set) var easy: UnsafeMutableRawPointer?
    let request: HTTPRequest
    private var headerList: UnsafeMutablePointer<curl_slist>?
    /// The form to send; `nil` when the request has none.
    private var form: OpaquePointer?
    /// The buffer into which libcurl writes the text of an error.
    private let errorText: UnsafeMutablePointer<CChar>
    private var response = HTTPResponse(status: 0)
    /// The time of the request, in nanoseconds of `bootTime`.
    private let asked = bootTime()
    /// Since when the exchange waits for its turn to be large (`nil` while it does not wait), and how many nanoseconds
    /// it waited before. Its server is not read during that time.
    private var heldSince: Int64?
    private var held: Int64 = 0
    /// Whether the exchange was passed to libcurl. Until then it waits for a connection.
    private(set) var hasBegun = false
    private var headerBytes = 0
    /// Whether the empty line that ends the head has arrived.
    private var isHeadWhole = false
    private var bodyBytes = 0
    /// Whether the head was delivered to a receiver of pieces.
    private var hasToldHead = false
    /// Whether the exchange gets a new connection even if a kept one is free.
    private var takesNewConnection: Bool
    /// Why the client itself ended the response; `nil` if it did not.
    private var refusal: HTTPFailure?
    /// Requests the turn to be large (`LargeBodies`) and returns whether the exchange has it.
    private let askForTurn: () -> Bool
    /// Whether the response has arrived in full. A compressed body then waits for its turn to be inflated.
    private(set) var isComplete = false

    init(number: UInt64, request: HTTPRequest, receiver: HTTPReceiver, takeTurn: @escaping () -> Bool) {
        self.number = number
        self.request = request
        self.receiver = receiver
        askForTurn = takeTurn
        takesNewConnection = !request.isRepeatable
        easy = curl_easy_init()
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        free()
        errorText.deallocate()
    }

    /// Frees everything that libcurl holds. The handle must no longer be in a multi handle.
    func free() {
        if let easy { curl_easy_cleanup(easy) }
        easy = nil
        curl_mime_free(form)
        form = nil
        curl_slist_free_all(headerList)
        headerList = nil
    }

    /// Configures libcurl for the request. Returns what is wrong with the request, or `nil`.
    func setUp() -> String? {
        guard let easy else { return "out of memory" }
        guard request.url.scheme == "http" || request.url.scheme == "https" else {
            return "the scheme \(request.url.scheme) is not http or https"
        }
        if let problem = request.access.problem(with: request.url) { return problem }
        guard request.url.canBeSent else { return "the URL has characters a URL may not have, or no host" }
        guard isHeaderName(request.method) else { return "\"\(request.method)\" is not a method" }
        let headers = requestHeaders()
        for (name, value) in headers {
            guard isHeaderName(name), isHeaderValue(value) else {
                return "the header \(name) has characters a header may not have"
            }
            // An empty value removes one of libcurl's own headers.
            let line = value.isEmpty ? "\(name):" : "\(name): \(value)"
            headerList = curl_slist_append(headerList, line) ?? headerList
        }
        weir_curl_set_list(easy, CURLOPT_HTTPHEADER, headerList)
        weir_curl_set_text(easy, CURLOPT_URL, request.url.description)
        setMethod(easy)
        setLimits(easy)
        setAccess(easy)
        setSinks(easy)
        return nil
    }

    /// The key by which connections are counted: scheme, host and port.
    var host: String { "\(request.url.scheme)://\(request.url.authority)" }

    /// The deadline of the exchange, in nanoseconds of `bootTime`; `nil` while the response is not read, or without a
    /// timeout. libcurl's own limit would judge before it reads.
    var deadline: Int64? {
        heldSince == nil ? request.timeout.map { asked + held + $0.microseconds * 1000 } : nil
    }

    /// The failure of an exchange whose time is over.
    var isOutOfTime: HTTPFailure { hasBegun ? failure(CURLE_OPERATION_TIMEDOUT) : failure(.timeout, timeoutWords) }

    /// Marks the exchange as taken from the queue. The time it waited counts towards its timeout.
    func begin() { hasBegun = true }

    /// Requests the turn to be large. While another exchange has the turn, this one's timeout does not run.
    private func takeTurn() -> Bool {
        let isOurs = askForTurn()
        if let since = heldSince, isOurs { held += bootTime() - since }
        heldSince = isOurs ? nil : heldSince ?? bootTime()
        return isOurs
    }

    /// Returns whether libcurl gave up after it tried only kept connections and all were dead, so that it never tried a
    /// new one.
    func metDeadConnectionsOnly(_ code: CURLcode) -> Bool {
        guard [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING].contains(code), !takesNewConnection,
            headerBytes == 0
        else { return false }
        var new = 0
        weir_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &new)
        return new == 0
    }

    /// Prepares a second attempt with a new connection. The attempt gets the rest of the exchange's time.
    func takeNewConnection() {
        takesNewConnection = true
        weir_curl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
    }

    private func requestHeaders() -> [(name: String, value: String)] {
        var headers = request.headers
        if let bearer = request.bearer { headers.append(("Authorization", "Bearer \(bearer.reveal())")) }
        headers = request.access.headers(for: request.url, own: headers)
        // libcurl would wait a second for permission to send a large body, and would label a body as a form.
        headers.append(("Expect", ""))
        if request.form == nil, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            headers.append(("Content-Type", ""))
        }
        return headers
    }

    private func setMethod(_ easy: UnsafeMutableRawPointer) {
        if let form = request.form {
            self.form = form.make(for: easy)
            weir_curl_set_pointer(easy, CURLOPT_MIMEPOST, self.form.map { UnsafeMutableRawPointer($0) })
            weir_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
            return
        }
        switch request.method {
        case "HEAD": weir_curl_set_long(easy, CURLOPT_NOBODY, 1)
        case "GET" where request.body.isEmpty: weir_curl_set_long(easy, CURLOPT_HTTPGET, 1)
        default:
            if !request.body.isEmpty || request.method == "POST" || request.method == "PUT" || request.method == "PATCH"
            {
                weir_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
                // libcurl needs a pointer to copy from, even for an empty body.
                (request.body + [0]).withUnsafeBytes { body in
                    let text = body.baseAddress?.assumingMemoryBound(to: CChar.self)
                    weir_curl_set_text(easy, CURLOPT_COPYPOSTFIELDS, text)
                }
            }
            weir_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func setLimits(_ easy: UnsafeMutableRawPointer) {
        weir_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // 0 would mean no limit. A compressed body is bounded when it is decoded.
        weir_curl_set_size(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(max(1, request.maximumBody)))
        weir_curl_set_text(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        // libcurl would inflate everything it has read, even for a paused exchange.
        if case .whole = receiver { weir_curl_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0) }
        weir_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        weir_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        if takesNewConnection { weir_curl_set_long(easy, CURLOPT_FRESH_CONNECT, 1) }
        weir_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // A cancelled exchange does not wait for the thread that resolves its host.
        weir_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    }

    private func setSinks(_ easy: UnsafeMutableRawPointer) {
        // Not retained: libcurl calls the callbacks only while the exchange is in its client's table, which retains it.
        let ourselves = Unmanaged.passUnretained(self).toOpaque()
        weir_curl_set_pointer(easy, CURLOPT_WRITEDATA, ourselves)
        weir_curl_set_pointer(easy, CURLOPT_HEADERDATA, ourselves)
        weir_curl_set_sink(easy, CURLOPT_WRITEFUNCTION, takeBody)
        weir_curl_set_sink(easy, CURLOPT_HEADERFUNCTION, takeHeader)
        weir_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        weir_curl_set_pointer(easy, CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: UInt(number)))
    }

    // MARK: The answer

    /// Takes a piece of the body. For a receiver of pieces, the bytes are already decoded.
    fileprivate func append(_ bytes: UnsafeRawBufferPointer) -> Taken {
        guard bytes.count <= request.maximumBody - bodyBytes else {
            refusal = tooLarge("\(bodyBytes + bytes.count) bytes or more")
            return .refused
        }
        switch receiver {
        case .whole:
            guard bodyBytes + bytes.count <= LargeBodies.small || takeTurn() else { return .later }
            response.body.reserve(bytes.count, upTo: request.maximumBody)
            response.body.append(contentsOf: bytes)
        case .pieces(let stream):
            tellHead(to: stream)
            // libcurl keeps bytes that are not taken, and delivers them again.
            guard stream.take(bytes) else { return .later }
        }
        bodyBytes += bytes.count
        return .taken
    }

    private func tellHead(to stream: HTTPStream) {
        guard !hasToldHead else { return }
        hasToldHead = true
        stream.put(.head(status: status, headers: response.headers))
    }

    private var status: Int {
        var status = 0
        weir_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// Takes a header line. Returns `false` to end the exchange.
    fileprivate func appendHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // There is no status yet: the line belongs to the proxy's response to CONNECT, whose cookies are not the
        // server's.
        if request.access.proxy != nil, status == 0 { return true }
        headerBytes += bytes.count
        guard headerBytes <= Limits.head else {
            refusal = failure(.tooLarge, "the head of the answer is larger than \(Limits.head) bytes")
            return false
        }
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // A new head begins. The earlier ones were interim responses, or came from a connection that died.
            response.headers = []
            response.body = []
            bodyBytes = 0
            isHeadWhole = false
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { !$0.isWhitespace }
            let name = line[..<colon].lowercased()
            response.headers.append((name, end.map { String(value[...$0]) } ?? ""))
            if name == "set-cookie", let end { request.access.cookies?.take(String(value[...end]), from: request.url) }
        } else if line == "\r\n" || line == "\n" {
            isHeadWhole = true
        }
        return true
    }

    /// Returns whether a complete body can be inflated now. A compressed body that may become large waits for its turn.
    func mayBeInflated() -> Bool {
        guard case .whole = receiver else { return true }
        isComplete = true
        return coding == nil || bodyBytes <= LargeBodies.small / LargeBodies.ratio || takeTurn()
    }

    private var coding: String? {
        response.headers.last { $0.name == "content-encoding" }.map { $0.value.lowercased() }
            .flatMap { $0 == "identity" || $0.isEmpty ? nil : $0 }
    }

    /// Inflates the body for a receiver of the whole response. Returns a failure when it cannot.
    private func inflate() -> HTTPFailure? {
        guard case .whole = receiver, let coding, !response.body.isEmpty else { return nil }
        guard ["gzip", "x-gzip", "deflate"].contains(coding) else {
            return failure(.protocolError, "the answer has an encoding that was not requested")
        }
        switch CompressedBody.inflated(response.body, most: request.maximumBody) {
        case .whole(let body): response.body = body
        case .tooLarge: return tooLarge("\(request.maximumBody + 1) bytes or more")
        case .broken: return failure(.protocolError, "the compressed body of the answer is broken")
        }
        return nil
    }

    /// Returns the response, or the failure, of an exchange that ended with `code`.
    func result(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
        guard code == CURLE_OK else { return .failure(refusal ?? failure(code)) }
        response.status = status
        if let failure = inflate() { return .failure(failure) }
        if case .pieces(let stream) = receiver { tellHead(to: stream) }
        return .success(response)
    }

    /// Describes how far the exchange got before its timeout. libcurl has a separate limit for connecting.
    private var timeoutWords: String {
        guard let span = request.timeout?.shortText else { return "no connection in time" }
        guard headerBytes > 0 else { return "no answer within \(span)" }
        guard isHeadWhole else { return "the head of the answer did not end within \(span)" }
        let fields = response.headers
        // The length counts compressed bytes, but the body is counted after decoding.
        guard let length = fields.last(where: { $0.name == "content-length" })?.value,
            !fields.contains(where: { $0.name == "content-encoding" })
        else { return "\(bodyBytes) bytes of the answer came within \(span), and no end" }
        return "\(bodyBytes) of the answer's \(length) bytes came within \(span)"
    }

    private func tooLarge(_ size: String) -> HTTPFailure {
        failure(.tooLarge, "the body of the answer has \(size); the limit is \(request.maximumBody)")
    }

    private func failure(_ code: CURLcode) -> HTTPFailure {
        let words = errorText[0] == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
        if let words = notTLS(words) { return failure(.tls, words) }
        if let refusal = accessRefusal(code, words) { return refusal }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return failure(.resolve, words)
        case CURLE_OPERATION_TIMEDOUT: return failure(.timeout, timeoutWords)
        case CURLE_COULDNT_CONNECT: return failure(.connect, words)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE: return failure(.lost, words)
        case CURLE_ABORTED_BY_CALLBACK where request.form != nil:
            return failure(.protocolError, "the file cannot be read to its end")
        case CURLE_FILESIZE_EXCEEDED:
            let length = response.headers.last { $0.name == "content-length" }.flatMap { Int($0.value) }
            return tooLarge(length.map { "\($0) bytes" } ?? "\(request.maximumBody + 1) bytes or more")
        // libcurl reports this code for a header line that never ends.
        case CURLE_OUT_OF_MEMORY: return failure(.tooLarge, "a header of the answer is larger than 100 KiB")
        default: return failure(.protocolError, words)
        }
    }

    func failure(_ kind: HTTPFailure.Kind, _ message: String) -> HTTPFailure {
        HTTPFailure(kind: kind, message: "\(request.url.authority): \(message)")
    }
}

/// The result of passing bytes from libcurl to an exchange: `later` pauses it and `refused` ends it.
private enum Taken {
    case taken, later, refused
}

/// libcurl's callbacks. A result other than the byte count ends the exchange, or pauses it.
private func takeBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ user: UnsafeMutableRawPointer?
) -> Int {
    sink(bytes, size * count, user) { $0.append($1) }
}

private func takeHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ user: UnsafeMutableRawPointer?
) -> Int {
    sink(bytes, size * count, user) { $0.appendHeader($1) ? .taken : .refused }
}

private func sink(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ user: UnsafeMutableRawPointer?,
    _ take: (CurlExchange, UnsafeRawBufferPointer) -> Taken
) -> Int {
    guard let user else { return -1 }
    let exchange = Unmanaged<CurlExchange>.fromOpaque(user).takeUnretainedValue()
    switch take(exchange, UnsafeRawBufferPointer(start: bytes, count: count)) {
    case .taken: return count
    case .later: return Int(CURL_WRITEFUNC_PAUSE)
    case .refused: return -1
    }
}

extension CurlExchange {
    /// Configures how libcurl reaches the server: proxy, trust, client certificate and pinned keys.
    func setAccess(_ easy: UnsafeMutableRawPointer) {
        let access = request.access
        setProxy(easy, access.proxy)
        weir_curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
        weir_curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
        weir_curl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        switch access.trust {
        case .system:
            // OpenSSL reads these variables itself for WebSockets; libcurl does not.
            for (variable, option) in [("SSL_CERT_FILE", CURLOPT_CAINFO), ("SSL_CERT_DIR", CURLOPT_CAPATH)] {
                if let path = getenv(variable), path.pointee != 0 { weir_curl_set_text(easy, option, path) }
            }
        case .file(let path):
            weir_curl_set_text(easy, CURLOPT_CAINFO, path)
            weir_curl_set_text(easy, CURLOPT_CAPATH, nil)
        }
        if let certificate = access.certificate {
            weir_curl_set_text(easy, CURLOPT_SSLCERT, certificate.certificate)
            weir_curl_set_text(easy, CURLOPT_SSLKEY, certificate.key)
            // Without a passphrase, OpenSSL would prompt at the terminal.
            weir_curl_set_text(easy, CURLOPT_KEYPASSWD, certificate.passphrase?.reveal() ?? "")
        }
        if !access.pins.isEmpty {
            let pins = access.pins.map(\.description).joined(separator: ";")
            weir_curl_set_text(easy, CURLOPT_PINNEDPUBLICKEY, pins)
        }
    }

    /// Returns the failure if `code` is about the proxy or TLS, otherwise `nil`. `words` is libcurl's error text.
    func accessRefusal(_ code: CURLcode, _ words: String) -> HTTPFailure? {
        if let proxy = request.access.proxy,
            let problem = proxyProblem(code, easy, proxy, place: request.url.authority)
        {
            var refusal = failure(.proxy, problem.message)
            (refusal.status, refusal.retry) = (problem.status, problem.retry)
            return refusal
        }
        // A response to us with a head that large ends earlier, by our own bound.
        if let proxy = request.access.proxy, words.hasPrefix("Too large response headers") {
            return failure(.proxy, "the proxy \(proxy.authority): \(words)")
        }
        switch code {
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return failure(.tls, "TLS: \(request.access.pins.refusal(of: nil))")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return failure(.tls, alert(words) ?? words)
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            // In TLS 1.3 a server refuses our certificate after the handshake.
            return alert(words).map { failure(.tls, $0) }
        default: return nil
        }
    }

    /// Returns the meaning of a TLS alert in libcurl's error text, or `nil` when the text contains none.
    private func alert(_ words: String) -> String? {
        guard words.contains(" alert ") else { return nil }
        let reason = words.split(separator: ":").last.map(String.init) ?? words
        return tlsRefusal(reason, certificate: request.access.certificate)
    }
}
