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
    let editor: RegistryEditor
    let access: AccessRules
    let settings: @Sendable (PrinterIdentity) -> PrintingSettings?

    func add(to router: Router<APIContext>) { router.post("/v1/printers/{id}/test", use: print) }

    @Sendable private func print(_ request: Request, _ context: APIContext) async throws -> Response {
        let parameters = try TestPrintParameters(query: request.uri.query)
        let id = try context.printerID()
        try context.caller.checkPrinting(to: nil, printer: id)
        let status = try await engine.printer(id)
        let requester = await access.requester(of: context)
        var (jobRequest, bytes) = await document(for: status, parameters)
        jobRequest.caller = requester.keyspace
        jobRequest.rights = requester.rights
        jobRequest.owner = requester.owner
        jobRequest.ownerName = requester.name
        try await engine.check(jobRequest)
        var job = try await engine.submit(jobRequest, bytes: bytes)
        if let wait = parameters.wait, !job.isSettled,
            let place = try? context.limits.waits.reserve(for: context.caller)
        {
            defer { place.giveBack() }
            job = try await JobWaiter(engine: engine).job(job.id, settledWithin: wait, context)
        }
        return try .json(
            job, status: job.isSettled ? .ok : .accepted, headers: [.location: APIPaths.job(job.id)])
    }

    /// What is printed: a receipt or label where the printer takes these, else pages.
    private func document(
        for status: PrinterStatus, _ parameters: TestPrintParameters
    ) async -> (JobRequest, [UInt8]) {
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
            if parameters.drawer { request.ticket.drawer = true }
            let receipt = TestReceipt(subject, on: paper, opensDrawer: parameters.drawer)
            return (request, Array(receipt.markup.utf8))
        }
        let isDuplex = status.description?.isDuplex == true
        request.format = .pdf
        request.ticket.scaling = Ticket.Scaling.none
        if isDuplex { request.ticket.sides = .twoSidedLongEdge }
        // An engine refuses a drawer where there is none to open, and says why.
        if parameters.drawer { request.ticket.drawer = true }
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
