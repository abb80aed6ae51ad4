/// The JSON Schema of the objects of `--format json`.
enum EnvelopeSchema {
    /// The content of `schemas/envelope.schema.json` at build time.
    static var text: String { String(decoding: PackageResources.envelope_schema_json, as: UTF8.self) }
}
