public import KioskAPIMessages
public import KioskPrintModel

/// The calls for printers: saved ones and those that are connected, contacts with them, and the keys (of certificates
/// or SSH hosts) that are trusted at their addresses.
extension KioskClient {
    /// Lists saved printers in the registry's order, or in a role's order when the filter names one.
    public func printers(_ filter: PrinterFilter = PrinterFilter()) async throws -> [PrinterStatus] {
        try await perform(.printers(filter)).printers
    }

    /// Lists connected printers, saved or not. Queries those on the USB bus that have not been queried yet, and looks at
    /// the network for the filter's time. `discover` returns them as they are found.
    public func discoveredPrinters(_ filter: DiscoveryFilter = DiscoveryFilter()) async throws -> [DiscoveredPrinter] {
        try await perform(.discoveredPrinters(filter)).printers
    }

    /// Returns a saved printer and its state.
    public func printer(_ id: PrinterID) async throws -> PrinterStatus {
        try await perform(.printer(id))
    }

    /// Saves a new or changed printer.
    public func save(_ change: PrinterChange, as id: PrinterID) async throws -> PrinterStatus {
        try await perform(.save(change, as: id))
    }

    /// Removes a saved printer. Throws a problem `printer-in-use` while a role names it.
    public func removePrinter(_ id: PrinterID) async throws {
        try await perform(.removePrinter(id))
    }

    /// Queries a printer's presence, state and capabilities. If it does not respond, its availability says so; that is
    /// not an error.
    public func contact(_ id: PrinterID) async throws -> PrinterStatus {
        try await perform(.contact(id))
    }

    /// Has a printer show which one it is: by light, sound, or the message on its panel, as it can. For operators.
    /// Throws a problem `identification-not-supported` when it has no way to.
    public func identify(_ id: PrinterID, message: String? = nil) async throws -> PrinterIdentification {
        try await perform(.identify(id, IdentifyParameters(message: message)))
    }

    /// Contacts a printer once as it would be saved, and returns what that showed; nothing is saved. For administrators.
    public func probe(_ request: ProbeRequest) async throws -> ProbeReport {
        try await perform(.probe(request))
    }

    /// Returns the printers that are or were saved, each URL once, the last change first. For administrators.
    public func recentPrinters() async throws -> RecentPrinterList { try await perform(.recentPrinters()) }

    /// Returns the certificate or host key that the printer shows now, and whether it is trusted. Throws a problem
    /// `printer-unreachable` when the printer does not respond.
    public func inspectTrust(of id: PrinterID) async throws -> PrinterTrust {
        try await perform(.inspectTrust(of: id))
    }

    /// Trusts a key at the printer's address from now on, and contacts the printer. The daemon reads the printer's key
    /// once more: it throws a problem `certificate-mismatch` when the printer shows another key now, and `key-revoked`
    /// when the key must not be trusted.
    public func trust(_ keyFingerprint: Fingerprint, of id: PrinterID) async throws -> PrinterStatus {
        try await perform(.trust(keyFingerprint, of: id))
    }
}
