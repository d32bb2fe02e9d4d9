extension DeviceID {
    /// Reads the reply to GET_DEVICE_ID (USB printer class 1.1 §4.2.1): two bytes of length, then the id. Nil when no
    /// id is in it.
    ///
    /// The length is big-endian and counts itself. Some printers send it little-endian, some leave themselves out of
    /// it, some send nonsense: so it only cuts off what stands behind the id, and only where it can be right.
    package init?(reply: [UInt8]) {
        let bytes = reply.prefix(Self.maximumLength + Self.lengthBytes)
        guard bytes.count > Self.lengthBytes else { return nil }
        let text = bytes.dropFirst(Self.lengthBytes)
        let (high, low) = (Int(bytes[0]), Int(bytes[1]))
        // Without its own two bytes, or with them: whichever ends on a field's end; else the longer.
        let claims = [high << 8 | low, low << 8 | high].first { Self.canBeLength($0, of: text.count) }
        let id: DeviceID
        if let claims {
            let inclusive = text.prefix(claims - Self.lengthBytes)
            let exclusive = text.prefix(claims)
            id = DeviceID(inclusive.last == UInt8(ascii: ";") ? inclusive : exclusive)
        } else if text.first.map({ $0 >= 0x20 }) == true {
            id = DeviceID(text.prefix { $0 != 0 })
        } else {
            return nil
        }
        guard !id.fields.isEmpty else { return nil }
        self = id
    }

    private static let lengthBytes = 2
    /// "MFG:x;MDL:y;" and the length in front: what CUPS takes for the shortest (`get_device_id`).
    private static let shortestLength = 14

    /// A length may be longer than what came by its own two bytes only.
    private static func canBeLength(_ length: Int, of count: Int) -> Bool {
        length >= shortestLength && length <= count + lengthBytes
    }
}
