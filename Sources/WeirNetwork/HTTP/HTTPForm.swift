import CWeirCurl
import Glibc

/// A form that is sent as `multipart/form-data` instead of a body. It has text fields and one file, which is read while
/// it is sent.
package struct HTTPForm: Sendable {
    /// The text fields, which are sent before the file.
    package var fields: [(name: String, value: String)]
    /// The name of the field that contains the file.
    package var name: String
    /// The file name that the form states for the file.
    package var filename: String
    /// The media type of the file.
    package var type: String
    /// The open file to upload.
    package var file: UploadedFile

    /// Creates a form from text fields and one file.
    package init(
        fields: [(name: String, value: String)], name: String, filename: String, type: String, file: UploadedFile
    ) {
        (self.fields, self.name, self.filename, self.type) = (fields, name, filename, type)
        self.file = file
    }
}

/// An open file of the user's, to be sent once. It is read on the HTTP client's thread.
package final class UploadedFile: @unchecked Sendable {
    // Unchecked: `sent` is touched on the HTTP client's thread only.

    /// A callback with the number of bytes read so far and the file's size. It is called on the HTTP client's thread.
    package typealias Progress = @Sendable (_ sent: Int, _ size: Int) -> Void

    /// The size of the file in bytes, when it was opened.
    package let size: Int
    private let descriptor: Int32
    private let progress: Progress
    private var sent = 0

    /// Opens the file at `path`. Blocks.
    package init(opening path: String, progress: @escaping Progress = { _, _ in }) throws(TextFile.Problem) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var facts = stat()
        guard descriptor >= 0, fstat(descriptor, &facts) == 0 else {
            let words = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw TextFile.Problem(message: "cannot be read: \(words)")
        }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TextFile.Problem(message: "is not a regular file")
        }
        size = facts.st_size
        self.descriptor = descriptor
        self.progress = progress
    }

    deinit { close(descriptor) }

    /// Reads the next bytes, as many as fit, and returns their count. Returns `nil` when the file became shorter or
    /// cannot be read.
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let most = min(buffer.count, size - sent)
        guard most > 0 else { return 0 }
        var count = 0
        repeat { count = Glibc.pread(descriptor, buffer.baseAddress, most, sent) } while count < 0 && errno == EINTR
        guard count > 0 else { return nil }
        sent += count
        progress(sent, size)
        return count
    }

    /// Sets the offset of the next read, limited to the file.
    fileprivate func seek(to place: Int) { sent = min(max(0, place), size) }
}

extension HTTPForm {
    /// Makes libcurl's form, which the caller must free. The caller must also retain the form's file while libcurl uses
    /// it.
    func make(for easy: UnsafeMutableRawPointer) -> OpaquePointer? {
        guard let form = curl_mime_init(easy) else { return nil }
        for field in fields {
            let part = curl_mime_addpart(form)
            curl_mime_name(part, field.name)
            curl_mime_data(part, field.value, field.value.utf8.count)
        }
        let part = curl_mime_addpart(form)
        curl_mime_name(part, name)
        curl_mime_filename(part, filename)
        curl_mime_type(part, type)
        let file = Unmanaged.passUnretained(file).toOpaque()
        curl_mime_data_cb(part, curl_off_t(self.file.size), readFile, seekFile, nil, file)
        return form
    }
}

/// Reads bytes of the file for libcurl. Any result other than a count ends the exchange.
private func readFile(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ user: UnsafeMutableRawPointer?
) -> Int {
    guard let user else { return Int(CURL_READFUNC_ABORT) }
    let file = Unmanaged<UploadedFile>.fromOpaque(user).takeUnretainedValue()
    return file.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        ?? Int(CURL_READFUNC_ABORT)
}

/// Moves the read offset for libcurl, which does this to send the file once more.
private func seekFile(_ user: UnsafeMutableRawPointer?, _ place: curl_off_t, _ origin: Int32) -> Int32 {
    guard let user, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
    Unmanaged<UploadedFile>.fromOpaque(user).takeUnretainedValue().seek(to: Int(place))
    return CURL_SEEKFUNC_OK
}
