import Glibc
import Testing

@testable import kioskd

@Suite struct SelfRestartTests {
    /// A daemon that was started so often by itself, the last time so many seconds ago.
    private func restart(_ count: Int, secondsAgo: Int) -> SelfRestart {
        SelfRestart { $0 == "KIOSKD_RESTARTS" ? "\(count) \(time(nil) - secondsAgo)" : nil }
    }

    @Test func `the first restart is at once, and those behind it wait longer and longer`() {
        #expect(SelfRestart { _ in nil }.pause == .zero)
        #expect(
            [1, 2, 3, 6, 7, 1000, .max].map { restart($0, secondsAgo: 5).pause }
                == [1, 2, 4, 32, 60, 60, 60].map { .seconds($0) })
        #expect(restart(7, secondsAgo: 700).pause == .zero)
        for words in ["", "7", "seven 8", "-7 \(time(nil))", "7 8 9"] {
            #expect(SelfRestart { _ in words }.pause == .zero, "\(words)")
        }
    }
}
