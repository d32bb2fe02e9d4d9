import Hummingbird
import KioskAPI
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import KioskReceiptPrinting
import KioskTestPrints

/// `POST /v1/printers/{id}/test`: prints what shows how the printer is set up. A job as any other: whoever may print
/// may ask for one.
struct TestPrintRoute: Sendable {
    let engine: PrintEngine
    let tests: TestPrinting

    func add(to router: Router<APIContext>) { router.post("/v1/printers/{id}/test", use: print) }

    @Sendable private func print(_ request: Request, _ context: APIContext) async throws -> Response {
        let parameters = try TestPrintParameters(query: request.uri.query)
        var job = try await tests.print(on: context.printerID(), opensDrawer: parameters.drawer, context)
        if let wait = parameters.wait, !job.isSettled,
            let place = try? context.limits.waits.reserve(for: context.caller)
        {
            defer { place.giveBack() }
            job = try await JobWaiter(engine: engine).job(job.id, settledWithin: wait, context)
        }
        return try .json(
            job, status: job.isSettled ? .ok : .accepted, headers: [.location: APIPaths.job(job.id)])
    }
}

/// Prints what shows how a printer is set up, for the API and the page.
struct TestPrinting: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let access: AccessRules
    let settings: @Sendable (PrinterIdentity) -> PrintingSettings?

    /// Sends the job, in the caller's name and with the caller's rights.
    func print(on id: PrinterID, opensDrawer: Bool, _ context: APIContext) async throws -> Job {
        try context.caller.checkPrinting(to: nil, printer: id)
        let requester = await access.requester(of: context)
        var status = try await engine.printer(id)
        // One that was saved a moment ago has not said yet what it takes.
        if status.description == nil { status = try await engine.contact(id, by: requester) }
        var (request, bytes) = await document(for: status, opensDrawer: opensDrawer)
        request.caller = requester.keyspace
        request.rights = requester.rights
        request.owner = requester.owner
        request.ownerName = requester.name
        request.requestID = context.requestID
        try await engine.check(request)
        return try await engine.submit(request, bytes: bytes)
    }

    /// What is printed: a receipt or label where the printer takes these, else pages.
    private func document(for status: PrinterStatus, opensDrawer: Bool) async -> (JobRequest, [UInt8]) {
        let printer = status.printer
        let target = PreparationTarget(status)
        let profile = settings(target.identity)
        let subject = TestPrintSubject(
            id: printer.id, url: printer.url, roles: status.roles,
            profile: await editor.registry.profiles?.printing(for: target.identity)?.profile.name ?? printer.profile,
            makeAndModel: status.description?.makeAndModel, time: .now)
        var request = JobRequest(printer: printer.id, name: "Test page of \(printer.id)")
        if let paper = ReceiptPreview.Paper(of: target, profile)?.settings {
            request.format = .receiptLine
            if opensDrawer { request.ticket.drawer = true }
            let receipt = TestReceipt(subject, on: paper, opensDrawer: opensDrawer)
            return (request, Array(receipt.markup.utf8))
        }
        let isDuplex = status.description?.isDuplex == true
        request.format = .pdf
        request.ticket.scaling = Ticket.Scaling.none
        if isDuplex { request.ticket.sides = .twoSidedLongEdge }
        // An engine refuses a drawer where there is none to open, and says why.
        if opensDrawer { request.ticket.drawer = true }
        return (request, TestPages(subject, on: status.description.testMedium, hasBack: isDuplex).pdf)
    }
}

extension PrinterDescription? {
    /// The medium that the printer takes where a job names none; A4 where it does not say.
    fileprivate var testMedium: Medium {
        if let medium = self?.pages?.standard ?? self?.pages?.ready.first { return medium }
        return Medium(name: "iso_a4_210x297mm", width: 21_000, height: 29_700)
    }
}
