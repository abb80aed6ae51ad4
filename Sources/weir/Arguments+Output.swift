import Live

extension Arguments {
    /// How events are printed.
    func printedForm() throws(UsageError) -> PrintedForm {
        let format: OutputFormat? = try choice(.format)
        if let text = self[.template] {
            if has(.fields) || isTyped(.format) {
                throw error("--template is instead of \(has(.fields) ? "--fields" : "--format")")
            }
            do throws(LineTemplate.Malformed) {
                return .template(try LineTemplate(text))
            } catch {
                throw self.error("--template: \(error.message)")
            }
        }
        guard let text = self[.fields] else { return .format(format ?? .compact) }
        if isTyped(.format), format != .json { throw error("--fields are members of --format json") }
        do throws(EnvelopeFields.Malformed) {
            return .fields(try EnvelopeFields(text))
        } catch {
            throw self.error("--fields: \(error.message)")
        }
    }

    /// How lines are laid out.
    func lineSettings() throws(UsageError) -> LineSettings {
        var settings = LineSettings()
        settings.time = try choice(.time) ?? settings.time
        settings.zone = try choice(.zone) ?? settings.zone
        settings.roomWidth = try count(.roomWidth)
        settings.showsIDs = has(.ids)
        settings.spacer = try duration(.spacer)
        guard (4...200).contains(settings.roomWidth ?? 20) else { throw error("--room-width: 4 to 200 columns") }
        return settings
    }
}
