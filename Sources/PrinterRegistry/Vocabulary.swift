import PrintModel

/// The words that messages offer.
enum Vocabulary {
    static let jobTypes = JobTypes.keywords.map(\.keyword).joined(separator: ", ")
    static let printerKeys = [
        "id", "url", "name", "location", "profile", "job-types", "credentials", "trust", "login-without-tls",
    ]
    static let roleKeys = ["printers", "policy", "job-type", "defaults", "unconfirmed", "expires-after", "keep"]
    static let retentionKeys = ["jobs", "documents", "size"]
    static let fileKeys = ["version", "printers", "roles"]
    static let profileKeys = [
        "name", "description", "job-types", "inherits", "match", "command-sets", "quirks", "lpr", "device", "printing",
    ]
    static let quirkKeys = ["quirk", "value", "why", "source"]
    static let lprKeys = ["dialect", "upload", "conversion", "quota"]
    static let deviceKeys = [
        "language", "completion", "status", "recovery", "after-cancel", "paper-speed", "drawer-open", "usb",
    ]
    static let usbKeys = ["vendor-class", "unidirectional", "zero-length-packet", "soft-reset", "reattach"]
    static let printingKeys = [
        "language", "dots", "dpi", "paper-width", "font-a", "font-b", "line-gap", "code-pages", "initial-code-page",
        "symbologies", "cuts",
        "tear-feed", "raster", "logo-memory", "drawers", "text-only", "motion-units", "multi-byte", "label", "source",
    ]
    static let rasterKeys = ["method", "band", "buffer"]
    static let labelKeys = ["width", "height", "gap", "darkness", "speed"]
    static let quotaKeys = ["command", "pattern"]
    static let secretKeys = [
        "user", "password", "client-certificate", "client-key", "private-key", "passphrase", "agent",
    ]
}
