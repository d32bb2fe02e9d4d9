import DevicePrinting
package import PrintModel

extension USBPrinter {
    /// The printer that a URL names, among those that are plugged in.
    ///
    /// Maker and model must be the same but for letter case. A serial number must be the same, or else be that of the
    /// device id, which CUPS prefers. A port must be the same. What the URL leaves out may be anything as long as one
    /// printer is left.
    package static func find(_ url: PrinterURL, among printers: [USBPrinter]) throws(USBOpenError) -> USBPrinter {
        let port = url.usbQueryItem("port")
        let serial = url.usbQueryItem("serial")
        let named = printers.filter { $0.isNamed(by: url) && (port == nil || $0.port.description == port) }
        var found = serial == nil ? named : named.filter { $0.serial == serial }
        if found.isEmpty { found = named.filter { $0.interfaces.contains { $0.deviceID?.serialNumber == serial } } }
        if let first = found.first, found.count == 1 { return first }
        if found.count > 1 {
            let urls = found.compactMap(\.url)
            throw USBOpenError(.ambiguous(urls), operation: "find", reason: "\(found.count) printers fit this URL")
        }
        // One that may not be opened has not told all its names.
        let hidden = printers.first {
            !$0.isAccessible && (port == nil || $0.port.description == port) && $0.couldHave(serial)
        }
        if let hidden { throw hidden.accessDenied(operation: "libusb_open") }
        throw USBOpenError(.notFound, operation: "find", reason: "no printer of this URL is plugged in")
    }

    func accessDenied(operation: String, code: LibUSBCode = .accessDenied) -> USBOpenError {
        USBOpenError(
            .accessDenied(node: node), operation: operation, code: code.value,
            reason: "this program may not open \(node)")
    }

    /// What its descriptor says, or the digits of it.
    package var serial: String? {
        switch identity {
        case .serial(let serial)?, .malformedSerial(let serial)?: serial
        case .port(_, let serial)?: serial
        case nil: nil
        }
    }

    private func couldHave(_ wanted: String?) -> Bool { wanted == nil || serial == nil || serial == wanted }

    /// By any of its interfaces: CUPS names each by its own device id.
    private func isNamed(by url: PrinterURL) -> Bool {
        let maker = url.host.lowercased()
        guard let model = PercentEncoding.decode(url.path.dropFirst())?.lowercased() else { return false }
        func fits(_ names: (maker: String, model: String)?) -> Bool {
            names.map { $0.maker.lowercased() == maker && $0.model.lowercased() == model } ?? false
        }
        return fits(names)
            || interfaces.contains { fits($0.deviceID?.names(product: productName, vendor: manufacturer)) }
    }
}

extension [USBPrinter] {
    /// Those that nothing else tells apart get where they are plugged in into their URL.
    mutating func tellApart() {
        let alike = Dictionary(grouping: indices) {
            [self[$0].names.maker, self[$0].names.model, self[$0].serial ?? ""]
        }
        for (key, group) in alike where group.count > 1 {
            for index in group {
                let port = self[index].port.description
                self[index].identity = self[index].identity?.shared(at: port) ?? .port(path: port, serial: nil)
                if !key[2].isEmpty { self[index].warning = .sharedSerialNumber }
            }
        }
    }
}
