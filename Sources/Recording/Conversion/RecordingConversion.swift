/// Conversion between recordings and other formats.
package enum RecordingConversion {
    /// Writes a recording in another format. `tool` names this program in the file.
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

    /// Writes a recording from a file in another format.
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
