import KioskDurableFiles
package import KioskPrintModel

/// A printer that is saved, or was: what a form offers where somebody adds one.
package struct RecentPrinter: Hashable, Sendable {
    /// The printer as it was saved last under this URL.
    package var printer: SavedPrinter
    /// Whether a printer is saved under this URL now.
    package var isSaved: Bool

    package init(_ printer: SavedPrinter, isSaved: Bool) {
        self.printer = printer
        self.isSaved = isSaved
    }
}

extension RegistryStore {
    /// The printers of this registry and of its versions, each URL once, at most `limit`: what was saved or removed last
    /// comes first.
    package func recentPrinters(limit: Int) -> [RecentPrinter] {
        let versions = RegistryVersions(path: path)
        let contents = ((try? versions.numbers()) ?? []).compactMap { number in
            try? ProtectedFile.read(versions.path(of: number), limit: YAMLLimits.maximumLength)
        }
        // A profile may be gone by now; that does not matter here.
        let older = contents.compactMap { try? RegistryReader.read($0, file: path, profiles: nil).registry.printers }
        return RecentPrinters.list(saved: registry.printers, versions: older, limit: limit)
    }
}

/// The order of recently used printers; no I/O.
enum RecentPrinters {
    /// `versions`: the printers of each version of the registry, the newest first.
    static func list(saved: [SavedPrinter], versions: [[SavedPrinter]], limit: Int) -> [RecentPrinter] {
        var list: [RecentPrinter] = []
        var seen: Set<PrinterURL> = []
        func add(_ printer: SavedPrinter) {
            guard list.count < limit, seen.insert(printer.url).inserted else { return }
            list.append(RecentPrinter(printer, isSaved: saved.contains { $0.url == printer.url }))
        }
        for (newer, older) in zip([saved] + versions, versions + [[]]) {
            let (new, old) = (Set(newer.map(\.url)), Set(older.map(\.url)))
            // Removed by this change, then saved by it; a later line of the file was saved later.
            for printer in older.reversed() where !new.contains(printer.url) { add(printer) }
            for printer in newer.reversed() where !old.contains(printer.url) { add(printer) }
        }
        return list
    }
}
