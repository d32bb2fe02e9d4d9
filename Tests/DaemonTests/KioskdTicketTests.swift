import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Tickets through the real daemon, command line and API: what is refused, what is told, and what stays secret.
@Suite struct KioskdTicketTests {
    @Test func `a wish that the printer does not take is a remark with print --wait, and refused with --fidelity`()
        async throws
    {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        #expect(try await daemon.kioskctl("printers", "contact", "till-1").end == .exited(0))
        let printed = try await daemon.kioskctl(
            "print", "-", "--role", "receipt", "--wait", "--output-bin", "face-up-of-nowhere", input: "Tea\n")
        #expect(printed.end == .exited(0), "\(printed.standardError)")
        #expect(
            printed.standardError.contains("the printer takes no output-bin=face-up-of-nowhere: printed without"),
            "\(printed.standardError)")
        let refused = try await daemon.kioskctl(
            "print", "-", "--role", "receipt", "--fidelity", "--output-bin", "face-up-of-nowhere", input: "Tea\n")
        #expect(refused.end == .exited(1))
        #expect(
            refused.standardError.contains("the ticket cannot be met: till-1 takes no output-bin="),
            "\(refused.standardError)")
        let response = try await daemon.curl(
            "/v1/jobs?role=receipt&fidelity=true&output-bin=face-up-of-nowhere",
            ["--data-binary", "Tea", "-H", "Content-Type: text/plain"])
        #expect(response.status == 422)
        #expect(response.text.contains("ticket-not-supported"))
        #expect(try await printer.documents.count == 1)
    }

    @Test func `a PIN goes in a header field or a body, never in a query, and no response has it`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        #expect(try await daemon.kioskctl("printers", "contact", "till-1").end == .exited(0))
        let query = try await daemon.curl(
            "/v1/jobs?role=receipt&job-password=4321", ["--data-binary", "Tea", "-H", "Content-Type: text/plain"])
        #expect(query.status == 400)
        #expect(query.text.contains("Kiosk-job-password") && !query.text.contains("4321"))
        // The simulated printer has no PIN release, and would print at once.
        for arguments in [
            ["--data-binary", "Tea", "-H", "Content-Type: text/plain", "-H", "Kiosk-job-password: 4321"],
            [
                "-H", "Content-Type: application/json", "--data-binary",
                #"{"role":"receipt","document":{"text":"Tea"},"ticket":{"job-password":"4321"}}"#,
            ],
        ] {
            let path = arguments.contains("Kiosk-job-password: 4321") ? "/v1/jobs?role=receipt" : "/v1/jobs"
            let response = try await daemon.curl(path, arguments)
            #expect(response.status == 422, "\(response.text)")
            #expect(response.text.contains("takes no job-password") && !response.text.contains("4321"))
        }
        let file = try daemon.folder.write("4321\n", to: "pin")
        let printed = try await daemon.kioskctl(
            "print", "-", "--role", "receipt", "--job-password-file", file, input: "Tea\n")
        #expect(printed.end == .exited(1))
        #expect(printed.standardError.contains("takes no job-password"), "\(printed.standardError)")
        let defaults = try await daemon.curlJSON(
            "PUT", "/v1/roles/receipt", #"{"printers":["till-1"],"defaults":{"job-password":"4321"}}"#)
        #expect(defaults.status == 400)
        #expect(try await printer.documents.isEmpty)
    }

    @Test func `new keys of a ticket are a role's defaults too, in the file and for kioskctl`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let assigned = try await daemon.kioskctl(
            "roles", "assign", "office", "till-1", "--media-source", "tray-1", "--media-type", "labels", "--output-bin",
            "face-down", "--scaling", "fit", "--document-handling", "separate-documents-uncollated-copies",
            "--page-border", "single", "--content", "photo", "--resolution", "300", "--account", "4711",
            "--accounting-user", "lea", "--fidelity")
        #expect(assigned.end == .exited(0), "\(assigned.standardError)")
        let role = try await daemon.client().role(RoleName(rawValue: "office")!)
        #expect(
            role.defaults.parameters.map { "\($0.key)=\($0.value)" } == [
                "media-source=tray-1", "media-type=labels", "output-bin=face-down", "print-scaling=fit",
                "multiple-document-handling=separate-documents-uncollated-copies", "page-border=single",
                "print-content-optimize=photo", "printer-resolution=300", "job-account-id=4711",
                "job-accounting-user-id=lea", "fidelity=true",
            ])
        let text = try String(contentsOfFile: daemon.folder.path + "/printers.yaml", encoding: .utf8)
        #expect(text.contains("job-account-id:") && text.contains("fidelity: true"), "\(text)")
        try await daemon.kill()
        try await daemon.start()
        #expect(try await daemon.client().role(RoleName(rawValue: "office")!).defaults == role.defaults)
    }

    @Test func `identify has the printer show itself, and says what it was asked to do`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let shown = try await daemon.kioskctl("printers", "identify", "till-1", "--message", "this one")
        #expect(shown.end == .exited(0), "\(shown.standardError)")
        #expect(shown.standardOutput == "till-1 was asked to show which one it is: display\n")
        let refused = try await daemon.curl("/v1/printers/till-1/identify?message=a%0Ab", ["-X", "POST"])
        #expect(refused.status == 400)
        let unknown = try await daemon.curl("/v1/printers/nobody/identify", ["-X", "POST"])
        #expect(unknown.status == 404)
    }
}

/// Copies that the daemon makes one by one, with a real printer, and kill -9 amid them.
@Suite struct KioskdCopiesTests {
    @Test func `a kill amid the copies of a raster document loses none and doubles none`() async throws {
        let printer = try await EvePrinter()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        #expect(try await daemon.kioskctl("printers", "contact", "till-1").end == .exited(0))
        let page = try daemon.folder.write("RaS2 one page", to: "page.pwg")
        try printer.printScript.hold()
        let printed = try await daemon.kioskctl("print", page, "--printer", "till-1", "--copies", "3")
        #expect(printed.end == .exited(0), "\(printed.standardError)")
        // The printer has the first copy, and nothing of the others.
        try await eventually("the first copy") { try printer.printScript.startedJobs().count == 1 }
        try await daemon.kill()
        try printer.printScript.release()
        try await daemon.start()
        let job = try await daemon.client().job(1, wait: .seconds(300))
        #expect(job.state == .completed && job.evidence == .printed && !job.isUnconfirmed, "\(job)")
        #expect(job.attempts == 3)
        #expect(
            try printer.keptFiles().map { try readFile($0) }
                == [[UInt8]](repeating: Array("RaS2 one page".utf8), count: 3))
    }
}
