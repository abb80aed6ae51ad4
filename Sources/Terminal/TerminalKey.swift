/// What somebody did at a terminal.
package enum TerminalInput: Hashable, Sendable {
    /// Pressed a key.
    case key(TerminalKey)
    /// Did something with the mouse.
    case mouse(TerminalMouse)
    /// Pasted text. Untrusted.
    case pasted(String)
}

/// A key of a terminal.
package enum TerminalKey: Hashable, Sendable {
    /// A character that is not one of the others.
    case character(Unicode.Scalar)
    /// A character with the control key, as a lower-case letter.
    case control(Unicode.Scalar)
    /// Keys with a name on them.
    case enter, tab, backTab, backspace, delete, escape
    /// Keys that go somewhere.
    case up, down, home, end, pageUp, pageDown
    /// To the left.
    case left(isShifted: Bool)
    /// To the right.
    case right(isShifted: Bool)
}

/// What was done with the mouse, and where.
package struct TerminalMouse: Hashable, Sendable {
    /// What was done.
    package enum Action: Hashable, Sendable {
        /// The main button was pressed, or the pointer moved while it was.
        case pressed, dragged
        /// The wheel was turned by one step.
        case wheelUp, wheelDown
    }
    /// What was done.
    package var action: Action
    /// Where the pointer was.
    package var place: TerminalPlace
    /// Something done somewhere.
    package init(_ action: Action, at place: TerminalPlace) {
        self.action = action
        self.place = place
    }
}
