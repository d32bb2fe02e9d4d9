internal import KioskAPI
internal import PrintModel

/// Finds printers that are there, whether anyone saved them or not.
protocol PrinterDiscovery: Sendable {
    /// Those under URLs of a scheme; nil for all. `saved` are the printers of the registry. Throws a `Problem`.
    func printers(_ filter: DiscoveryFilter, saved: [SavedPrinter]) async throws -> [DiscoveredPrinter]
}
