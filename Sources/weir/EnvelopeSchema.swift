/// The JSON Schema of the objects of `--format json`.
enum EnvelopeSchema {
    /// `schemas/envelope.schema.json`, as it was when the program was built.
    static var text: String { String(decoding: PackageResources.envelope_schema_json, as: UTF8.self) }
}
