import Foundation

/// How often a test that repeats does so: `usual`, or `long` with `LONG_TESTS` in the environment (`Scripts/test
/// --long`).
package func rounds(_ usual: Int, long: Int) -> Int {
    ProcessInfo.processInfo.environment["LONG_TESTS"] == nil ? usual : long
}
