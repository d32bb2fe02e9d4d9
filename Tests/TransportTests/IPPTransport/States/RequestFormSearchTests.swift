import IPPCodec
import PrintModel
import Testing

@testable import IPP

@Suite struct RequestFormSearchTests {
    private typealias Answer = Result<IPPReply, TransportError>

    private func answer(_ status: IPPStatus, unsupported: [String] = [], _ groups: IPPGroup...) -> Answer {
        var groups = groups
        if !unsupported.isEmpty {
            groups.append(IPPGroup(.unsupported, unsupported.map { IPPAttribute($0, .unsupported) }))
        }
        return .success(IPPReply(message: IPPMessage(status: status, requestID: 1, groups: groups)))
    }

    private func search(_ operation: IPPOperation = .printJob, proven: Bool = false) -> RequestFormSearch {
        RequestFormSearch(
            operation, start: RequestForm(version: .v2_0, userName: "till"), isVersionProven: proven,
            isUserProven: proven)
    }

    private func form(_ action: RequestFormSearch.Action) -> String? {
        if case .ask(let form) = action { "\(form.version) \(form.userName ?? "-")" } else { nil }
    }

    private func status(_ action: RequestFormSearch.Action) -> IPPStatus? {
        if case .finish(.success(let reply)) = action { reply.message.status } else { nil }
    }

    @Test func `a bad request is tried in every version, once without the name, and then told`() {
        var search = search()
        let forms = (0..<4).map { _ in form(search.took(answer(.clientErrorBadRequest), taken: 0)) }
        #expect(forms == ["1.1 till", "1.0 till", "2.0 -", nil])
    }

    @Test(arguments: [
        (IPPStatus.clientErrorForbidden, IPPStatus.clientErrorBadRequest),
        (.clientErrorNotAuthenticated, .clientErrorBadRequest),
        (.serverErrorBusy, .serverErrorBusy), (.serverErrorNotAcceptingJobs, .serverErrorNotAcceptingJobs),
        (.successfulOk, .successfulOk),
    ])
    func `without the name, what works or will pass is told, and for a refusal the first`(
        second: IPPStatus, told: IPPStatus
    ) {
        var search = search()
        for _ in 0..<3 { _ = search.took(answer(.clientErrorBadRequest), taken: 0) }
        #expect(search.form.userName == nil)
        #expect(status(search.took(answer(second), taken: 0)) == told)
    }

    @Test func `being cancelled without the name is told as such`() {
        var search = search(.printJob)
        for _ in 0..<3 { _ = search.took(answer(.clientErrorBadRequest), taken: 0) }
        let cancelled = TransportError(.cancelled, operation: "Print-Job", message: "cancelled")
        guard case .finish(.failure(let error)) = search.took(.failure(cancelled), taken: 0) else {
            Issue.record("it goes on, or tells a refusal")
            return
        }
        #expect(error == cancelled)
    }

    @Test func `what is proven is not doubted again`() {
        var search = search(proven: true)
        #expect(status(search.took(answer(.clientErrorBadRequest), taken: 0)) == .clientErrorBadRequest)
    }

    @Test func `an empty success is no answer about a printer, and one about a job`() {
        var printer = search(.getPrinterAttributes)
        #expect(form(printer.took(answer(.successfulOk, IPPGroup(.printer)), taken: 0)) == "1.1 till")
        var job = search(.getJobs)
        #expect(form(job.took(answer(.successfulOk), taken: 0)) == nil)
    }

    @Test func `the answer to an older version that is understood counts, not the first`() {
        var search = search()
        _ = search.took(answer(.serverErrorVersionNotSupported), taken: 0)
        #expect(status(search.took(answer(.serverErrorBusy), taken: 0)) == .serverErrorBusy)
    }

    @Test func `document bytes that may be taken end the search, and are told`() {
        var search = search()
        _ = search.took(answer(.serverErrorVersionNotSupported), taken: 0)
        let lost = TransportError(.connectionLost, operation: "Print-Job", message: "gone", bytesAccepted: 7)
        guard case .finish(.failure(let error)) = search.took(.failure(lost), taken: 7) else {
            Issue.record("it goes on")
            return
        }
        #expect(error == lost)
    }

    @Test(arguments: [(["requesting-user-name"], "2.0 -"), (["copies"], nil), ([], "2.0 -")])
    func `a refused name is left out, another attribute's refusal is told`(unsupported: [String], next: String?) {
        var search = search()
        let action = search.took(answer(.clientErrorAttributesOrValuesNotSupported, unsupported: unsupported), taken: 0)
        #expect(form(action) == next)
    }
}
