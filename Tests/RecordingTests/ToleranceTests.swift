import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

/// Changes to a recording that other programs, other versions and people with editors may make.
@Suite struct `Tolerance` {
    private func record(_ line: String) throws -> Record {
        let head = lines(of: try recording())[0]
        guard
            case .record(let record, _) = try #require(
                try entries(of: Array("\(head)\n\(line)\n".utf8)).first { entry in
                    if case .discontinuity = entry { false } else { true }
                })
        else {
            Issue.record("\(line) is no record")
            return .token(.init(renewed: false))
        }
        return record
    }

    @Test func `keys may be in any order, with white space, escapes, unknown members and a carriage return`() throws {
        let line = #" { "p" : "2" , "x":[{"k":"end"}], "\u0074":5,"d":"in","c":7,"k":"f","n":1,"later":null } "# + "\r"
        #expect(try record(line) == .frame(.init(connection: 7, direction: .in, message: .text("2"))))
    }

    @Test func `optional members may be null`() throws {
        let line = #"{"k":"conn","n":1,"t":5,"w":null,"c":"1","st":"closed","url":null,"code":null,"why":null}"#
        #expect(try record(line) == .connection(.init(connection: 1, state: .closed)))
    }

    @Test func `an unknown kind is kept as its text`() throws {
        let line = #"{"k":"poll","n":1,"t":5,"w":"2026-01-02T03:04:05Z","label":"here \u00e9"}"#
        #expect(try record("  " + line) == .unknown(kind: "poll", text: RawJSON(unchecked: ArraySlice(line.utf8))))
        #expect(
            try record(#"{"k":"poll"}"#)
                == .unknown(kind: "poll", text: RawJSON(unchecked: ArraySlice(#"{"k":"poll"}"#.utf8))))
    }

    @Test(arguments: [
        #"{"k":"conn","n":1,"t":5,"c":"1","st":"muted"}"#, #"{"k":"sub","n":1,"t":5,"act":"mute","room":"r"}"#,
        #"{"k":"http","n":1,"t":5,"c":"1","id":1,"ph":"push"}"#, #"{"k":"f","n":1,"t":5,"c":"1","d":"both","p":""}"#,
        #"{"k":"f","n":1,"t":5,"c":"1","d":"in","op":9,"p":""}"#, #"{"k":"end","n":1,"t":5,"why":"bored"}"#,
    ])
    func `a known kind with a new value is kept as unknown`(line: String) throws {
        guard case .unknown(_, let text) = try record(line) else {
            Issue.record("\(line) was taken apart")
            return
        }
        #expect(text.description == line)
    }

    @Test func `a second head is a record`() throws {
        let file = try recording()
        let read = try entries(of: file + file)
        #expect(read.contains(.record(.head(testHead), Stamp(n: 1, time: .zero, wall: testHead.wallStart))))
    }

    @Test(arguments: [
        (#"{"n":1,"t":5}"#, "k"), (#"{"k":"token","t":5,"renewed":true}"#, "n"),
        (#"{"k":"token","n":1,"renewed":true}"#, "t"),
        (#"{"k":"token","n":-1,"t":5,"renewed":true}"#, "n"),
        (#"{"k":"token","n":9007199254740993,"t":5,"renewed":true}"#, "n"),
        (#"{"k":"f","n":1,"t":5,"c":"x","d":"in","p":""}"#, "c"), (#"{"k":"f","n":1,"t":5,"c":"1","d":"in"}"#, "p"),
        (#"{"k":"f","n":1,"t":5,"c":"1","d":"in","b":"abc"}"#, "b"),
        (#"{"k":"sync","n":1,"t":5,"off":0,"bytes":1,"recs":1,"t0":0,"t1":0,"crc":4294967296}"#, "crc"),
        (#"{"k":"http","n":1,"t":5,"c":"0","id":1,"ph":"req","m":"GET"}"#, "url"),
    ])
    func `a record without a required member is damage`(line: String, key: String) throws {
        let head = lines(of: try recording())[0]
        let read = try entries(of: Array("\(head)\n\(line)\n{\"k\":\"x\"}\n".utf8))
        #expect(
            read.first
                == .damage(
                    line: 2, offset: head.utf8.count + 1, bytes: line.utf8.count + 1, message: "no usable \"\(key)\""))
    }

    @Test func `a line outside chunks needs a checksum`() throws {
        let text = String(decoding: try recording(), as: UTF8.self)
        let read = try entries(of: Array(text.replacing(/,"sum":"[0-9a-f]{8}"/, with: "").utf8) + Array("\n".utf8))
        let told = read.filter {
            guard case .damage(_, _, _, #"no usable "sum""#) = $0 else { return false }
            return true
        }
        #expect(told.count == 3)
    }
}
