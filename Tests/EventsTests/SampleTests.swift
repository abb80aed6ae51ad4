import Testing
import WeirEvents
import WeirJSON

@Suite struct `Every sample of an event` {
    @Test(arguments: Sample.events)
    func `a sample event decodes to its kind and summary`(_ sample: Sample) throws {
        let event = Event.twake(try Twake.Event(name: sample.name, arguments: sample.arguments))
        #expect(event.kind == sample.kind)
        #expect(event.isKnown == sample.isKnown)
        #expect(event.summary == sample.summary)
    }

    @Test(arguments: Sample.malformed)
    func `a sample of the wrong shape is refused with the field's path and a valid offset`(_ sample: Sample)
        throws
    {
        let failure = try #require(throws: DecodingFailure.self) {
            try Twake.Event(name: sample.name, arguments: sample.arguments)
        }
        #expect(failure.subject == sample.name)
        #expect(failure.message == sample.message)
        #expect(failure.offset < max(1, sample.arguments.first?.bytes.count ?? 0))
    }

    @Test func `no sample is missing`() {
        #expect(Sample.events.count == 69)
        #expect(Sample.malformed.count == 32)
        #expect(Sample.answers.count == 34)
    }
}
