package import KioskDevicePrinting
package import KioskPrintModel

/// A USB printer that was found in a scan of the bus.
package struct USBPrinter: Hashable, Sendable {
    package var vendor: UInt16
    package var product: UInt16
    package var port: USBPort
    /// The device address, which changes with each plugging in.
    package var address: UInt8
    /// The strings of its descriptor.
    package var manufacturer: String?
    package var productName: String?
    /// The identity that distinguishes it from others; nil where only make and model are known.
    package var identity: DeviceIdentity?
    package var warning: Warning?
    package var interfaces: [USBPrinterInterface]
    /// Whether this process may open its node.
    package var isAccessible: Bool

    /// Why its URL does not identify it at every port.
    package enum Warning: Hashable, Sendable {
        case noSerialNumber
        /// Another printer has the same serial number.
        case sharedSerialNumber
        /// Its serial number is not text; the hexadecimal digits of its bytes replace it.
        case malformedSerialNumber
    }

    /// The device node of the printer.
    package var node: String { "/dev/bus/usb/\(Self.threeDigits(port.bus))/\(Self.threeDigits(address))" }

    private static func threeDigits(_ number: UInt8) -> String {
        let text = String(number)
        return String(repeating: "0", count: 3 - text.utf8.count) + text
    }

    /// The device id of the interface for raw printing, else the first one.
    package var deviceID: DeviceID? {
        choice(for: .raw)?.interface.deviceID ?? interfaces.lazy.compactMap(\.deviceID).first
    }

    /// Make and model as people write them.
    package var makeAndModel: String { "\(names.maker) \(names.model)" }

    /// Maker and model as in its URL.
    package var names: (maker: String, model: String) {
        deviceID?.names(product: productName, vendor: manufacturer) ?? descriptorNames
    }

    /// Maker and model without its device id, which this process cannot request until it has the rights.
    fileprivate var descriptorNames: (maker: String, model: String) {
        DeviceID("").names(product: productName, vendor: manufacturer)
            ?? ("Unknown", USBModel(vendor: vendor, product: product).description)
    }

    /// Where and what it is, for a trace.
    var summary: String {
        let id = deviceID.map { "device id \(DeviceTrace.bounded($0.description))" } ?? "no device id"
        return "\(makeAndModel) at port \(port) as \(node), \(id)"
    }

    /// The identity that determines its profile; `profile` is the one that it was saved with.
    func identity(profile: String?) -> PrinterIdentity {
        PrinterIdentity(profile: profile, makeAndModel: makeAndModel, deviceID: deviceID?.description)
    }

    /// Whether its URL may change once this process may open it. The kernel shows a serial number as text; one that is
    /// none differs from its bytes, which stand in the URL.
    package var hasProvisionalURL: Bool {
        guard !isAccessible, case .malformedSerial? = identity else { return false }
        return true
    }

    /// The URL to save it under.
    package var url: PrinterURL? { PrinterURL(maker: names.maker, model: names.model, identity: identity) }
}

extension USBPrinter {
    /// The use of an interface.
    package enum Use: Hashable, Sendable {
        /// Raw documents, with the back-channel where there is one.
        case raw
        /// HTTP (protocol 4). A printer has several of these interfaces, each for one exchange at a time.
        case ippOverUSB
    }

    package typealias Choice = (interface: USBPrinterInterface, alternate: USBAlternate)

    /// The best interface and alternate setting for a use: with a back-channel before without, and the printer class
    /// before a vendor-specific one. `number` is the interface that the URL names.
    package func choice(for use: Use, interface number: Int? = nil) -> Choice? {
        choices(for: use, interface: number).first
    }

    /// All interfaces for a use, the best first, each with its best alternate setting.
    package func choices(for use: Use, interface number: Int? = nil) -> [Choice] {
        interfaces.filter { number == nil || $0.number == number }
            .compactMap { interface -> (choice: Choice, rank: Int)? in
                let ranked = interface.alternates.compactMap { alternate in
                    Self.rank(alternate, for: use).map { (alternate, $0) }
                }
                guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
                return ((interface, best.0), best.1)
            }
            .sorted { ($0.rank, $0.choice.interface.number) < ($1.rank, $1.choice.interface.number) }
            .map(\.choice)
    }

    /// The rank of an alternate setting, lowest best; nil where it is unsuitable.
    private static func rank(_ alternate: USBAlternate, for use: Use) -> Int? {
        switch (use, alternate.kind) {
        case (.raw, .bidirectional): alternate.in != nil ? 0 : 1
        case (.raw, .unidirectional): 2
        case (.raw, .vendor): 3
        case (.ippOverUSB, .ippOverUSB): alternate.in != nil ? 0 : nil
        default: nil
        }
    }
}

extension USBPrinter {
    /// Finds the printer that a URL names among those that are plugged in.
    ///
    /// Maker and model must match except for letter case: those of the device id, or else those of the descriptor,
    /// which are in URLs from a time when this process had no rights. A serial number must match that of the
    /// descriptor, or else that of the device id, which CUPS prefers. A port must match. Parts that the URL omits may
    /// have any value as long as only one printer matches.
    package static func find(_ url: PrinterURL, among printers: [USBPrinter]) throws(USBOpenError) -> USBPrinter {
        let port = url.usbQueryItem("port")
        let serial = url.usbQueryItem("serial")
        let candidates = printers.filter { port == nil || $0.port.description == port }
        var found = candidates.filter { $0.isNamed(by: url) }.with(serial)
        if found.isEmpty { found = candidates.filter { $0.isNamedByDescriptor(in: url) }.with(serial) }
        if let first = found.first, found.count == 1 { return first }
        if found.count > 1 {
            let urls = found.compactMap(\.url)
            throw USBOpenError(.ambiguous(urls), operation: "find", reason: "\(found.count) printers match this URL")
        }
        // The names of a printer that may not be opened are not all known.
        let hidden = printers.first {
            !$0.isAccessible && (port == nil || $0.port.description == port) && $0.couldHave(serial)
        }
        if let hidden { throw hidden.accessDenied(operation: "libusb_open") }
        throw USBOpenError(.notFound, operation: "find", reason: "no printer of this URL is plugged in")
    }

