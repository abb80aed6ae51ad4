import Live

extension Arguments {
    /// How lines are laid out.
    func lineSettings() throws(UsageError) -> LineSettings {
        var settings = LineSettings()
        settings.time = try choice(.time) ?? settings.time
        settings.zone = try choice(.zone) ?? settings.zone
        settings.roomWidth = try count(.roomWidth) ?? settings.roomWidth
        settings.spacer = try duration(.spacer)
        guard (4...200).contains(settings.roomWidth) else { throw error("--room-width: 4 to 200 columns") }
        return settings
    }
}
