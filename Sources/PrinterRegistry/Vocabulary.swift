import PrintModel

/// The words that messages offer.
enum Vocabulary {
    static let jobTypes = JobTypes.keywords.map(\.keyword).joined(separator: ", ")
    static let printerKeys = ["id", "url", "name", "location", "profile", "job-types", "credentials"]
    static let roleKeys = ["printers", "job-type", "defaults", "unconfirmed", "expires-after"]
    static let fileKeys = ["version", "printers", "roles"]
    static let profileKeys = ["name", "description", "job-types"]
}
