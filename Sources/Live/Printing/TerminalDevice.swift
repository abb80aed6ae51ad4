import Glibc

/// The terminal behind a descriptor.
public enum TerminalDevice {
    /// Whether colours may be sent to `descriptor`: a terminal that knows them (`TERM` is not `dumb`), and nobody set
    /// `NO_COLOR`.
    public static func showsColour(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1 else { return false }
        if let refusal = getenv("NO_COLOR"), refusal.pointee != 0 { return false }
        return getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The columns of the terminal behind `descriptor`; nil when it is none or does not say.
    public static func width(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
