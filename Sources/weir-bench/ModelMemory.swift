import Glibc
import SectionedModel
import Wire

/// The memory used by a model, as counted by the kernel.
enum ModelMemory {
    /// Returns the bytes per entity, in addition to the 48 of the row itself, in a model that grew row by row.
    ///
    /// Call this first in a fresh process: memory that was used and freed before would be reused and not be counted.
    static func measure(_ shape: ModelShape, seed: UInt64) throws(BenchmarkError) -> Double {
        var dice = RandomSource(seed: seed)
        try ModelSubject.refused { () throws(ModelError) in
            _ = try grow(1000, shape.sections, &dice)
        }
        guard let before = PeakMemory.residentBytes else { throw .failed("the kernel does not report the memory used") }
        let model = try ModelSubject.refused { () throws(ModelError) in
            try grow(shape.rows, shape.sections, &dice)
        }
        guard let after = PeakMemory.residentBytes, model.count == shape.rows else {
            throw .failed("the kernel does not report the memory used")
        }
        return (after - before) / Double(shape.rows) - Double(MemoryLayout<ModelRow>.stride)
    }

    @inline(never)
    private static func grow(
        _ count: Int, _ sections: Int, _ dice: inout RandomSource
    ) throws(ModelError) -> SectionedCollection<ModelRow> {
        var model = SectionedCollection<ModelRow>()
        for _ in 0..<count {
            let row = ModelRow(
                id: .init(high: dice.next(), low: dice.next()), sectionKey: Int64(dice.below(sections)),
                sortKey: Int64(dice.next() >> 24), contents: 0, more: 0)
            try model.upsert(row)
            _ = model.commit()
        }
        return model
    }
}

extension ModelMeasurement {
    /// Measures the memory of the small and the large model, each in a separate process.
    mutating func measureMemory(seed: UInt64) throws(BenchmarkError) {
        for rows in [shape.rows, shape.rows * 10] {
            let child = try ChildProcess([
                "/proc/self/exe", "model", "--memory", "\(rows)", "--sections", "\(shape.sections)", "--seed",
                "\(seed)",
            ])
            guard let bytes = child.readLine().flatMap(Double.init) else {
                throw .failed("the process whose memory is measured did not answer")
            }
            let name = "memory of an entity besides its 48 bytes, \(rows.grouped)"
            figures.add(name, bytes, "bytes", digits: 0, bar: 90)
        }
    }
}
