/// Makes recordings of other formats, and other formats of recordings.
package enum RecordingConversion {
    /// Writes a recording in another format. `tool` is the name that is put into it.
    package static func export(
        _ path: String, as format: ForeignFormat, to destination: ToolDestination, tool: String,
        hearing problem: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        switch format {
        case .har: try HARExport.run(path, to: destination, tool: tool, hearing: problem)
        case .cloudevents: try CloudEvents.write(path, to: destination, hearing: problem)
        case .lines: try LineLog.write(path, to: destination, hearing: problem)
        }
    }

    /// Writes a recording of what is in another format.
    package static func `import`(
        _ path: String, from format: ForeignFormat, to destination: ToolDestination, _ options: ImportOptions,
        hearing problem: @escaping ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        switch format {
        case .har: try HARImport.run(path, to: destination, options, hearing: problem)
        case .cloudevents: try CloudEvents.read(path, to: destination, options, hearing: problem)
        case .lines: try LineLog.read(path, to: destination, options, hearing: problem)
        }
    }
}
