import Testing
import WeirEvents

@testable import WeirPipeline

@Suite struct RESTTargetTests {
    @Test func `literal text stays, and a peer's text is percent-encoded`() {
        let name = "a/b?c=1&d ü.~-_Z9"
        let target: RESTTarget = "/groups/\(EntityID.text(".."))/\(name)/\(7)"
        #expect(target.text == "/groups/%2E%2E/a%2Fb%3Fc%3D1%26d%20%C3%BC%2E~-_Z9/7")
    }

    @Test func `a UUID and a nested target are inserted unchanged`() {
        let id = EntityID("910a2dec-8902-4cc1-beeb-8da1658eec67")
        let start: RESTTarget = "/v1/\(id)"
        let target: RESTTarget = "\(start)/feed"
        #expect(target.text == "/v1/910a2dec-8902-4cc1-beeb-8da1658eec67/feed")
    }

    @Test func `query items are separated, and their values encoded`() {
        var target: RESTTarget = "/users"
        target.add([("id", "1,2"), ("name", "a=b"), ("empty", "")])
        #expect(target.text == "/users?id=1%2C2&name=a%3Db&empty=")
        target = "/users"
        target.add([])
        #expect(target.text == "/users")
    }
}
