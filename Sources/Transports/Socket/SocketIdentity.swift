import Glibc
import KioskDevicePrinting
import KioskDigests
import KioskPrintModel

/// Which device answers over a connection, as far as it was found out.
struct SocketIdentity: Sendable {
    /// Nil where nothing tells it from another.
    var device: DeviceIdentification?
    /// The fingerprints of all that tells it from others.
    private var fingerprints: Set<Fingerprint> = []
    /// Whether it may report a serial number another time: a printer that is stopped reports nothing.
    let isIncomplete: Bool

    /// `ids` is nil where the printer could not be asked; `hardwareAddress` is nil beyond a router.
    init(ids: [EscPosIDRequest: String]?, canReport: Bool, hardwareAddress: String?) {
        isIncomplete = canReport && ids == nil
        let serialNumber = ids?[.serialNumber]
        let proofs = [
            serialNumber.map { "serial-number:" + $0 }, hardwareAddress.map { "hardware-address:" + $0 },
        ].compactMap(\.self).compactMap(Self.fingerprint)
        guard let first = proofs.first else { return }
        fingerprints = Set(proofs)
        device = DeviceIdentification(
            make: ids?[.maker], model: ids?[.model], serialNumber: serialNumber, hardwareAddress: hardwareAddress,
            fingerprint: first)
    }

    /// Nil where OpenSSL provides no SHA-256.
    private static func fingerprint(of text: String) -> Fingerprint? {
        guard let digest = try? MessageDigest(.sha256) else { return nil }
        digest.update(Array(text.utf8))
        return Fingerprint(octets: digest.finish())
    }

    enum Verdict: Equatable {
        case trusted
        /// Another device.
        case changed
        /// It does not report what the known one did.
        case unknown
    }

    /// `known` is the device that was found before.
    func verdict(by trust: Trust, known: DeviceIdentification?) -> Verdict {
        switch trust {
        case .none: return .trusted
        case .pinned(let pins):
            if !fingerprints.isDisjoint(with: pins) { return .trusted }
            return device?.serialNumber == nil ? .unknown : .changed
        default:
            guard let known else { return .trusted }
            if let isSame = device?.isSameDevice(as: known) { return isSame ? .trusted : .changed }
            // Known by its hardware address alone, which is out of sight now: there is nothing to compare.
            return known.serialNumber == nil ? .trusted : .unknown
        }
    }

    /// What is known of a trusted device from now on: what it left out this time was true before.
    func merged(with known: DeviceIdentification?) -> DeviceIdentification? {
        guard var device, let known, device.isSameDevice(as: known) == true, device.serialNumber == nil else {
            return device ?? known
        }
        if let serialNumber = known.serialNumber {
            (device.make, device.model) = (known.make, known.model)
            (device.serialNumber, device.fingerprint) = (serialNumber, known.fingerprint)
        }
        return device
    }
}

/// The hardware addresses of hosts on the same network, which the kernel learns when it connects to one (ARP,
/// RFC 826). It learns none of hosts behind a router, and this reads none of hosts under IPv6.
package enum Neighbors {
    /// The hardware address of a host, by its IPv4 address: `00:26:ab:11:22:33`.
    @Sendable package static func hardwareAddress(of address: String) -> String? {
        guard let file = fopen("/proc/self/net/arp", "re") else { return nil }
        defer { fclose(file) }
        var table: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while table.count < maximumLength {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { break }
            table += chunk[..<count]
        }
        return hardwareAddress(of: address, in: String(decoding: table, as: UTF8.self))
    }

    /// The kernel keeps a thousand entries.
    private static let maximumLength = 1 << 18

    /// Reads the table as the kernel prints it: a heading, then address, hardware type, flags and hardware address.
    static func hardwareAddress(of address: String, in table: String) -> String? {
        for line in table.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            guard columns.count >= 4, columns[0] == address, columns[1] == "0x1" else { continue }
            let flags = UInt32(columns[2].dropFirst("0x".count), radix: 16) ?? 0
            let octets = columns[3].split(separator: ":").compactMap { UInt8($0, radix: 16) }
            // ATF_COM: the host has answered.
            guard flags & 0x2 != 0, octets.count == 6, octets != [0, 0, 0, 0, 0, 0] else { continue }
            return columns[3].lowercased()
        }
        return nil
    }
}
