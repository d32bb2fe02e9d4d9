import KioskPrintModel
import Synchronization

/// The saved printers that take raw data and whose devices are known by their hardware address: one that stands at
/// another address now is recognised there. Nothing follows it by itself.
struct MovedPrinters: Sendable {
    private let printers: [(saved: SavedPrinter, hardwareAddress: String)]
    /// The hardware address of a host on the same network; nil where the kernel does not know it.
    private let hardwareAddress: @Sendable (_ address: String) -> String?

    /// `statuses` are those of the saved printers.
    init(_ statuses: [PrinterStatus], hardwareAddress: @escaping @Sendable (_ address: String) -> String?) {
        printers = statuses.compactMap { status in
            // A name is resolved anew for each connection, and leads to the new address by itself.
            guard status.printer.url.scheme == .socket, status.printer.url.hasNumericHost,
                let known = status.description?.learned?.device?.hardwareAddress
            else { return nil }
            return (status.printer, known)
        }
        self.hardwareAddress = hardwareAddress
    }

    /// A printer at another address than the one it is saved with.
    struct Move: Sendable {
        var saved: SavedPrinter
        var url: PrinterURL

        /// What is said of it, with the command that saves it at its new address as it is saved now.
        var warning: String {
            """
            it is saved as \(saved.id) at \(saved.url), and stands at another address now; save it there: \
            kioskctl printers add \(saved.id) \(ShellText.quoted(url.description)) --replace\(options)
            """
        }

        private var options: String {
            let values = [
                ("name", saved.name), ("location", saved.location), ("profile", saved.profile),
                ("job-types", saved.jobTypes?.keywords.joined(separator: ",")), ("credentials", saved.credentials),
                ("trust", saved.trust?.description),
            ]
            return values.map { name, value in value.map { " --\(name) \(ShellText.quoted($0))" } ?? "" }.joined()
        }
    }

    /// The saved printer whose device stands at one of these addresses.
    func move(to addresses: [String]) -> Move? {
        guard !printers.isEmpty else { return nil }
        for address in addresses {
            guard let found = hardwareAddress(address) else { continue }
            for printer in printers where printer.hardwareAddress == found && printer.saved.url.host != address {
                guard let url = printer.saved.url.moved(to: address) else { continue }
                return Move(saved: printer.saved, url: url)
            }
        }
        return nil
    }
}

/// The moves that searches have found while the daemon runs, for the health check. Nothing is searched for it.
final class FoundMoves: Sendable {
    private let moves = Mutex<[PrinterID: MovedPrinters.Move]>([:])

    func note(_ move: MovedPrinters.Move) { moves.withLock { $0[move.saved.id] = move } }

    /// The checks of those that are still saved at their old address.
    func checks(saved: [SavedPrinter]) -> [HealthReport.Check] {
        moves.withLock { moves in
            moves = moves.filter { id, move in saved.contains { $0.id == id && $0.url == move.saved.url } }
            return moves.values.sorted { $0.saved.id.rawValue < $1.saved.id.rawValue }.map {
                HealthReport.Check(
                    code: "printer-moved", subject: $0.saved.id.rawValue, status: .warning, message: $0.warning)
            }
        }
    }
}

extension PrinterURL {
    fileprivate var hasNumericHost: Bool {
        host.utf8.contains(UInt8(ascii: ":"))
            || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The same service at an IPv4 address.
    fileprivate func moved(to address: String) -> PrinterURL? {
        try? PrinterURL("\(scheme.name)://\(address)\(port.map { ":\($0)" } ?? "")")
    }
}

/// Texts as a shell takes them.
private enum ShellText {
    static func quoted(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }
}
