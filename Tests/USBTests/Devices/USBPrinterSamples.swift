import DevicePrinting

@testable import USB

extension USBPrinter {
    /// A receipt printer as one hangs on many tills.
    static func sample(
        serial: String? = "S1", port: String = "1-1", maker: String = "EPSON", model: String = "TM-T20II",
        id: String? = nil,
        isAccessible: Bool = true, protocols: [UInt8] = [2]
    ) -> USBPrinter {
        let interfaces = protocols.enumerated().map { number, proto in
            USBPrinterInterface(
                number: number, alternates: [.sample(proto)],
                deviceID: id.map { DeviceID($0) } ?? DeviceID("MFG:\(maker);MDL:\(model);"))
        }
        let parts = port.split(separator: "-")
        return USBPrinter(
            vendor: 0x04B8, product: 0x0E15,
            port: USBPort(bus: UInt8(parts[0]) ?? 0, ports: parts[1].split(separator: ".").compactMap { UInt8($0) }),
            address: 2,
            manufacturer: maker, productName: model, identity: serial.map { .serial($0) }, interfaces: interfaces,
            isAccessible: isAccessible)
    }
}

extension USBAlternate {
    static func sample(_ proto: UInt8, number: Int = 0) -> USBAlternate {
        USBAlternate(
            number: number, class: 7, subclass: 1, protocol: proto, out: USBEndpoint(address: 1, packet: 512),
            in: proto == 1 ? nil : USBEndpoint(address: 0x82, packet: 512))
    }
}
