import PrintModel

/// The `job-name` that a job bears at the printer: its id, by which it can be found again, and what people call it.
enum JobName {
    /// RFC 8011 §5.1.3: a name has at most 255 octets.
    private static let longest = 255

    /// The id comes first, so that a printer that cuts names keeps it.
    static func make(_ delivery: Delivery) -> String {
        let name = delivery.name.withoutControlCharacters
        return "\(delivery.jobID) \(name)".prefix(utf8Count: longest)
    }

    /// Whether a job of this name at the printer is the one with this id.
    static func matches(_ name: String, jobID: String) -> Bool {
        name.split(separator: " ").contains { $0 == jobID }
    }
}
