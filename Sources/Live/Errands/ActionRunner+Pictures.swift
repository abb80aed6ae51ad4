import Network
import Pipeline
import Wire

// Pictures are uploaded before the messages and groups that contain them are sent: the session receives only their
// addresses.
extension ActionRunner {
    /// Uploads the pictures one after the other, then performs the actions.
    func uploadPictures(from index: Int = 0) {
        guard configuration.pictures.indices.contains(index) else { return lookForWaiting() }
        guard let service = configuration.backend.module.pictures else {
            let why = "the picture was not uploaded: \(configuration.backend.rawValue) does not support pictures"
            return endAll(.refused(why: why, status: nil), keeps: false)
        }
        let picture = configuration.pictures[index]
        var host = configuration.service
        host.host = service.host(host.host)
        var request = HTTPRequest(
            "POST", host.with(target: service.target), body: picture.bytes, as: picture.type, access: access,
            token: token, in: configuration.backend.tokenHeader)
        // Uploading a picture twice does no harm: the message contains only one address.
        (request.timeout, request.isRepeatable) = (.seconds(120), true)
        http.send(request) { [weak self] result in
            self?.assumeIsolated { $0.uploaded(index, result) }
        }
    }

    /// Attaches an uploaded picture and continues. If the upload failed, the message or group is neither sent nor
    /// stored for later.
    private func uploaded(_ index: Int, _ result: Result<HTTPResponse, HTTPFailure>) {
        let what = "the picture was not uploaded: "
        switch result {
        case .failure(let failure): endAll(.unreachable(why: what + failure.message), keeps: false)
        case .success(let response) where response.status == 429 || response.status >= 500:
            endAll(.unreachable(why: what + "HTTP status \(response.status)"), keeps: false)
        case .success(let response):
            guard (200..<300).contains(response.status) else {
                return endAll(.refused(why: what + "the image service refused it", status: response.status))
            }
            guard let address = configuration.backend.module.pictures?.address(response.body[...]) else {
                return endAll(.refused(why: what + "the answer contains no address", status: response.status))
            }
            for action in wanted.indices { wanted[action].attach(address) }
            uploadPictures(from: index + 1)
        }
    }
}
