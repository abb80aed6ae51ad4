import Testing
import WeirWire

@testable import WeirEvents

@Suite struct `Entity ids` {
    @Test func `a UUID in its usual form is kept as 16 bytes and written unchanged`() {
        let text = "2982dc0a-65aa-47ae-a13c-082b2e3cc2a9"
        #expect(EntityID(text) == .uuid(0x2982_dc0a_65aa_47ae, 0xa13c_082b_2e3c_c2a9))
        #expect(EntityID(text).description == text)
        #expect(EntityID("00000000-0000-0000-0000-000000000000") == .uuid(0, 0))
        #expect(EntityID("ffffffff-ffff-ffff-ffff-ffffffffffff") == .uuid(.max, .max))
    }

    @Test(arguments: [
        "", "U1", "direct", "2982DC0A-65aa-47ae-a13c-082b2e3cc2a9", "2982dc0a-65aa-47ae-a13c-082b2e3cc2a",
        "2982dc0a-65aa-47ae-a13c-082b2e3cc2a99", "2982dc0a+65aa-47ae-a13c-082b2e3cc2a9",
        "2982dc0a-65aa-47ae-a13c-082b2e3cc2ag", "é82dc0a-65aa-47ae-a13c-082b2e3cc2a9",
    ])
    func `an id of any other form is kept as text`(_ text: String) {
        #expect(EntityID(text) == .text(text))
        #expect(EntityID(text).description == text)
    }

    @Test func `a UUID accepts no byte but the sixteen digits, at any position`() {
        let usual = Array("0123abcd-4567-89ef-fedc-ba9876543210".utf8)
        for place in usual.indices where usual[place] != UInt8(ascii: "-") {
            for byte in UInt8.min...UInt8.max {
                var bytes = usual
                bytes[place] = byte
                let isDigit = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                let id = EntityID(utf8: bytes.span)
                if case .uuid = id {
                    #expect(isDigit, "\(byte) at \(place)")
                } else {
                    #expect(!isDigit, "\(byte) at \(place)")
                }
                if isDigit { #expect(Array(id.description.utf8) == bytes) }
            }
        }
    }

    @Test func `ids are ordered like their text, UUIDs first`() {
        var generator = RandomSource(seed: 1)
        let ids = (0..<200).map { index -> EntityID in
            let high = generator.next() >> UInt64.random(in: 0...63, using: &generator)
            return index % 2 == 0 ? .uuid(high, generator.next()) : EntityID("id \(generator.next())")
        }
        let sorted = ids.sorted()
        let uuids = sorted.prefix(100).map(\.description)
        let texts = sorted.suffix(100).map(\.description)
        #expect(uuids == uuids.sorted() && uuids.allSatisfy { $0.utf8.count == 36 })
        #expect(texts == texts.sorted() && texts.allSatisfy { $0.hasPrefix("id ") })
    }

    @Test func `equal ids have one lookup hash, and different UUIDs have different hashes`() {
        #expect(EntityID("general").lookupHash == EntityID("general").lookupHash)
        var numbers: Set<Int> = []
        for index: UInt64 in 0..<64 {
            for id in [EntityID.uuid(1 << index, 0), .uuid(0, 1 << index), .uuid(1 << index, 1 << index)] {
                #expect(EntityID(id.description).lookupHash == id.lookupHash)
                numbers.insert(id.lookupHash)
            }
        }
        #expect(numbers.count == 3 * 64)
        // The bits that a hash table uses: the upper eight, then the lower ones.
        #expect(Set(numbers.map { $0 >> 56 }).count > 64)
        #expect(Set(numbers.map { $0 & 0xFFFF }).count > 180)
    }
}

@Suite struct `Times on the wire` {
    @Test(arguments: [
        (1_620_987_774, 1_620_987_774_000), (1_620_987_774_123, 1_620_987_774_123), (0, 0),
        (999_999_999_999, 999_999_999_999_000), (1_000_000_000_000, 1_000_000_000_000), (-1, -1000),
        (Int64.min, Int64.min), (Int64.max, Int64.max),
    ])
    func `a time of up to 12 digits is in seconds, others are in milliseconds`(_ wire: Int64, _ milliseconds: Int64) {
        #expect(Timestamp(wire: wire).milliseconds == milliseconds)
    }
}
