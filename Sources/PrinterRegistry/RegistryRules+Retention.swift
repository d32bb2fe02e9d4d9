import PrintModel

extension RegistryRules {
    /// In seconds: whoever asks soon what became of a job must find it.
    static let minimumHistory = 60
    /// Ten years.
    static let maximumHistory = 315_360_000
    /// In bytes.
    static let maximumKeptSize: Int64 = 1_000_000_000_000

    static func retentionViolations(of role: Role, path: String) -> [Violation] {
        var found: [Violation] = []
        let keep = role.keep
        if let jobs = keep.jobs, !(minimumHistory...maximumHistory).contains(jobs) {
            found.append(
                Violation(
                    path: "\(path).jobs", message: "the role \"\(role.name)\" cannot keep jobs for \(jobs) seconds",
                    instead: "\(minimumHistory) to \(maximumHistory) seconds, or a time such as 1h or 30d"))
        }
        if let documents = keep.documents, !(0...maximumHistory).contains(documents) {
            found.append(
                Violation(
                    path: "\(path).documents",
                    message: "the role \"\(role.name)\" cannot keep documents for \(documents) seconds",
                    instead: "0 to keep none, up to \(maximumHistory) seconds, or a time such as 1h or 1d"))
        } else if let documents = keep.documents, documents > keep.effectiveJobs {
            found.append(
                Violation(
                    path: "\(path).documents",
                    message:
                        "the role \"\(role.name)\" cannot keep documents longer than their jobs, which go after \(Duration.fileText(ofSeconds: keep.effectiveJobs))",
                    instead: "a shorter time, or a longer one for jobs"))
        }
        if let size = keep.size, !(0...maximumKeptSize).contains(size) {
            found.append(
                Violation(
                    path: "\(path).size", message: "the role \"\(role.name)\" cannot keep \(size) bytes of documents",
                    instead: "0 to keep none, up to \(ByteCounts.text(of: maximumKeptSize)), such as 200MB"))
        }
        return found
    }
}
