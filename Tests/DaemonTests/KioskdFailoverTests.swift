import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Printers that are down, come back, or never answer, and a daemon that is asked to end meanwhile.
@Suite struct KioskdFailoverTests {
    /// A printer on a port that nobody takes while it is off the network.
    private func printer() async throws -> SimulatedPrinter {
        var options = SimulatedPrinter.Options()
        options.port = try freePort()
        return try await SimulatedPrinter.start(options)
    }

    @Test func `with the first printer down the job goes to the second`() async throws {
        let second = try await printer()
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print", second.uri])
        let job = try await daemon.submit("TEA", "role=receipt&wait=600").json(Job.self)
        #expect(job.state == .completed)
        #expect(job.printer?.rawValue == "till-2")
    }

    @Test func `the first is used again as soon as it is back`() async throws {
        let first = try await printer()
        let second = try await printer()
        let daemon = try await KioskdFixture(printers: [first.uri, second.uri])
        let client = daemon.client()
        let printer = { (id: Job.ID) in try await client.job(id, wait: .seconds(600)).printer?.rawValue }
        // Until a printer has answered once, it is waited for no longer than half a second.
        try await eventually("both to be known") {
            try await client.printers().allSatisfy { $0.availability.isAvailable }
        }
        #expect(try await printer(client.submit(text: "1").id) == "till-1")
        try await first.perform(.goOffline(milliseconds: nil))
        // What is sent over a connection that is not yet seen to be gone may have arrived, and stays with its printer.
        try await eventually("till-1 to be gone") {
            try await !client.contact(PrinterID(rawValue: "till-1")!).availability.isAvailable
        }
        #expect(try await printer(client.submit(text: "2").id) == "till-2")
        try await first.perform(.goOnline)
        try await eventually("till-1 to be ready") {
            try await client.printer(PrinterID(rawValue: "till-1")!).availability.isAvailable
        }
        #expect(try await printer(client.submit(text: "3").id) == "till-1")
    }

    @Test func `with all down the job waits, and prints when one returns, with no one touching anything`() async throws
    {
        let printer = try await self.printer()
        try await printer.perform(.goOffline(milliseconds: nil))
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print", printer.uri])
        let client = daemon.client()
        let job = try await client.submit(text: "TEA")
        // It was tried, and not taken.
        try await eventually("both to be unreachable") {
            try await client.printers().allSatisfy { $0.availability.state == .unreachable }
        }
        #expect(try await client.job(job.id).state == .pending)
        try await printer.perform(.goOnline)
        #expect(try await client.job(job.id, wait: .seconds(600)).state == .completed)
    }

    @Test func `a printer without paper passes the job on, and shows why`() async throws {
        let (first, second) = (try await printer(), try await printer())
        try await first.perform(.paperOut)
        let daemon = try await KioskdFixture(printers: [first.uri, second.uri])
        let job = try await daemon.submit("TEA", "role=receipt&wait=600").json(Job.self)
        #expect(job.state == .completed)
        #expect(job.printer?.rawValue == "till-2")
        let status = try await daemon.curl("/v1/printers/till-1").json(PrinterStatus.self)
        #expect(status.availability.state == .stopped)
        #expect(status.availability.reasons.contains(StateReason(keyword: "media-empty", severity: .error)))
    }

    @Test(arguments: [ResponseFault.garbage, .half, .lose, .mute])
    func `a printer that answers wrongly or never holds up nothing`(fault: ResponseFault) async throws {
        let (first, second) = (try await printer(), try await printer())
        try await first.perform(.injectFault(fault, count: 1_000_000, documentsOnly: false))
        let daemon = try await KioskdFixture(printers: [first.uri, second.uri])
        let client = daemon.client()
        let job = try await client.submit(text: "TEA")
        #expect(try await client.job(job.id, wait: .seconds(600)).state == .completed)
        #expect(try await second.paper.count == 1)
        #expect(try await daemon.curl("/v1/health").status == 200)
    }

