import KioskPrintModel

/// A printer's service as DNS-SD resolved it (RFC 6763; the TXT keys are those of Bonjour Printing 1.2.1).
package struct DNSSDService: Hashable, Sendable {
    /// The service's name, which people gave it.
    package var name: String
    /// The service's type: `_ipp._tcp`.
    package var type: String
    package var hostName: String
    /// The numeric address; with its zone where it is an IPv6 address of one link.
    package var address: String
    package var port: Int
    /// The strings of the TXT record.
    package var text: [[UInt8]]

    package init(
        name: String, type: String, hostName: String, address: String, port: Int, text: [[UInt8]]
    ) {
        (self.name, self.type, self.hostName) = (name, type, hostName)
        (self.address, self.port, self.text) = (address, port, text)
    }

    /// The types that are looked for.
    package static let types = ["_ipps._tcp", "_ipp._tcp", "_pdl-datastream._tcp", "_printer._tcp"]

    /// RFC 6763 §6.2 advises against records beyond 1,300 bytes: no printer needs this many keys.
    package static let maximumKeys = 64

    /// The printer; nil where the service is none that can be saved.
    package var finding: NetworkFinding? {
        let keys = keys
        // Port 0 says that the name is taken, but not the service (Bonjour Printing §4).
        guard (1...65535).contains(port), let url = url(path: keys["rp"]) else { return nil }
        let make = keys["usb_mfg"].flatMap { ReceivedText.clean($0) }
        let model =
            keys["usb_mdl"].flatMap { ReceivedText.clean($0) } ?? keys["ty"].flatMap { ReceivedText.clean($0) }
            ?? keys["product"].flatMap {
                ReceivedText.clean($0.filter { $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") })
            }
        var finding = NetworkFinding(
            url: url, address: address, makeAndModel: makeAndModel(keys["ty"], make, model) ?? "Printer", model: model,
            source: .dnsSD)
        let host = hostName.hasSuffix(".") ? String(hostName.dropLast()) : hostName
        finding.hostName = ReceivedText.clean(host.lowercased().utf8)
        finding.uuid = keys["uuid"].flatMap { ReceivedText.clean($0) }.flatMap(Self.uuid)
        finding.location = keys["note"].flatMap { ReceivedText.clean($0) }
        finding.formats = Self.formats(keys["pdl"])
        return finding
    }

    /// The keys in lower case with their values (RFC 6763 §6.4): of a key that stands twice the first counts.
    private var keys: [String: ArraySlice<UInt8>] {
        var keys: [String: ArraySlice<UInt8>] = [:]
        for string in text.prefix(Self.maximumKeys) {
            guard let equals = string.firstIndex(of: UInt8(ascii: "=")), (1...32).contains(equals) else { continue }
            let key = String(decoding: string[..<equals], as: UTF8.self).lowercased()
            if keys[key] == nil { keys[key] = string[(equals + 1)...] }
        }
        return keys
    }

    private func makeAndModel(_ type: ArraySlice<UInt8>?, _ make: String?, _ model: String?) -> String? {
        if let type = type.flatMap({ ReceivedText.clean($0) }) { return type }
        guard let model else { return make ?? ReceivedText.clean(name.utf8) }
        guard let make, !model.lowercased().hasPrefix(make.lowercased()) else { return model }
        return ReceivedText.clean("\(make) \(model)".utf8)
    }

    private func url(path: ArraySlice<UInt8>?) -> PrinterURL? {
        let path = String(decoding: (path ?? []).prefix(255).drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
        let place = "\(NetworkFinding.urlHost(address)):\(port)"
        let encoded = PercentEncoding.encode(path) { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }
        let text: String? =
            switch type {
            case "_ipps._tcp": "ipps://\(place)/\(encoded.isEmpty ? "ipp/print" : encoded)"
            case "_ipp._tcp": "ipp://\(place)/\(encoded.isEmpty ? "ipp/print" : encoded)"
            case "_pdl-datastream._tcp": "socket://\(place)"
            // "auto" is the queue of a printer that names none.
            case "_printer._tcp": "lpd://\(place)/\(encoded.isEmpty ? "auto" : encoded)"
            default: nil
            }
        return text.flatMap { try? PrinterURL($0) }
    }

    /// A UUID in lower case and without its prefix; nil for what is none (RFC 9562 §4).
    private static func uuid(_ text: String) -> String? {
        let lower = text.lowercased()
        let digits = lower.hasPrefix("urn:uuid:") ? String(lower.dropFirst(9)) : lower
        let isUUID =
            digits.utf8.count == 36
            && digits.utf8.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index)
                    ? byte == UInt8(ascii: "-") : "0123456789abcdef".utf8.contains(byte)
            }
        return isUUID && digits.contains(where: { $0 != "0" && $0 != "-" }) ? digits : nil
    }

    private static func formats(_ list: ArraySlice<UInt8>?) -> [String] {
        let names = (list ?? []).split(separator: UInt8(ascii: ","), maxSplits: 16).prefix(16)
        return names.compactMap { ReceivedText.clean($0) }.filter { $0.contains("/") && $0.utf8.count <= 64 }
    }
}
