import IPP
import PrintModel
import Synchronization
import TestSupport

extension EvePrinter {
    var target: PrinterTarget {
        get throws { PrinterTarget(url: try PrinterURL(uri)) }
    }
}

extension IPPTransport.Deadlines {
    /// For tests that are not about time: nothing is given up, and no idle connection closed, because other programs
    /// keep the machine busy.
    static var patient: Self {
        var deadlines = Self()
        (deadlines.connect, deadlines.answer, deadlines.total, deadlines.idle) = (
            .seconds(120), .seconds(600), .seconds(600), .seconds(3600)
        )
        return deadlines
    }
}

/// A transport that is shut down behind the test.
func withTransport(
    _ deadlines: IPPTransport.Deadlines = .patient, _ body: (IPPTransport) async throws -> Void
) async throws {
    let transport = IPPTransport(deadlines: deadlines)
    do {
        try await body(transport)
    } catch {
        await transport.shutDown()
        throw error
    }
    await transport.shutDown()
}

/// Keeps what it is told, in order.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    var all: [Element] { elements.withLock { $0 } }
    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

extension Delivery {
    static func receipt(_ jobID: String, _ bytes: [UInt8], format: DocumentFormat = .escPOS) -> Delivery {
        Delivery(
            jobID: jobID, name: "Receipt", user: "till", ticket: Ticket(),
            document: PrintDocument(format: format, body: .bytes(bytes))
        )
    }
}
