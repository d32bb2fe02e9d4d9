/// What tells a device from others of its kind where its connection proves nothing: the serial number that it reports,
/// and the hardware address of its network interface.
///
/// Whoever wants to can imitate both. They tell a printer that was moved, exchanged or given another address, and
/// protect against nobody who means harm; for that there is TLS.
public struct DeviceIdentification: Hashable, Sendable, Codable {
    /// Its maker, in its own words: `EPSON`.
    public var make: String?
    /// Its model, in its own words: `TM-T88VI`.
    public var model: String?
    /// Its serial number, in its own words.
    public var serialNumber: String?
    /// The EUI-48 of its network interface, in lower case with colons: `00:26:ab:11:22:33`.
    public var hardwareAddress: String?
    /// The SHA-256 of the serial number, or of the hardware address where it reports none: what is pinned.
    public var fingerprint: Fingerprint

    /// Creates an identification.
    public init(
        make: String? = nil, model: String? = nil, serialNumber: String? = nil, hardwareAddress: String? = nil,
        fingerprint: Fingerprint
    ) {
        self.make = make
        self.model = model
        self.serialNumber = serialNumber
        self.hardwareAddress = hardwareAddress
        self.fingerprint = fingerprint
    }

    /// Whether this is the device that `other` describes: model and serial number decide, or the hardware addresses
    /// where one of both has no serial number. Nil where nothing tells.
    public func isSameDevice(as other: DeviceIdentification) -> Bool? {
        if let serialNumber, let known = other.serialNumber {
            let isSameModel = model == nil || other.model == nil || model == other.model
            return serialNumber == known && isSameModel
        }
        if let hardwareAddress, let known = other.hardwareAddress { return hardwareAddress == known }
        return nil
    }

    enum CodingKeys: String, CodingKey {
        case make, model
        case serialNumber = "serial-number"
        case hardwareAddress = "hardware-address"
        case fingerprint
    }
}

extension DeviceIdentification: CustomStringConvertible {
    /// For messages: `EPSON TM-T88VI, serial number X7FC012345, hardware address 00:26:ab:11:22:33`. Its texts come from
    /// the device: escape them before display.
    public var description: String {
        let name = [make, model].compactMap(\.self).joined(separator: " ")
        let parts = [
            name.isEmpty ? nil : name, serialNumber.map { "serial number \($0)" },
            hardwareAddress.map { "hardware address \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
