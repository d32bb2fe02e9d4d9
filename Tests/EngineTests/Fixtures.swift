import KioskPrintModel

@testable import KioskEngine

extension PrinterID {
    static func test(_ text: String) -> PrinterID { PrinterID(rawValue: text)! }
}

extension RoleName {
    static func test(_ text: String) -> RoleName { RoleName(rawValue: text)! }
}

extension SavedPrinter {
    static func test(_ id: String, host: String = "192.0.2.1", jobTypes: JobTypes? = nil) -> SavedPrinter {
        SavedPrinter(id: .test(id), url: try! PrinterURL("ipp://\(host)/ipp/\(id)"), jobTypes: jobTypes)
    }
}

extension PrinterDescription {
    static let receiptPrinter = PrinterDescription(
        jobTypes: [.receipt, .roll], formats: [.plainText, .octetStream]
    )
    static let labelPrinter = PrinterDescription(jobTypes: [.label], formats: [.zpl, .octetStream])
}

extension WaitingJob {
    static func test(
        _ id: Int64, role: String = "receipt", format: DocumentFormat = .plainText, priority: Int = 50
    ) -> WaitingJob {
        WaitingJob(
            id: id, destination: .role(.test(role)), format: format, priority: priority, expiresAt: .distantFuture)
    }
}

extension Timestamp {
    static let distantFuture = Timestamp(millisecondsSince1970: .max)
}
