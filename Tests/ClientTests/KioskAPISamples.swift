import Foundation
import KioskAPI
import KioskPrintModel
import KioskTestSupport

/// Values that tests show and send.
enum Samples {
    static func role(_ name: String) throws -> RoleName { try required(RoleName(rawValue: name), name) }
    static func printer(_ id: String) throws -> PrinterID { try required(PrinterID(rawValue: id), id) }

    static func job(_ id: Int64 = 12, _ change: (inout Job) throws -> Void = { _ in }) throws -> Job {
        let created = try required(Timestamp("2026-11-21T03:40:00.000Z"), "time")
        var job = Job(
            id: id, name: "receipt.txt", role: try role("receipt"), printer: nil, user: "till", format: .plainText,
            documentLength: 812, ticket: Ticket(), createdAt: created, expiresAt: created.advanced(bySeconds: 600))
        try change(&job)
        return job
    }

    static func completed(_ id: Int64 = 12) throws -> Job {
        try job(id) { job in
            job.state = .completed
            job.evidence = .printed
            job.printer = try printer("till-1")
            job.attempts = 1
            job.bytesSent = 812
            job.remoteJob = RemoteJob(identifier: "7")
            job.completedAt = Timestamp(millisecondsSince1970: job.createdAt.millisecondsSince1970 + 38)
        }
    }

    static func status(
        _ id: String, _ availability: Availability = Availability(.ready),
        _ change: (inout PrinterStatus) throws -> Void = { _ in }
    ) throws -> PrinterStatus {
        var status = PrinterStatus(
            printer: SavedPrinter(id: try printer(id), url: try PrinterURL("ipp://192.0.2.10/ipp/print")),
            availability: availability)
        try change(&status)
        return status
    }

    static func json(_ value: some Encodable) throws -> String {
        String(decoding: try APIJSON.encode(value), as: UTF8.self)
    }

    private static func required<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw TestSupportError("\(name) is not well-formed") }
        return value
    }
}
