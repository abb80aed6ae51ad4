import Glibc
import Network
package import Terminal

/// The terminal behind a descriptor.
public enum TerminalDevice {
    /// When colours are used.
    public enum ColourChoice: String, CaseIterable, Sendable {
        /// On a terminal, unless the environment has something to say about it.
        case auto
        /// Also into a file or a pipe.
        case always
        case never
    }

    /// The choice for the process, made before anything is printed.
    package static func choose(_ choice: ColourChoice, _ theme: TerminalTheme) {
        chosen.change { $0 = (choice, theme) }
    }

    private static let chosen = Monitor((choice: ColourChoice.auto, theme: TerminalTheme(.auto)))

    /// How colours look where they are used.
    package static var theme: TerminalTheme { chosen.change { $0.theme } }

    /// How they look on `descriptor`; nil where there are none.
    package static func theme(of descriptor: Int32) -> TerminalTheme? { showsColour(descriptor) ? theme : nil }

    /// Whether colours may be sent to `descriptor`.
    ///
    /// What was chosen prevails. Otherwise `NO_COLOR` says no, then `FORCE_COLOR` or `CLICOLOR_FORCE` yes (or no, when it is 0), then
    /// `CLICOLOR=0` no (no-color.org, force-color.org, bixense.com/clicolors); then it takes a terminal whose `TERM` is not `dumb`.
    public static func showsColour(_ descriptor: Int32) -> Bool {
        switch chosen.change({ $0.choice }) {
        case .always: return true
        case .never: return false
        case .auto: break
        }
        if variable("NO_COLOR") != nil { return false }
        if let force = variable("FORCE_COLOR") ?? variable("CLICOLOR_FORCE") { return force != "0" }
        if variable("CLICOLOR") == "0" { return false }
        return isatty(descriptor) == 1 && variable("TERM") != "dumb"
    }

    /// An empty variable stands for none.
    package static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Whether lines can be drawn over on `descriptor`: a terminal whose `TERM` is not `dumb`.
    public static func redraws(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 && variable("TERM") != "dumb" }

    /// The columns of the terminal behind `descriptor`; nil when it is none or does not say.
    public static func width(of descriptor: Int32) -> Int? {
        size(of: descriptor).flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil }
    }

    /// Its rows; nil when it is none or does not say.
    package static func height(of descriptor: Int32) -> Int? {
        size(of: descriptor).flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil }
    }

    private static func size(of descriptor: Int32) -> winsize? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
    }
}
