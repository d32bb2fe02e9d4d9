package import KioskPrintModel

/// What a `WireTrace` is told about one SSH connection: its steps, its host key and its login, never a password, a key
/// or a document. Several printers may share the connection; those who listen to any of them are told.
package struct ConnectionTrace: Sendable {
    private let trace: WireTrace
    private let printers: @Sendable () -> Set<PrinterURL>

    /// `printers`: those that share the connection at the moment.
    package init(_ trace: WireTrace, of printers: @escaping @Sendable () -> Set<PrinterURL>) {
        self.trace = trace
        self.printers = printers
    }

    /// Nobody listens to this one.
    package init() { self.init(WireTrace()) { [] } }

    func tell(_ message: @autoclosure () -> String) {
        for printer in printers() { trace.tell(.ssh, printer, message()) }
    }

    /// A string from the host, bounded.
    package static func bounded(_ text: String) -> String {
        WireTrace.beginning(of: text, maximum: maximumText)
    }

    private static let maximumText = 256
}
