import Glibc
import Live
import Terminal

extension Arguments {
    /// Returns the form in which events are printed.
    func printedForm() throws(UsageError) -> PrintedForm {
        let format: OutputFormat? = try choice(.format)
        if let text = self[.template] {
            if has(.fields) || isTyped(.format) {
                throw error("--template cannot be combined with \(has(.fields) ? "--fields" : "--format")")
            }
            do throws(LineTemplate.Malformed) {
                return .template(try LineTemplate(text))
            } catch {
                throw self.error("--template: \(error.message)")
            }
        }
        guard let text = self[.fields] else { return .format(format ?? .compact) }
        if isTyped(.format), format != .json { throw error("--fields requires --format json") }
        do throws(EnvelopeFields.Malformed) {
            return .fields(try EnvelopeFields(text))
        } catch {
            throw self.error("--fields: \(error.message)")
        }
    }

    /// Returns the time zone. A zone of the system's tables becomes the zone of the process, which uses no other zone.
    private func zone() throws(UsageError) -> LineSettings.Zone? {
        guard let name = self[.zone] else { return nil }
        if let zone = LineSettings.Zone(rawValue: name) { return zone }
        let isName = name.allSatisfy { $0.isLetter || $0.isNumber || "/_+-".contains($0) } && !name.hasPrefix("/")
        var facts = stat()
        guard isName, stat("/usr/share/zoneinfo/" + name, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw error(
                "--zone: invalid time zone \(UsageError.quoted(name)); write utc, local, or a name such as Europe/Berlin"
            )
        }
        setenv("TZ", name, 1)
        tzset()
        return .local
    }

    /// Returns the colours and styles of the output.
    func theme() throws(UsageError) -> TerminalTheme {
        var theme = TerminalTheme(try choice(.theme) ?? .auto)
        for text in all(.style) {
            do throws(TerminalTheme.Malformed) {
                try theme.set(text)
            } catch {
                throw self.error("--style: \(error.message)")
            }
        }
        return theme
    }

    /// Returns the layout of the lines.
    func lineSettings() throws(UsageError) -> LineSettings {
        var settings = LineSettings()
        settings.time = try choice(.time) ?? settings.time
        settings.zone = try zone() ?? settings.zone
        settings.roomWidth = try count(.roomWidth)
        settings.showsIDs = has(.ids)
        settings.spacer = try duration(.spacer)
        guard (4...200).contains(settings.roomWidth ?? 20) else { throw error("--room-width must be from 4 to 200") }
        return settings
    }
}
