extension SNMPMessage {
    /// The message as it goes over the wire.
    package var encoded: [UInt8] {
        let list = variables.map { BER.element(BERReader.Tag.sequence, BER.name($0.name) + $0.value.encoded) }
        let body =
            BER.integer(Int64(requestID)) + BER.integer(Int64(errorStatus.rawValue)) + BER.integer(Int64(errorIndex))
            + BER.element(BERReader.Tag.sequence, Array(list.joined()))
        return BER.element(
            BERReader.Tag.sequence,
            BER.integer(version.rawValue) + BER.element(BERReader.Tag.octetString, community)
                + BER.element(kind.rawValue, body))
    }
}

extension SNMPValue {
    fileprivate var encoded: [UInt8] {
        switch self {
        case .null: BER.element(BERReader.Tag.null, [])
        case .integer(let value): BER.integer(value)
        case .octets(let octets): BER.element(BERReader.Tag.octetString, octets)
        case .name(let name): BER.name(name)
        case .unsigned(let syntax, let value): BER.unsigned(syntax.rawValue, value)
        case .other(let tag, let content): BER.element(tag, content)
        case .noSuchObject: BER.element(Exception.noSuchObject, [])
        case .noSuchInstance: BER.element(Exception.noSuchInstance, [])
        case .endOfMibView: BER.element(Exception.endOfMibView, [])
        }
    }
}

/// Writes elements of the Basic Encoding Rules (ITU-T X.690 §8), each in its shortest form.
private enum BER {
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = significant(UInt64(content.count))
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    static func integer(_ value: Int64) -> [UInt8] {
        var octets = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }[...]
        // X.690 §8.3.2: the first nine bits are never all the same.
        while octets.count > 1, let first = octets.first {
            let isSign = first == 0 && octets[octets.startIndex + 1] < 0x80
            let isNegativeSign = first == 0xFF && octets[octets.startIndex + 1] >= 0x80
            guard isSign || isNegativeSign else { break }
            octets = octets.dropFirst()
        }
        return element(BERReader.Tag.integer, Array(octets))
    }

    static func unsigned(_ tag: UInt8, _ value: UInt64) -> [UInt8] {
        let octets = significant(value)
        return element(tag, (octets.first ?? 0) >= 0x80 ? [0] + octets : octets)
    }

    static func name(_ name: OID) -> [UInt8] {
        let root = name.components.first ?? 0
        let second = name.components.dropFirst().first ?? 0
        // Beyond what X.690 §8.19.4 can hold, which no name of ours is.
        var content = groups(UInt64(min(root, 2)) * 40 + UInt64(second))
        for component in name.components.dropFirst(2) { content += groups(UInt64(component)) }
        return element(BERReader.Tag.objectIdentifier, content)
    }

    /// Groups of seven bits, all but the last with the highest bit set.
    private static func groups(_ value: UInt64) -> [UInt8] {
        var groups = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            groups.insert(0x80 | UInt8(rest & 0x7F), at: 0)
            rest >>= 7
        }
        return groups
    }

    /// The octets of a number without the zeros before it; one where it is zero.
    private static func significant(_ value: UInt64) -> [UInt8] {
        let octets = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        return Array(octets.drop { $0 == 0 }.isEmpty ? octets.suffix(1) : octets.drop { $0 == 0 })
    }
}
