import Network
import Terminal

// A line below the view that somebody else has to say: how far a replay is.
extension TerminalBoard: StatusPlace {
    /// It goes with the view, while something is printed.
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
        // A terminal that is gone ends nothing.
        try? DescriptorWriter(descriptor: 2, name: "the terminal").write(Array(text.utf8))
        draw(isForced: true)
    }
}
