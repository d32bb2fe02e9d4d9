import Foundation
import KioskTestSupport
import Synchronization
import Testing

@testable import kioskd

@Suite struct UserNamesTests {
    /// A user database that answers when it is let.
    private final class Directory: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let count = Mutex(0)
        var questions: Int { count.withLock { $0 } }

        func answer() { gate.signal() }

        func lookUp(_ user: UInt32) -> String? {
            count.withLock { $0 += 1 }
            gate.wait()
            return user == 7 ? "till\u{1B}" : nil
        }
    }

    @Test func `a directory that does not answer holds nobody up, and its answer counts once it is there`() async throws
    {
        let directory = Directory()
        let names = UserNames(timeout: .milliseconds(1)) { directory.lookUp($0) }
        #expect(await names.name(of: 7) == "7")
        #expect(await names.name(of: 7) == "7")
        #expect(directory.questions <= 1)
        directory.answer()
        try await eventually("the name") { await names.name(of: 7) != "7" }
        #expect(await names.name(of: 7).unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(directory.questions == 1)
    }

    @Test func `all who ask at once share one question`() async throws {
        let directory = Directory()
        let names = UserNames(timeout: .seconds(600)) { directory.lookUp($0) }
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { await names.name(of: 8) } }
            try await eventually("the question") { directory.questions == 1 }
            directory.answer()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: "8", count: 20))
        #expect(directory.questions == 1)
    }
}
