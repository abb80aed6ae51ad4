import Events
import Network
public import Pipeline
import Wire

// Determining which kind of server answers, after the expected kind did not.
extension AccountService {
    /// The time limit of each request.
    private static let patience = Duration.seconds(5)

    /// Returns the backends other than `expected` whose usual path answers like such a server. Each request names a
    /// transport that does not exist, so no server creates a session. The result is empty if the server is unreachable.
    public func kinds(besides expected: Configuration.BackendKind) async -> [Configuration.BackendKind] {
        guard let access = try? await access() else { return [] }
        return await withTaskGroup { group in
            for kind in Configuration.BackendKind.allCases where kind != expected {
                group.addTask {
                    let isOfKind =
                        kind.speaksBayeux
                        ? await self.speaksBayeux(kind, access) : await self.speaksEngineIO(kind, access)
                    return isOfKind ? kind : nil
                }
            }
            var kinds: Set<Configuration.BackendKind> = []
            for await case let kind? in group { kinds.insert(kind) }
            return Configuration.BackendKind.allCases.filter(kinds.contains)
        }
    }

    private func speaksEngineIO(_ kind: Configuration.BackendKind, _ access: Access) async -> Bool {
        let request = HTTPRequest(
            url: address(kind.usualPath + "?EIO=4&transport=none"), access: access, timeout: Self.patience)
        guard let response = try? await answer(to: request).get(), response.status == 400 else { return false }
        // JavaScript servers send "Transport unknown", Python servers "Invalid transport".
        let error = EngineIO.ServerError(status: response.status, body: response.body[...])
        return error.text?.lowercased().contains("transport") ?? false
    }

    private func speaksBayeux(_ kind: Configuration.BackendKind, _ access: Access) async -> Bool {
        let handshake = #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["none"],"id":"1"}]"#
        let request = HTTPRequest(
            method: "POST", url: address(kind.usualPath), access: access,
            headers: [("content-type", "application/json")], body: Array(handshake.utf8), timeout: Self.patience)
        guard let response = try? await answer(to: request).get() else { return false }
        return String(decoding: response.body, as: UTF8.self).contains("/meta/handshake")
    }
}