    @Test func `SIGTERM responds to those who wait with what is so far, and the job prints after the next start`()
        async throws
    {
        let printer = try await self.printer()
        try await printer.perform(.goOffline(milliseconds: nil))
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let job = try await daemon.client().submit(text: "TEA")
        let waiting = try RawConnection(daemon.socket)
        try await waiting.send("GET /v1/jobs/\(job.id)?wait=600 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await eventually("the daemon to have read it") { try waiting.isRead }
        async let submitting = daemon.submit("CAKE", "role=receipt&wait=600")
        try await eventually("the second job") { try await daemon.client().jobs().jobs.count == 2 }
        #expect(try await daemon.terminate() == .exited(0))
        let response = try await waiting.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 200") && response.contains(#""job-state":"pending""#), "\(response)")
        #expect(try await submitting.status == 202)
        try await printer.perform(.goOnline)
        try await daemon.start()
        for id in [job.id, job.id + 1] {
            #expect(try await daemon.client().job(id, wait: .seconds(600)).state == .completed)
        }
        #expect(try await printer.paper.count == 2)
    }

    @Test func `SIGTERM waits for no printer, and a job that is on one is found again`() async throws {
        let printer = try await self.printer()
        try await printer.perform(.hold)
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let job = try await daemon.client().submit(text: "TEA")
        try await eventually("the job to be on the printer") { try await daemon.client().job(job.id).remoteJob != nil }
        #expect(try await daemon.terminate() == .exited(0))
        try await daemon.start()
        try await printer.perform(.release)
        #expect(try await daemon.client().job(job.id, wait: .seconds(600)).state == .completed)
        #expect(try await printer.paper.count == 1)
    }

    @Test(arguments: [
        ("text/plain", "Content-Length: 1000", "TEA"), ("text/plain", "Transfer-Encoding: chunked", "3\r\nTEA\r\n"),
        ("application/json", "Transfer-Encoding: chunked", "3\r\n{} \r\n"),
    ])
    func `SIGTERM gives up an upload that stalls, and stores nothing of it`(
        type: String, framing: String, part: String
    ) async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let connection = try RawConnection(daemon.socket)
        try await connection.send(
            "POST /v1/jobs?role=receipt HTTP/1.1\r\nHost: x\r\nContent-Type: \(type)\r\n\(framing)\r\nExpect: 100-continue\r\n\r\n"
        )
        try await connection.read(until: "100 Continue")
        try await connection.send(part)
        #expect(try await daemon.terminate() == .exited(0))
        #expect(try await connection.readToEnd().contains("shutting-down"))
        try await daemon.start()
        #expect(try await daemon.client().jobs().jobs.isEmpty)
    }

    @Test(arguments: ["text/plain", "application/json"])
    func `SIGTERM gives up an upload that nobody was asked for, and that behind a request which waits`(
        type: String
    ) async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let job = try await daemon.client().submit(text: "TEA")
        let upload =
            "POST /v1/jobs?role=receipt HTTP/1.1\r\nHost: x\r\nContent-Type: \(type)\r\nContent-Length: 1000\r\n\r\n{"
        let uploading = try RawConnection(daemon.socket)
        try await uploading.send(upload)
        let waiting = try RawConnection(daemon.socket)
        try await waiting.send("GET /v1/jobs/\(job.id)?wait=600 HTTP/1.1\r\nHost: x\r\n\r\n\(upload)")
        try await eventually("the daemon to have read it") { try uploading.isRead && waiting.isRead }
        #expect(try await daemon.terminate() == .exited(0))
        #expect(try await uploading.readToEnd().contains("shutting-down"))
        #expect(try await waiting.readToEnd().hasPrefix("HTTP/1.1 200"))
        try await daemon.start()
        #expect(try await daemon.client().jobs().jobs.map(\.id) == [job.id])
    }
}
