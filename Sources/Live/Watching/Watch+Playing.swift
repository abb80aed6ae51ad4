import Pipeline
import Terminal
import Wire

// A recording that is gone through: by keys, and by its bar.
extension Watch {
    /// What a key means to the player.
    mutating func command(of key: TerminalKey) -> PlayControl.Command? {
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

    /// Goes where somebody points at on the bar.
    func scrub(to column: Int, _ layout: WatchLayout, into effects: inout [Effect]) {
        guard let length, layout.scrubber.columns.count > 1 else { return }
        let bar = scrubberBar(layout.scrubber)
        guard bar.count > 1 else { return }
        let part = Double(min(max(column, bar.lowerBound), bar.upperBound - 1) - bar.lowerBound) / Double(bar.count - 1)
        let milliseconds = Int64(part * Double(length.microseconds) / 1000)
        effects.append(.play(.goTo("+\(milliseconds)ms")))
    }
}
