/// One action of the user at a terminal.
package enum TerminalInput: Hashable, Sendable {
    case key(TerminalKey)
    case mouse(TerminalMouse)
    /// Pasted text, which is untrusted.
    case pasted(String)
}

/// A key press as a terminal reports it.
package enum TerminalKey: Hashable, Sendable {
    /// A character without a case of its own.
    case character(Unicode.Scalar)
    /// A character typed with the control key, as a lower-case letter.
    case control(Unicode.Scalar)
    /// Keys for editing and for confirming input.
    case enter, tab, backTab, backspace, delete, escape
    /// Keys that move the cursor or the page.
    case up, down, home, end, pageUp, pageDown
    /// The left arrow, with or without the shift key.
    case left(isShifted: Bool)
    /// The right arrow, with or without the shift key.
    case right(isShifted: Bool)
}

/// A mouse action and its position.
package struct TerminalMouse: Hashable, Sendable {
    /// The mouse actions that the decoder recognises.
    package enum Action: Hashable, Sendable {
        /// The main button was pressed, or the pointer moved while it was held.
        case pressed, dragged
        /// The wheel turned by one step.
        case wheelUp, wheelDown
    }
    package var action: Action
    /// The position of the pointer, with row and column counted from 0.
    package var place: TerminalPlace
    package init(_ action: Action, at place: TerminalPlace) {
        self.action = action
        self.place = place
    }
}
