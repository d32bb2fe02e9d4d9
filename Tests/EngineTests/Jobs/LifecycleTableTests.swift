import Foundation
import Testing

@testable import KioskEngine

/// `RECORD_TABLE=1 swift test --filter LifecycleTableTests` writes the table anew; the diff is then what a reviewer
/// reads.
@Suite struct LifecycleTableTests {
    private static let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/delivery.md")
        .standardized
    private static let begin =
        "<!-- The table begins. It is written by: RECORD_TABLE=1 swift test --filter LifecycleTableTests -->\n"
    private static let end = "<!-- The table ends. -->\n"

    @Test func `the documentation shows the machine as it is`() throws {
        let text = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self)
        let begin = try #require(text.range(of: Self.begin)), end = try #require(text.range(of: Self.end))
        let table = try LifecycleTable().text
        if ProcessInfo.processInfo.environment["RECORD_TABLE"] != nil {
            try Data(text.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: table).utf8).write(
                to: Self.file)
        } else {
            #expect(text[begin.upperBound..<end.lowerBound] == table)
        }
    }

    @Test func `the documentation names every stage`() throws {
        let text = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self)
        for stage in JobStage.allCases {
            #expect(text.contains("\n| `\(stage.rawValue)` |"), "\(stage) is not explained")
        }
    }

    @Test(arguments: JobStage.allCases) func `what is stored of a stage is enough to go on with it`(
        _ stage: JobStage
    ) throws {
        let life = try JobLifeSamples.at(stage)
        #expect(life.status.stage == stage)
        let restored = life.restarted()
        #expect(restored.status.stage.stored == stage.stored)
        // What never left may be sent; what may have left is asked for.
        #expect((restored.status.stage == .waiting) == (stage == .waiting || stage == .routed))
        #expect(restored.status.stage.isInDoubt == (stage.isOnItsWay || stage.isAtPrinter))
    }
}
