/// One of a printer's state reasons: an IPP keyword (RFC 8011 §5.4.12) with its severity.
/// Other protocols' status is put into the same words.
public struct StateReason: Hashable, Sendable, Codable {
    /// Without the severity suffix: `media-empty`, `cover-open`.
    public var keyword: String
    public var severity: Severity

    public enum Severity: String, Hashable, Sendable, Codable, Comparable {
        case report, warning, error

        private var weight: Int {
            switch self {
            case .report: 0
            case .warning: 1
            case .error: 2
            }
        }
        public static func < (left: Severity, right: Severity) -> Bool { left.weight < right.weight }
    }

    public init(keyword: String, severity: Severity) {
        self.keyword = keyword
        self.severity = severity
    }

    /// Reads `media-empty-error`; nil for `none`. A keyword without a suffix is an error (RFC 8011 §5.4.12).
    public init?(ippKeyword: String) {
        guard ippKeyword != "none", !ippKeyword.isEmpty else { return nil }
        for severity in [Severity.report, .warning, .error] {
            let suffix = "-\(severity.rawValue)"
            if ippKeyword.hasSuffix(suffix), ippKeyword.utf8.count > suffix.utf8.count {
                self.init(keyword: String(ippKeyword.dropLast(suffix.count)), severity: severity)
                return
            }
        }
        self.init(keyword: ippKeyword, severity: .error)
    }

    /// The keyword with its severity suffix.
    public var ippKeyword: String { "\(keyword)-\(severity.rawValue)" }
}
