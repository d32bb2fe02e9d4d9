import KioskIPPCodec
import KioskPrintModel

/// Who and where a simulated printer is.
struct PrinterIdentity: Sendable {
    let name: String
    let location: String
    /// The UUID without `urn:uuid:`.
    let uuid: String
    let port: Int
    /// The wall-clock time at the simulation's start.
    let startedAt: Timestamp
    let access: AccessRequirements

    static let path = "/ipp/print"

    var uri: String { "\(access.security == .tls ? "ipps" : "ipp")://localhost:\(port)\(Self.path)" }
    var webPage: String { "\(access.security == .tls ? "https" : "http")://localhost:\(port)/" }

    func uri(ofJob id: Int32) -> String { "\(uri)/\(id)" }

    /// The UUID of a job without `urn:uuid:`: the printer's, whose last part counts its restarts and jobs.
    func uuid(ofJob id: Int32, restarts: Int) -> String {
        func digits(_ number: UInt32, _ count: Int) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        return uuid.dropLast(12) + digits(UInt32(UInt16(truncatingIfNeeded: restarts)), 4)
            + digits(UInt32(bitPattern: id), 8)
    }

    /// The wall-clock time of a moment that counts from the simulation's start.
    func dateTime(_ moment: Duration) -> IPPDateTime {
        IPPDateTime(Timestamp(millisecondsSince1970: startedAt.millisecondsSince1970 + moment.milliseconds))
    }
}

/// What a client needs before the printer serves it. The printer's attributes advertise exactly this.
struct AccessRequirements: Hashable, Sendable {
    enum Security: Hashable, Sendable {
        case none
        case tls
        /// TLS on a connection that starts without it (RFC 2817).
        case upgrade
    }

    var security = Security.none
    /// The `uri-authentication-supported` keyword (RFC 8011 §5.4.2). By default the printer accepts any name.
    var authentication = "requesting-user-name"

    /// The `uri-security-supported` keyword (RFC 8011 §5.4.3).
    var securityKeyword: String { security == .none ? "none" : "tls" }
}

extension IPPDateTime {
    /// A moment in UTC, truncated to tenths of a second.
    fileprivate init(_ moment: Timestamp) {
        // "2026-11-21T03:40:00.123Z": every digit has a fixed position.
        let digits = moment.description.utf8.compactMap { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? UInt16(byte - UInt8(ascii: "0")) : nil
        }
        func number(_ first: Int, _ count: Int) -> UInt16 {
            digits.dropFirst(first).prefix(count).reduce(0) { $0 &* 10 &+ $1 }
        }
        self.init(
            year: number(0, 4), month: UInt8(number(4, 2)), day: UInt8(number(6, 2)), hour: UInt8(number(8, 2)),
            minute: UInt8(number(10, 2)), second: UInt8(number(12, 2)), deciSecond: UInt8(number(14, 1)))
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
