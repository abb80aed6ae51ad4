import Wire

/// Writes the text of a scrape: OpenMetrics 1.0, or Prometheus' older text format 0.0.4.
enum MetricsText {
    /// A format of the text.
    enum Form {
        case openMetrics, prometheus

        /// Chooses the format from the `Accept` header of a client.
        init(accepting header: String?) {
            self = header?.contains("application/openmetrics-text") == true ? .openMetrics : .prometheus
        }

        var contentType: String {
            switch self {
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            }
        }
    }

    /// Returns the text of all families in the given format.
    static func text(of families: [MetricFamily], as form: Form) -> String {
        var text = ""
        for family in families where !family.samples.isEmpty { append(family, form, &text) }
        if form == .openMetrics { text += "# EOF\n" }
        return text
    }

    private static func append(_ family: MetricFamily, _ form: Form, _ text: inout String) {
        let name = "\(family.name)"
        // OpenMetrics names a family without the suffix of its samples.
        let ending = family.kind == .counter ? "_total" : family.kind == .info ? "_info" : ""
        let title = form == .openMetrics ? name : name + ending
        let type = form == .prometheus && family.kind == .info ? "gauge" : family.kind.rawValue
        text += "# TYPE \(title) \(type)\n"
        if form == .openMetrics, let unit = family.unit { text += "# UNIT \(title) \(unit)\n" }
        text += "# HELP \(title) \(family.help)\n"
        for sample in family.samples {
            switch sample.value {
            case .integer(let value): text += "\(name)\(ending)\(labels(sample)) \(value)\n"
            case .number(let value): text += "\(name)\(ending)\(labels(sample)) \(value)\n"
            case .histogram(let histogram): append(histogram, name, sample, &text)
            }
        }
    }

    private static func append(
        _ histogram: SpanHistogram, _ name: String, _ sample: MetricFamily.Sample, _ text: inout String
    ) {
        var below = 0
        for (bound, count) in zip(SpanHistogram.bounds.map { "\(Double($0) / 1e6)" } + ["+Inf"], histogram.counts) {
            below += count
            text += "\(name)_bucket\(labels(sample, "le", bound)) \(below)\n"
        }
        text += "\(name)_sum\(labels(sample)) \(Double(histogram.sum) / 1e6)\n"
        text += "\(name)_count\(labels(sample)) \(below)\n"
    }

    private static func labels(_ sample: MetricFamily.Sample, _ name: String? = nil, _ value: String = "") -> String {
        var parts = sample.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }
        if let name { parts.append("\(name)=\"\(value)\"") }
        return parts.isEmpty ? "" : "{" + parts.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#).replacing("\n", with: #"\n"#)
    }
}
