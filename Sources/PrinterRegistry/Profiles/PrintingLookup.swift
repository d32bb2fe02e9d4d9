public import PrintModel
import Synchronization

/// What printers are sent, as a library's profiles say: looked up once for each printer, since all patterns of all
/// profiles are tried for it, and each receipt asks.
public final class PrintingLookup: Sendable {
    private let profiles: ProfileLibrary?
    private let known = Mutex<[PrinterIdentity: PrintingSettings?]>([:])

    /// Identities are printers' own words, which may change with every contact: beyond so many all are forgotten.
    static let most = 256

    public init(_ profiles: ProfileLibrary?) { self.profiles = profiles }

    /// Nil where no profile knows.
    public func settings(for printer: PrinterIdentity) -> PrintingSettings? {
        if let known = known.withLock({ $0[printer] }) { return known }
        let settings = profiles?.printing(for: printer)?.settings
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[printer] = .some(settings)
        }
        return settings
    }

    var knownCount: Int { known.withLock(\.count) }
}
