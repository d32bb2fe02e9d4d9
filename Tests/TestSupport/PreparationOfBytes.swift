package import KioskPrintModel

extension DocumentPreparation {
    /// Checks a document in memory.
    package func check(
        _ document: [UInt8], as format: DocumentFormat, with ticket: Ticket, rights: CallerRights,
        for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> CheckedDocument {
        try await check(
            PrintDocument(format: format, body: .bytes(document)), with: ticket, rights: rights, for: printers)
    }

    /// Prepares a document in memory.
    package func prepare(
        _ document: [UInt8], _ checked: CheckedDocument?, as format: DocumentFormat, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument {
        try await prepare(
            PrintDocument(format: format, body: .bytes(document)), checked, with: ticket, isCopy: isCopy, for: printer)
    }
}

extension PrintDocument {
    /// The bytes of a document in memory; none of any other.
    package var bytesInMemory: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }
}
