import DurableFiles
import FoundationEssentials
import PrintModel

/// The numbers of recovered and lost jobs of a damaged queue, kept beside it for the health check.
struct RecoveryReport: Hashable, Codable, Sendable {
    /// Final ones included.
    var recovered: Int
    /// The number of jobs whose rows are gone, as far as indexes, documents and steps tell.
    var lost: Int
    /// The numbers of lost jobs; only the first ones where there are many.
    var numbers: [Job.ID]

    /// Whether all lost jobs are known; false where there may be more.
    var isCountKnown: Bool

    private static let mostNumbers = 100

    init(recovered: Int, lost: [Job.ID], isCountKnown: Bool) {
        self.recovered = recovered
        self.isCountKnown = isCountKnown
        self.lost = lost.count
        numbers = Array(lost.prefix(Self.mostNumbers))
    }

    /// The report in words, for people.
    var summary: String {
        let jobs = "\(recovered) job\(recovered == 1 ? " was" : "s were") recovered"
        guard lost > 0 else {
            return isCountKnown ? "\(jobs), none was lost" : "\(jobs), how many were lost nothing tells"
        }
        let named = numbers.prefix(10).map(String.init).joined(separator: ", ")
        let list = "(\(named)\(lost > 10 ? " and others" : ""))"
        return "\(jobs), \(isCountKnown ? "" : "at least ")\(lost) \(lost == 1 ? "was" : "were") lost \(list)"
    }

    static func read(_ path: String) -> RecoveryReport? {
        guard let bytes = try? AtomicFile.read(path, limit: 65_536) else { return nil }
        return try? JSONDecoder().decode(Self.self, from: Data(bytes))
    }

    func write(to path: String) throws {
        try AtomicFile.replace(path, with: Array(try JSONEncoder().encode(self)), permissions: 0o600)
    }
}
