import PrintModel

/// What requests call the printer.
struct PrinterAddress: Hashable, Sendable {
    /// Of `printer-uri`.
    var uri: String
    /// HTTP's request target.
    var path: String
    /// HTTP's `Host`.
    var host: String

    init(_ url: PrinterURL) {
        uri = url.description
        path = url.path
        host = url.hostField
    }

    private init(uri: String, path: String, host: String) {
        self.uri = uri
        self.path = path
        self.host = host
    }

    /// Behind a connection that leads to one printer and nowhere else: a host of its own ("IPP USB Specification" 1.0
    /// of the USB-IF), and on it the path that every printer has (PWG 5100.14 §4.2).
    static let local = PrinterAddress(uri: "ipp://localhost/ipp/print", path: "/ipp/print", host: "localhost")
}
