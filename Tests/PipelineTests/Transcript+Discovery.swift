import Testing
import WeirEvents
import WeirWire

@testable import WeirPipeline

extension Transcript {
    typealias Service = [(part: String, body: String)]

    /// The answers of an era B server for company C with the workspaces W and X, and the
    /// channel CH with the message M1.
    static let service: Service = [
        ("/general/v1/server", #"{"status":"ready"}"#),
        ("/users/me/companies", Frames.list(#"{"id":"C","name":"Co"}"#, #"{"id":"D","name":"Dee"}"#)),
        ("/users/me", Frames.one(#"{"id":"U1","username":"u","first_name":"Una"}"#)),
        ("/C/workspaces?", Frames.list()), ("/channels/CH/members", Frames.list(member("U1"))),
        ("/W/channels?", Frames.list(Frames.listed())), ("/direct/channels", Frames.list()),
        ("/badges", Frames.list()), ("/feed", Frames.list(Frames.head("M1", "hi", at: 1000))),
        ("/C/workspaces", Frames.list(workspace("W", "Work"), workspace("X", "Extra"))),
        ("/D/workspaces", Frames.list(#"{"id":"Y","company_id":"D","name":"Yard"}"#)),
    ]

    static func workspace(_ id: String, _ name: String) -> String {
        #"{"id":"\#(id)","company_id":"C","name":"\#(name)","logo":"","default":false,"archived":false,"stats":{"created_at":0,"total_members":6},"role":"member"}"#
    }

    static func member(_ user: String, updated: Int = 0) -> String {
        #"{"company_id":"C","workspace_id":"W","user_id":"\#(user)","channel_id":"CH","id":"\#(user)","type":"member","last_access":1,"updated_at":\#(Frames.epoch + updated)}"#
    }

    /// A quiet tail that discovered its rooms. Entries of `service` take precedence over the default answers.
    static func discovered(following: Configuration.Following, service: Service = []) -> Transcript {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W", following: following))
        transcript.authenticate()
        transcript.quiet(service)
        return transcript
    }

    /// Answers every request and confirms every room until nothing more follows.
    mutating func quiet(_ service: Service = []) {
        for _ in 0..<6 {
            settle(service + Self.service)
            for room in session.subscriptions.entries {
                if case .joining = room.state { receive(Frames.joined(room.name)) }
            }
        }
        settle(service + Self.service)
    }
}
