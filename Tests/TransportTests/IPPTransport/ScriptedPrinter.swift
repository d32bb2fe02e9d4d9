import Foundation
import Glibc
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Synchronization

/// A server on loopback that runs a script on each connection, right or wrong; one thread per connection.
final class ScriptedPrinter: Sendable {
    typealias Script = @Sendable (ScriptedConnection) throws -> Void

    let port: Int
    private let listener: Int32
    private let scripts: [Script]
    private let accepted = Atomic(0)
    private let open = Mutex<[ScriptedConnection]>([])
    private let served = Atomic(0)
    /// The local port of the connection after which none is served.
    private let last = Atomic(0)
    private let hasSeenLast = Gate()

    /// Starts the server. The first connection runs the first script and so on; the last script serves all later ones.
    init(_ scripts: Script...) throws {
        self.scripts = scripts
        (listener, port) = try listenOnLoopback()
        Thread.detachNewThread { [self] in acceptAll() }
    }

    var connectionCount: Int { accepted.load(ordering: .acquiring) }

    var target: PrinterTarget {
        get throws { PrinterTarget(url: try PrinterURL("ipp://127.0.0.1:\(port)/ipp/print")) }
    }

    /// Ends the listener and every connection.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in open.withLock({ $0 }) { connection.hangUp() }
    }

    /// Returns once everything that was sent to it has been read, so that no request can appear later. Called when the
    /// client has closed its connections.
    func end() async throws {
        // Connections are accepted in the order in which they were made.
        let mark = try LoopbackSocket()
        last.store(mark.port, ordering: .releasing)
        try mark.connect(to: port)
        try await hasSeenLast.wait()
        try await eventually("the printer's connections to end") {
            served.load(ordering: .acquiring) == accepted.load(ordering: .acquiring)
        }
    }

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { break }
            if let port = try? LoopbackSocket.peerPort(of: descriptor), port == last.load(ordering: .acquiring) {
                close(descriptor)
                hasSeenLast.open()
                continue
            }
            let index = accepted.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
            let connection = ScriptedConnection(descriptor)
            open.withLock { $0.append(connection) }
            let script = scripts[min(index, scripts.count - 1)]
            Thread.detachNewThread { [self] in
                // A script ends by an error when the client closes; the test judges by what the client saw.
                if (try? script(connection)) != nil { connection.finishAndDrain() }
                connection.end()
                served.wrappingAdd(1, ordering: .acquiringAndReleasing)
            }
        }
        close(listener)
    }
}

extension ScriptedPrinter {
    /// A printer that describes itself with `attributes` beside the usual ones. `respond` makes the responses to all
    /// other requests, which `requests` records.
    convenience init(
        describedBy attributes: [IPPAttribute], _ requests: Recorder<ScriptedConnection.Request>,
        _ respond: @escaping @Sendable (ScriptedConnection.Request) -> IPPMessage
    ) throws {
        try self.init { connection in
            while true {
                let request = try connection.readRequest()
                if request.message.operation == .getPrinterAttributes {
                    var group = ScriptedConnection.printer()
                    for attribute in attributes { group[attribute.name] = attribute }
                    try connection.reply(ScriptedConnection.ok(group))
                } else {
                    requests.add(request)
                    try connection.reply(respond(request))
                }
            }
        }
    }
}
