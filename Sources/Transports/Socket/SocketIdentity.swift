import Glibc
import KioskDevicePrinting
import KioskDigests
import KioskPrintModel

/// Which device answers over a connection, as far as it was found out.
struct SocketIdentity: Sendable {
    /// Nil where nothing tells it from another.
    var device: DeviceIdentification?
    /// Whether it was asked for all that it can say. A printer that is stopped says nothing of itself.
    var isComplete: Bool

    /// `texts` is nil where the printer could not be asked; `hardwareAddress` is nil beyond a router.
    init(texts: [EscPosText: String]?, canSayTexts: Bool, hardwareAddress: String?) {
        isComplete = texts != nil || !canSayTexts
        let serialNumber = texts?[.serialNumber]
        guard let proof = serialNumber.map({ "serial-number:" + $0 }) ?? hardwareAddress.map({ "hardware-address:" + $0 }),
            let fingerprint = Self.fingerprint(of: proof)
        else { return }
        device = DeviceIdentification(
            make: texts?[.maker], model: texts?[.model], serialNumber: serialNumber, hardwareAddress: hardwareAddress,
            fingerprint: fingerprint)
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
        /// It does not say what the known one did.
        case unknown
    }

    /// `known` is the device that was found before.
    func judged(by trust: Trust, known: DeviceIdentification?) -> Verdict {
        switch trust {
        case .none: return .trusted
        case .pinned(let pins):
            guard let device else { return .unknown }
            return pins.contains(device.fingerprint) ? .trusted : isComplete ? .changed : .unknown
        default:
            guard let known else { return .trusted }
            switch device?.isSameDevice(as: known) {
            case true?: return .trusted
            case false?: return .changed
            case nil: return .unknown
            }
        }
    }
}

/// The hardware addresses of hosts on the same network, which the kernel learns when it connects to one (ARP,
/// RFC 826). It learns none of hosts behind a router, and this reads none of hosts under IPv6.
enum Neighbors {
    /// The hardware address of a host, by its IPv4 address: `00:26:ab:11:22:33`.
    @Sendable static func hardwareAddress(of address: String) -> String? {
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
            guard flags & 0x2 != 0, octets.count == 6, octets != [0, 0, 0, 0, 0, 0] else { return nil }
            return columns[3].lowercased()
        }
        return nil
    }
}
