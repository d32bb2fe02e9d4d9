import PrintModel

/// The words that messages offer.
enum Vocabulary {
    static let jobTypes = JobTypes.keywords.map(\.keyword).joined(separator: ", ")
    static let printerKeys = ["id", "url", "name", "location", "profile", "job-types", "credentials", "trust", "login-without-tls"]
    static let roleKeys = ["printers", "policy", "job-type", "defaults", "unconfirmed", "expires-after", "keep"]
    static let retentionKeys = ["jobs", "documents", "size"]
    static let fileKeys = ["version", "printers", "roles"]
    static let profileKeys = ["name", "description", "job-types", "match", "quirks", "lpr", "device"]
    static let quirkKeys = ["quirk", "value", "why", "source"]
    static let lprKeys = ["dialect", "upload", "conversion", "quota"]
    static let deviceKeys = ["language", "completion", "status", "recovery", "after-cancel", "paper-speed", "drawer-open", "usb"]
    static let usbKeys = ["vendor-class", "unidirectional", "zero-length-packet", "soft-reset", "reattach"]
    static let quotaKeys = ["command", "pattern"]
    static let secretKeys = ["user", "password", "client-certificate", "client-key", "private-key", "passphrase", "agent"]
}
