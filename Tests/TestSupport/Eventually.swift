import Glibc

/// Polls until `condition` holds; throws with `what` when it does not within the deadline.
///
/// The deadline only bounds a hang: it is long, so that a loaded machine fails no test.
package func eventually(
    _ what: String = "the condition", deadline: Duration = .seconds(300), poll: Duration = .milliseconds(5),
    _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + deadline
    while try await !condition() {
        guard clock.now < end else { throw TestSupportError("\(what) did not come true within \(deadline)") }
        try await clock.sleep(for: poll)
    }
}

/// Like `eventually`, for a value that is nil until it is there.
package func eventuallyValue<Value>(
    _ what: String = "the value", deadline: Duration = .seconds(300), _ value: () async throws -> Value?
) async throws -> Value {
    var found: Value?
    try await eventually(what, deadline: deadline) {
        found = try await value()
        return found != nil
    }
    guard let found else { throw TestSupportError("\(what) is missing") }
    return found
}

/// Why a test could not be set up or did not get what it waited for; fails the test, never skips it.
package struct TestSupportError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }

    package static func errno(_ operation: String, _ code: Int32) -> TestSupportError {
        TestSupportError("\(operation) failed: \(String(cString: strerror(code)))")
    }
}
