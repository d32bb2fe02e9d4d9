public import PrintModel

/// The answer of `GET /v1/printers`, in the registry's order.
public struct PrinterList: Hashable, Sendable, Codable {
    public var printers: [PrinterStatus]
    public init(printers: [PrinterStatus]) { self.printers = printers }
}
