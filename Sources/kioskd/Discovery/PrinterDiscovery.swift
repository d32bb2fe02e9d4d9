import KioskAPI
import PrintModel

/// Finds printers that are there, whether anyone saved them or not.
protocol PrinterDiscovery: Sendable {
    /// All of them. `saved` are the printers of the registry. Throws a `Problem`.
    func printers(saved: [SavedPrinter]) async throws -> [DiscoveredPrinter]
}
