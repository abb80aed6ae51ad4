import DemoServer
import Pipeline
import Wire

/// The demo of Finish (`samples/profiles/finish.yaml`): one embedded server with a store and a tweet service, each with
/// its own token, and the user's three processes as actions.
enum FinishWorld {
    /// Both resources are links to samples, which tests parse.
    private static let profile = try! Profile(parsing: PackageResources.finish_yaml)
    private static let scenario = try! ProfileScenario(parsing: PackageResources.finish_scenario_yaml, for: profile)

    static let service: EmbeddedService = {
        var service = EmbeddedService.declared((profile, scenario))
        service.demo = { seed in
            try OwnServer(hint: { _ in "" }) {
                let server = try DeclaredServer(on: $0, profile: profile, scenario: scenario, seed: seed)
                return (server.url, { server.token }, { server.close() })
            }
        }
        return service
    }()

    static func backend(at url: String) -> Configuration.BackendKind {
        var profile = profile
        for index in profile.services.indices where profile.services[index].hasOwnAddress {
            profile.services[index].url = url + profile.services[index].basePath
        }
        return .declared(profile)
    }

    /// The token of the tweet service.
    static let tokens = ["twitter": Secret("twitter-token")]

    /// The account is created, and requested again. The list is refreshed twice, the second time without a download. A
    /// tweet is finished.
    static let deeds: [(after: Duration, run: Action.Run)] = [
        (.seconds(1), .init("create-account")), (.seconds(2), .init("create-account")),
        (.seconds(2), .init("refresh")), (.seconds(2), .init("refresh")),
        (.seconds(2), .init("finish", ["tweet": "1", "word": "worm", "right": "true"])),
    ]
}
