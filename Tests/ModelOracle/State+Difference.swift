package import WeirModel

extension State {
    /// Returns the canonical batch from this state to another, derived from the definition alone. Returns `nil` when
    /// the states are equal.
    ///
    /// An element that differs is touched, and an untouched one never moves. Among the touched elements between the
    /// same untouched ones as before, a longest run that is still in order stays; if there are several, the latest.
    /// Checksums are omitted.
    package func difference(to new: State) -> Batch<Row>? {
        var batch = Batch<Row>()
        differ(sections: new, &batch)
        let before = places
        let after = new.places
        var kept: [(from: Place, to: Place)] = []
        forEach { path, row in
            guard let to = after[row.id] else { return batch.deletions.append(.init(path: path, element: row)) }
            if to.row != row, let from = before[row.id] { kept.append((from, to)) }
        }
        new.forEach { path, row in
            if before[row.id] == nil { batch.insertions.append(.init(path: path, element: row)) }
        }
        differ(rows: kept, untouched(in: after), new.untouched(in: before), &batch)
        return batch.isEmpty ? nil : batch
    }

    private struct Place {
        let path: SectionPath
        let row: Row
    }

    private var places: [Int: Place] {
        var places = [Int: Place](minimumCapacity: sections.reduce(0) { $0 + $1.rows.count })
        forEach { places[$1.id] = Place(path: $0, row: $1) }
        return places
    }

    /// Returns, for every position, the number of untouched rows before it in its section.
    private func untouched(in other: [Int: Place]) -> [[Int]] {
        sections.map { section in
            var count = 0
            return section.rows.map { row in
                defer { if other[row.id]?.row == row { count += 1 } }
                return count
            }
        }
    }

    private func differ(sections new: State, _ batch: inout Batch<Row>) {
        for (index, section) in sections.enumerated() where !new.sections.contains(where: { $0.key == section.key }) {
            batch.sectionDeletions.append(.init(index: index, key: section.key, rank: section.rank))
        }
        for (index, section) in new.sections.enumerated() {
            guard let from = sections.firstIndex(where: { $0.key == section.key }) else {
                batch.sectionInsertions.append(.init(index: index, key: section.key, rank: section.rank))
                continue
            }
            if sections[from].rank == section.rank { continue }
            batch.sectionMoves.append(
                .init(
                    from: from, to: index, key: section.key, oldRank: sections[from].rank, newRank: section.rank))
        }
    }

    /// Adds the moves and updates. `kept` contains the touched rows of both states in the order of the old one.
    private func differ(
        rows kept: [(from: Place, to: Place)], _ before: [[Int]], _ after: [[Int]], _ batch: inout Batch<Row>
    ) {
        var stays = Array(repeating: false, count: kept.count)
        var group: [Int] = []
        for position in kept.indices {
            let (from, to) = (kept[position].from, kept[position].to)
            guard from.row.sectionKey == to.row.sectionKey else { continue }
            guard before[from.path.section][from.path.item] == after[to.path.section][to.path.item] else { continue }
            if let last = group.last {
                let other = kept[last].from.path
                let same =
                    other.section == from.path.section
                    && before[other.section][other.item] == before[from.path.section][from.path.item]
                if !same {
                    for position in State.latestLongestRun(group, kept) { stays[position] = true }
                    group = []
                }
            }
            group.append(position)
        }
        for position in State.latestLongestRun(group, kept) { stays[position] = true }
        for (position, pair) in kept.enumerated() {
            let change = Batch<Row>.Change(
                from: pair.from.path, to: pair.to.path, old: pair.from.row, new: pair.to.row)
            if stays[position] { batch.updates.append(change) } else { batch.moves.append(change) }
        }
        batch.moves.sort { $0.to < $1.to }
        batch.updates.sort { $0.to < $1.to }
    }

    /// Returns the longest subsequence of a group that is in the new order, by trying all pairs. The group is in the
    /// old order.
    private static func latestLongestRun(_ group: [Int], _ kept: [(from: Place, to: Place)]) -> [Int] {
        var lengths: [Int] = []
        var previous: [Int?] = []
        for position in group.indices {
            var best: Int?
            for other in 0..<position where kept[group[other]].to.path.item < kept[group[position]].to.path.item {
                if lengths[other] >= best.map({ lengths[$0] }) ?? 0 { best = other }
            }
            lengths.append((best.map { lengths[$0] } ?? 0) + 1)
            previous.append(best)
        }
        var run: [Int] = []
        var next = lengths.indices.max { lengths[$0] < lengths[$1] || (lengths[$0] == lengths[$1] && $0 < $1) }
        while let position = next {
            run.append(group[position])
            next = previous[position]
        }
        return run
    }
}
