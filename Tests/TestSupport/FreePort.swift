import SimulatedPrinter
import Synchronization

private let given = Mutex<[ReservedPort]>([])

/// A TCP port on which nobody listens but whom the caller tells of it: for peers that cannot bind to port 0 themselves
/// or come back on the port that they had, and for printers that are away. Never the same one twice.
///
/// It is reserved until this process ends, however it ends. A peer must set `SO_REUSEADDR`, as servers do.
package func freePort() throws -> Int {
    let port = try ReservedPort()
    given.withLock { $0.append(port) }
    return port.number
}
