import Foundation
import Testing

@testable import KioskDocuments

/// `RECORD_PLANS=1 swift test --filter PlanGoldenTests` writes the table again, for review as a diff.
@Suite struct PlanGoldenTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Golden/plans/plans.txt")

    @Test func `every row of the table is planned as it was reviewed`() throws {
        let rows = PlanTable.sections.flatMap(\.rows)
        #expect(rows.count >= 400)
        let now = PlanTable.sections.map { section in
            "# \(section.title)\n\n" + section.rows.map { $0.text() }.joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["RECORD_PLANS"] != nil {
            try FileManager.default.createDirectory(
                at: Self.file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(now.utf8).write(to: Self.file)
        }
        let golden = try String(contentsOf: Self.file, encoding: .utf8)
        let (one, other) = (golden.split(separator: "\n"), now.split(separator: "\n"))
        #expect(one.count == other.count)
        let different = zip(one, other).filter { $0 != $1 }
        #expect(different.isEmpty, "\(different.prefix(5).map { "\($0) is now \($1)" })")
        // No two rows are the same question.
        #expect(Set(rows.map { $0.text().prefix { $0 != "\n" } }).count == rows.count)
    }
}
