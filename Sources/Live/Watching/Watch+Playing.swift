import Pipeline
import Terminal
import Wire

// Navigation in a recording, by keys and by the progress bar.
extension Watch {
    /// Returns the player command for a key; `nil` for a key that is not a player command.
    mutating func command(of key: TerminalKey) -> ReplayKeys.Command? {
        switch key {
        case .character(" "): return .togglePause
        case .character("."): return .step
        case .character(","): return .stepBack
        case .character("["): return .previousMark
        case .character("]"): return .nextMark
        case .character("+"): return focus == .rooms ? nil : .faster
        case .character("-"): return focus == .rooms ? nil : .slower
        case .left(let isShifted): return .move(.seconds(isShifted ? -60 : -5))
        case .right(let isShifted): return .move(.seconds(isShifted ? 60 : 5))
        case .character(":"):
            ask(.place)
            return nil
        default: return nil
        }
    }

    /// Goes to the time under a column of the progress bar.
    func scrub(to column: Int, _ layout: WatchLayout, into effects: inout [Effect]) {
        guard let length, layout.scrubber.columns.count > 1 else { return }
        let bar = scrubberBar(layout.scrubber)
        guard bar.count > 1 else { return }
        let part = Double(min(max(column, bar.lowerBound), bar.upperBound - 1) - bar.lowerBound) / Double(bar.count - 1)
        let milliseconds = Int64(part * Double(length.microseconds) / 1000)
        effects.append(.play(.goTo("+\(milliseconds)ms")))
    }
}