    /// The serial number of its descriptor, or its hexadecimal digits.
    package var serial: String? {
        switch identity {
        case .serial(let serial)?, .malformedSerial(let serial)?: serial
        case .port(_, let serial)?: serial
        case nil: nil
        }
    }

    private func couldHave(_ wanted: String?) -> Bool { wanted == nil || serial == nil || serial == wanted }

    /// Whether the URL names any of its interfaces: CUPS names each by that interface's device id.
    private func isNamed(by url: PrinterURL) -> Bool {
        url.hasUSBNames(names)
            || interfaces.contains {
                $0.deviceID?.names(product: productName, vendor: manufacturer).map(url.hasUSBNames) ?? false
            }
    }

    private func isNamedByDescriptor(in url: PrinterURL) -> Bool { url.hasUSBNames(descriptorNames) }
}

extension [USBPrinter] {
    /// Those with a serial number; all for nil.
    fileprivate func with(_ serial: String?) -> [USBPrinter] {
        guard let serial else { return self }
        let own = filter { $0.serial == serial }
        return own.isEmpty ? filter { $0.interfaces.contains { $0.deviceID?.serialNumber == serial } } : own
    }
}

extension PrinterURL {
    /// The interface number that a `usb` URL names; nil where it names none.
    var usbInterface: Int? { usbQueryItem("interface").flatMap { Int($0) } }

    /// Whether maker and model of a `usb` URL are these, except for letter case.
    fileprivate func hasUSBNames(_ names: (maker: String, model: String)) -> Bool {
        names.maker.lowercased() == host.lowercased()
            && names.model.lowercased() == PercentEncoding.decode(path.dropFirst())?.lowercased()
    }
}

extension [USBPrinter] {
    /// Adds the port to the URLs of printers that would otherwise have the same URL.
    mutating func distinguishByPort() {
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

/// The place where a device is plugged in: the bus, and the ports from its root hub on. Linux's name of it is `1-2.4`
/// (Documentation/ABI/stable/sysfs-bus-usb). It stays the same when a device is unplugged and plugged in again.
package struct USBPort: Hashable, Sendable, CustomStringConvertible {
    package var bus: UInt8
    package var ports: [UInt8]

    package init(bus: UInt8, ports: [UInt8]) {
        self.bus = bus
        self.ports = ports
    }

    /// Reads `1-2.4`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let bus = UInt8(parts[0]) else { return nil }
        let ports = parts[1].split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard ports.allSatisfy({ $0 != nil }) else { return nil }
        self.init(bus: bus, ports: ports.compactMap(\.self))
    }

    package var description: String { "\(bus)-\(ports.map(String.init).joined(separator: "."))" }
}

extension USBPort: Comparable {
    package static func < (left: USBPort, right: USBPort) -> Bool {
        left.bus != right.bus ? left.bus < right.bus : left.ports.lexicographicallyPrecedes(right.ports)
    }
}

/// An interface of a printer. Each is owned and driven separately.
package struct USBPrinterInterface: Hashable, Sendable {
    package var number: Int
    package var alternates: [USBAlternate]
    /// The alternate setting whose device id is requested. Only the owner may send requests to one of a vendor-specific
    /// class, and few would respond.
    package var deviceIDAlternate: USBAlternate? { alternates.first { $0.kind != .vendor } }
    /// The response to GET_DEVICE_ID; nil where it was not requested, or there was none.
    package var deviceID: DeviceID?
    /// The owner; nil while it is free.
    package var owner: Owner?

    package enum Owner: Hashable, Sendable {
        /// A kernel driver, `usblp`: it is detached for a connection and reattached afterwards.
        case kernel(String)
        /// Another program, which keeps the interface.
        case program
        case thisProcess
    }
}

/// An alternate setting of an interface, with the bulk endpoints that a printer is driven by.
package struct USBAlternate: Hashable, Sendable {
    package var number: Int
    package var `class`: UInt8
    package var subclass: UInt8
    package var `protocol`: UInt8
    package var out: USBEndpoint
    /// Nil where it cannot respond.
    package var `in`: USBEndpoint?

    package var kind: Kind? {
        switch (`class`, subclass, `protocol`) {
        case (7, 1, 1): .unidirectional
        case (7, 1, 2): .bidirectional
        case (7, 1, 4): .ippOverUSB
        case (0xFF, _, _): .vendor
        default: nil
        }
    }

    /// The kind of an alternate setting, by the protocols of the printer class (USB printer class 1.1 §4.1; IPP over
    /// USB 1.0).
    package enum Kind: Hashable, Sendable {
        case unidirectional
        case bidirectional
        case ippOverUSB
        /// A vendor-specific class, which some receipt printers have in place of the printer class.
        case vendor
    }
}

/// A bulk endpoint.
package struct USBEndpoint: Hashable, Sendable {
    /// The address, with bit 7 set for the direction to the host.
    package var address: UInt8
    /// The packet size in bytes.
    package var packet: Int

    package init(address: UInt8, packet: Int) {
        self.address = address
        self.packet = packet
    }
}
