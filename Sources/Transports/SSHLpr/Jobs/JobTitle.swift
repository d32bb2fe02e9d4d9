import PrintModel

/// The title that a job bears in a queue: its id, by which it is found, and what people call it.
enum JobTitle {
    /// CUPS takes names of 255 octets (RFC 8011 §5.1.3), and line printer daemons lines of 131 (RFC 1179 §7).
    private static let longest = 127

    static func make(_ delivery: Delivery) -> String {
        "\(delivery.jobID) \(delivery.name.withoutControlCharacters)".prefix(utf8Count: longest)
    }
}

/// The owner that a job gets in a CUPS queue: who printed it, where the caller said, else the login.
enum JobOwner {
    /// Empty for the login's own name. A name that begins with a hyphen would be an option.
    static func make(_ user: String?) -> String {
        guard let user, !user.hasPrefix("-"), !user.hasControlCharacters, (1...127).contains(user.utf8.count) else {
            return ""
        }
        return user
    }
}
