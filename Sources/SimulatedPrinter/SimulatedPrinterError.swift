import Glibc

/// Why the simulation cannot go on; for people.
package struct SimulatedPrinterError: Error, Hashable, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }

    static func errno(_ operation: String, _ path: String, _ code: Int32) -> SimulatedPrinterError {
        SimulatedPrinterError("\(operation) \(path): \(String(cString: strerror(code)))")
    }
}
