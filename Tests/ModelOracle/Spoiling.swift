import WeirModel
import WeirWire

extension Batch<Row> {
    /// Changes the batch at random. The result may still be correct, for example when nothing changes.
    mutating func spoil(using generator: inout RandomSource) {
        switch generator.below(12) {
        case 0: Self.spoil(&deletions, using: &generator) { Self.shift(&$0.path, using: &$1) }
        case 1: Self.spoil(&insertions, using: &generator) { Self.shift(&$0.path, using: &$1) }
        case 2: Self.spoil(&moves, using: &generator) { Self.shift(&$0.from, using: &$1) }
        case 3: Self.spoil(&moves, using: &generator) { Self.shift(&$0.to, using: &$1) }
        case 4:
            Self.spoil(&updates, using: &generator) { change, generator in
                Self.shift(&change.from, using: &generator)
                if generator.oneIn(2) { change.to = change.from }
            }
        case 5: Self.spoil(&deletions, using: &generator) { Self.change(&$0.element, using: &$1) }
        case 6: Self.spoil(&insertions, using: &generator) { Self.change(&$0.element, using: &$1) }
        case 7: Self.spoil(&moves, using: &generator) { Self.change(&$0.old, using: &$1) }
        case 8: Self.spoil(&updates, using: &generator) { Self.change(&$0.new, using: &$1) }
        case 9: exchangeMoveAndUpdate(using: &generator)
        case 10: removeSomething(using: &generator)
        default: spoilSections(using: &generator)
        }
    }

    private static func spoil<Record>(
        _ records: inout [Record], using generator: inout RandomSource,
        _ body: (inout Record, inout RandomSource) -> Void
    ) {
        if !records.isEmpty { body(&records[generator.below(records.count)], &generator) }
    }

    private static func shift(_ path: inout SectionPath, using generator: inout RandomSource) {
        let distance = generator.oneIn(20) ? Int.max : 1
        switch generator.below(4) {
        case 0: path.item &+= distance
        case 1: path.item &-= distance
        case 2: path.section &+= distance
        default: path.section &-= distance
        }
    }

    private static func change(_ row: inout Row, using generator: inout RandomSource) {
        switch generator.below(4) {
        case 0: row.id = generator.below(40)
        case 1: row.content += 1
        case 2: row.sortKey = generator.below(RandomHistory.sortKeys)
        default: row.sectionKey += 1
        }
    }

    /// Lists a move as an update or an update as a move, at its sorted position.
    private mutating func exchangeMoveAndUpdate(using generator: inout RandomSource) {
        if generator.oneIn(2), !moves.isEmpty {
            updates.append(moves.remove(at: generator.below(moves.count)))
            updates.sort { $0.to < $1.to }
        } else if !updates.isEmpty {
            moves.append(updates.remove(at: generator.below(updates.count)))
            moves.sort { $0.to < $1.to }
        }
    }

    private mutating func removeSomething(using generator: inout RandomSource) {
        switch generator.below(7) {
        case 0: _ = deletions.popLast()
        case 1: _ = insertions.popLast()
        case 2: _ = moves.popLast()
        case 3: _ = updates.popLast()
        case 4: _ = sectionDeletions.popLast()
        case 5: _ = sectionInsertions.popLast()
        default: _ = sectionMoves.popLast()
        }
    }

    private mutating func spoilSections(using generator: inout RandomSource) {
        switch generator.below(8) {
        case 0: Self.spoil(&sectionDeletions, using: &generator) { section, _ in section.index += 1 }
        case 1: Self.spoil(&sectionDeletions, using: &generator) { section, _ in section.rank += 1 }
        case 2: Self.spoil(&sectionInsertions, using: &generator) { section, _ in section.index -= 1 }
        case 3: Self.spoil(&sectionInsertions, using: &generator) { section, _ in section.key += 1 }
        case 4: Self.spoil(&sectionMoves, using: &generator) { section, _ in section.from += 1 }
        case 5: Self.spoil(&sectionMoves, using: &generator) { section, _ in section.to -= 1 }
        case 6: Self.spoil(&sectionMoves, using: &generator) { section, _ in section.newRank += 1 }
        default: Self.spoil(&sectionMoves, using: &generator) { section, _ in section.oldRank = section.newRank }
        }
    }
}

extension RandomHistory {
    /// Checks that the library's check and `apply` accept a spoiled batch exactly when it breaks no rule. A rejected
    /// batch must leave the collection, which has the state before the batch, unchanged.
    mutating func spoilingProblems(_ batch: Batch<Row>, _ collection: Rows, _ old: State) -> [String] {
        var spoiled = batch
        for _ in 0...generator.below(2) { spoiled.spoil(using: &generator) }
        let broken = BatchRules(batch: spoiled, old: old, new: state).problems
        do throws(ModelError) {
            try spoiled.check(from: collection.snapshot, to: rows.snapshot)
            if let first = broken.first { return ["check does not see that \(first): \(spoiled)"] }
        } catch {
            if broken.isEmpty { return ["check refuses a batch that breaks no rule: \(error): \(spoiled)"] }
        }
        // The result of composing does not matter, but it must not trap.
        _ = try? batch.inverted().composed(with: spoiled)
        var copy = collection
        do throws(ModelError) {
            try copy.apply(spoiled)
            let isRight = broken.isEmpty || State(copy) != state
            return isRight ? [] : ["apply lets a spoiled batch pass: \(spoiled)"]
        } catch {
            if broken.isEmpty { return ["apply refuses a batch that breaks no rule: \(error): \(spoiled)"] }
            let isKept =
                State(copy) == old && copy.checksum == collection.checksum && copy.sequence == collection.sequence
            if !isKept { return ["a refused batch leaves something: \(spoiled)"] }
            return copy.snapshot.brokenInvariant().map { ["broken by a refused batch: \($0)"] } ?? []
        }
    }
}
