import Glibc

/// Why a test could not be set up or did not get what it waited for; fails the test, never skips it.
package struct TestSupportError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }

    package static func errno(_ operation: String, _ code: Int32) -> TestSupportError {
        TestSupportError("\(operation) failed: \(String(cString: strerror(code)))")
    }
}
