import Network
import Terminal

// A line below the view for another component: the progress of a replay.
extension TerminalBoard: StatusPlace {
    /// Does nothing, because the line is erased together with the view.
    func erase() {}

    func draw(_ text: String) {
        let isNew = state.change { state -> Bool in
            defer { state.line = text }
            return state.line != text
        }
        guard isNew, block != nil else { return }
        take()
        defer { release() }
        draw(isForced: true)
    }

    func print(_ lines: [String]) {
        take()
        defer { release() }
        block?.erase()
        let text = lines.map { TerminalText.escaped($0) + "\n" }.joined()
        // Errors are ignored: a terminal that is gone does not end the run.
        try? DescriptorWriter(descriptor: 2, name: "the terminal").write(Array(text.utf8))
        draw(isForced: true)
    }
}
