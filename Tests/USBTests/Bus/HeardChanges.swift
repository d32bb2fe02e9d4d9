import Synchronization
import TestSupport
import USB

/// What a bus has told of one printer so far.
final class HeardChanges: Sendable {
    private let serial: String
    private let heard = Mutex<(changes: [USBBusChange], hasEnded: Bool)>(([], false))

    init(_ changes: AsyncStream<USBBusChange>, of serial: String) {
        self.serial = serial
        Task { [self] in
            for await change in changes where change.printer.serial == serial {
                heard.withLock { $0.changes.append(change) }
            }
            heard.withLock { $0.hasEnded = true }
        }
    }

    var all: [USBBusChange] { heard.withLock(\.changes) }
    var hasEnded: Bool { heard.withLock(\.hasEnded) }

    /// The change with this number, from 0, once it was heard.
    func change(_ number: Int) async throws -> USBBusChange {
        try await eventuallyValue("change \(number) of \(serial)") { all.count > number ? all[number] : nil }
    }
}

extension USBBusChange {
    var printer: USBPrinter {
        switch self {
        case .appeared(let printer), .left(let printer): printer
        }
    }

    var isAppearing: Bool {
        switch self {
        case .appeared: true
        case .left: false
        }
    }
}
