import Testing
import WeirModel
import WeirPipeline

@testable import WeirLive
@testable import WeirViews
@testable import WeirTerminal

/// Tests the model pane: filtered, grouped and sorted by the user's choice, and updated with each batch.
@Suite struct WatchModelTests {
    /// A collection and the reports of its batches.
    private struct Source {
        var model = SectionedCollection<Item>()

        mutating func report(_ change: (inout SectionedCollection<Item>) throws -> Void) throws -> StampedReport {
            try change(&model)
            let made = model.commit()
            let batch = try #require(made)
            return StampedReport(
                stamp: Sample.stamp(3, 1), report: .diff(DiffReport(sequence: 1, cause: 3, batch: batch)))
        }
    }

    private static let cherry = Sample.message(4, "cherry")

    /// Returns a screen with the focus on the model pane. Its model has a channel, and messages called apple, Banana
    /// and cherry.
    private static func screen() throws -> (screen: WatchedScreen, source: Source) {
        var (screen, source) = (WatchedScreen(width: 160), Source())
        let report = try source.report { model in
            try model.upsert(Sample.channel(Sample.channel, "Baking"))
            for (number, text) in [(5, "apple"), (3, "Banana")] { try model.upsert(Sample.message(number, text)) }
            try model.upsert(cherry)
        }
        screen.tell(.reports([report]))
        screen.press(.backTab)
        while screen.watch.cursor.focus != .sections { screen.press(.backTab) }
        return (screen, source)
    }

    private static func groups(_ screen: WatchedScreen) -> [String] {
        guard let model = screen.watch.modelPane.model else { return [] }
        return (0..<model.groupCount).map { index in
            let name = model.group(at: index).map { screen.watch.name(of: $0) } ?? "?"
            let rows = model.rows(at: index, most: 9).map { ItemFacts($0).label ?? "?" }
            return name + ": " + rows.joined(separator: " ")
        }
    }

    @Test func `rows are grouped by section, by kind and by the first letter of their title`() throws {
        var (screen, _) = try Self.screen()
        #expect(Self.groups(screen) == ["channels: Baking", "#Baking: Banana cherry apple"])
        screen.type("b")
        #expect(Self.groups(screen) == ["channel: Baking", "message: Banana cherry apple"])
        #expect(screen.text.contains("by kind"))
        screen.type("b")
        #expect(Self.groups(screen) == ["A: apple", "B: Baking Banana", "C: cherry"])
        screen.type("b")
        #expect(screen.watch.modelPane.look == WatchModel.Look())
    }

    @Test func `rows are sorted by title, and typing a name moves to its group`() throws {
        var (screen, _) = try Self.screen()
        screen.type("o")
        #expect(Self.groups(screen) == ["channels: Baking", "#Baking: apple Banana cherry"])
        screen.type("'#\r\r")
        #expect(screen.watch.cursor.section == 1)
        #expect(screen.text.contains("#Baking, 3 rows"))
        let lines = screen.watch.detailLines(width: 80).map(\.text)
        #expect(lines.count == 3 && lines[0].contains("apple") && lines[2].contains("cherry"))
    }

    @Test func `rows are filtered while the text is typed, and new rows are filtered as well`() throws {
        var (screen, source) = try Self.screen()
        screen.type("/AN")
        #expect(Self.groups(screen) == ["#Baking: Banana"])
        screen.type("\r")
        let report = try source.report { model in
            try model.upsert(Sample.message(6, "mango"))
            try model.upsert(Sample.message(7, "plum"))
            try model.upsert(Sample.message(4, "Cranberry"))
            model.remove(Item.ID(.message, Sample.id(3)))
        }
        screen.tell(.reports([report]))
        #expect(Self.groups(screen) == ["#Baking: Cranberry mango"])
        screen.type("/\u{1B}")
        #expect(Self.groups(screen).count == 2)
    }

    @Test func `grouping and sorting stay when a new model arrives`() throws {
        var (screen, source) = try Self.screen()
        screen.type("bb")
        _ = try source.report { $0.remove(Self.cherry.id) }
        screen.tell(.arrives(source.model))
        #expect(Self.groups(screen) == ["A: apple", "B: Baking Banana"])
    }
}
