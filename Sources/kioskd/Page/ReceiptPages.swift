import Hummingbird
import KioskAPI
import KioskAdminPage
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import KioskReceiptPrinting

/// `/receipt`: the receipt editor.
struct ReceiptPages: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let access: AccessRules
    let previews: PreviewRoute

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        pages.get("/receipt", router) { page in
            let example = ReceiptExample.named(page.query["example"]) ?? ReceiptExample.all[0]
            return page.answer(.receipt, await screen(page, example.markup, nil).screen(page.texts))
        }
        pages.post("/receipt", router, use: submit)
    }

    @Sendable private func submit(_ page: PageRequest) async throws -> Response {
        let markup = page.fields["markup"] ?? ""
        var screen = await screen(page, markup, page.fields.text("target"))
        do {
            if page.fields["do"] == "print" { return try await print(markup, screen.target, page) }
            screen.preview = try await preview(markup, screen.papers[screen.target], page.context)
            return page.answer(.receipt, screen.screen(page.texts))
        } catch let error where !(error is CancellationError) {
            let problem = (error as? DocumentProblem).map { Problem($0) } ?? Problem(describing: error)
            guard problem.status < 500 else { throw error }
            screen.problems = problem.problems ?? [Problem.Finding(message: problem.detail ?? problem.title)]
            return page.answer(.receipt, screen.screen(page.texts), status: .init(code: problem.status))
        }
    }

    private func screen(_ page: PageRequest, _ markup: String, _ wanted: String?) async -> ReceiptScreen {
        let registry = await editor.registry
        let statuses = await engine.printers()
        let printers = statuses.filter { paper(of: $0) }
        var papers: [String: PrinterID] = [:]
        var targets: [FormMarkup.Option] = []
        for role in registry.roles {
            guard let printer = role.printers.first(where: { id in printers.contains { $0.printer.id == id } }) else {
                continue
            }
            papers["role:\(role.name)"] = printer
            targets.append(.init("role:\(role.name)", page.texts("receipt.role", ["role": role.name.rawValue])))
        }
        for status in printers {
            let id = status.printer.id
            papers["printer:\(id)"] = id
            targets.append(.init("printer:\(id)", status.printer.name ?? id.rawValue))
        }
        let target =
            targets.first { $0.value == wanted } ?? targets.first { $0.value == "role:receipt" } ?? targets.first
        return ReceiptScreen(markup: markup, target: target?.value ?? "", targets: targets, papers: papers)
    }

    /// Whether a printer is known to print receipts.
    private func paper(of status: PrinterStatus) -> Bool {
        let target = PreparationTarget(status)
        return ReceiptPreview.Paper(of: target, previews.settings(target.identity)) != nil
    }

    private func preview(_ markup: String, _ printer: PrinterID?, _ context: APIContext) async throws -> PreviewText {
        let paper = try await previews.paper(printer.map { .printer($0) })
        let place = try context.limits.previews.reserve(for: context.caller)
        defer { place.giveBack() }
        let preview = try await BackgroundWork.run {
            try ReceiptPreview(of: Array(markup.utf8), as: .receiptLine, on: paper)
        }
        return PreviewText(
            text: preview.text, remarks: await preview.remarks(by: previews.drawing).map { Problem.Finding($0) })
    }

    private func print(_ markup: String, _ target: String, _ page: PageRequest) async throws -> Response {
        let requester = await access.requester(of: page.context)
        let (kind, name) = target[...].splitOnce(at: ":")
        let isRole = kind == "role"
        let job = try await engine.submit(
            JobRequest(
                role: isRole ? name.flatMap { RoleName(rawValue: String($0)) } : nil,
                printer: isRole ? nil : name.flatMap { PrinterID(rawValue: String($0)) },
                name: "receipt from the page", format: .receiptLine, rights: requester.rights,
                owner: page.context.caller.owner, ownerName: requester.name, requestID: page.context.requestID),
            bytes: Array(markup.utf8))
        return page.seeOther("/jobs/\(job.id)", done: "receipt-printed")
    }
}
