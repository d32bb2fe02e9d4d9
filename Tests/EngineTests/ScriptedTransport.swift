import Foundation
import KioskPrintModel
import Synchronization

/// A transport without a wire, for the engine's own logic: each printer does what its script says and keeps its paper.
final class ScriptedTransport: Transport {
    let schemes: Set<PrinterURL.Scheme> = [.ipp, .sshLpr]

    /// What a printer does, until it is told otherwise.
    enum Behaviour: Sendable {
        /// Takes jobs and completes them.
        case prints
        /// Refuses connections.
        case isDown
        /// Never answers a connection.
        case isSilent
        /// Leaves so many contacts without an answer until their time is over, and prints.
        case losesContacts(times: Int)
        /// Answers, but is out of paper and takes nothing.
        case isStopped
        /// Takes all bytes, prints or not, and breaks the connection before it answers.
        case breaksAfterBytes(prints: Bool)
        /// Refuses every job.
        case refuses
        /// Says busy so many times, then prints.
        case isBusy(times: Int)
        /// Takes the job and keeps it until `finishJobs`.
        case keepsJobs
        /// The same, and answers no contact.
        case keepsJobsInSilence
        /// Has run out of paper with what it has: keeps it until `finishJobs`, and takes nothing.
        case isStoppedWithJobs
        /// Keeps jobs, and tells no more of their end than that they are gone, canceled or not.
        case dropsJobs
        /// Takes a part of the job, and keeps no jobs: of one that was canceled meanwhile, only that is known.
        case acceptsPart
        /// Takes the job and then forgets that it ever had it.
        case forgetsJobs
        /// The same, and would forget any other: its next answer would be as little worth.
        case neverRemembersJobs
        /// Takes the job, forgets it, and is idle then.
        case forgetsJobsWhenIdle
        /// Takes the job, and lets nobody ask about jobs.
        case deniesQuestions
        /// Breaks the connection behind a document that it does not print, and answers no question from then on; prints
        /// what comes then.
        case breaksAndIgnoresQuestions
        /// Prints, and answers no question about jobs.
        case ignoresQuestions
        /// Prints for whoever trusts this key, and gets nothing from others.
        case shows(Certificate)
        /// The same with an SSH host key.
        case showsHostKey(HostKey)
        /// Answers contacts, and takes no job and tells of none, for this reason.
        case bars(TransportError.Code)
        /// The same, but each answer waits for `letGo`.
        case barsLater(TransportError.Code)
        /// Never answers a connection; when the delivery is stopped, it says busy after all.
        case isBusyWhenStopped
        /// The same, but it has taken the job after all, and keeps it as with `keepsJobs`.
        case keepsJobWhenStopped
        /// Takes jobs in this format, and aborts them before their first page; prints those in others.
        case aborts(DocumentFormat, JobReport.UnprintedAbort)
        /// Refuses jobs in this format, and prints those in others.
        case refusesFormat(DocumentFormat)
        /// Says that it is so far with a job, goes on at `letGo`, and prints.
        case pausesAt(DeliveryProgress)
    }

    struct Paper: Hashable, Sendable {
        var printer: String
        var jobID: String
        var bytes: [UInt8]
    }

    private struct State {
        var behaviours: [String: Behaviour] = [:]
        var paper: [Paper] = []
        var jobsTaken: [String: [String]] = [:]
        var contacts: [String: Int] = [:]
        var canceled: Set<String> = []
        var cancellations = 0
        var deliveries: [String] = []
        var tickets: [Ticket] = []
        var isFinishing = false
        var concurrent: [String: Int] = [:]
        var maximumConcurrent = 0
        var description = PrinterDescription.receiptPrinter
        var forgotten: [PrinterTarget] = []
        var recalled: [LearnedBehavior] = []
        var formats: [DocumentFormat] = []
        var mayGo = false
        var newsreader: AsyncStream<PrinterNews>.Continuation?
    }
    private let state = Mutex(State())

    func set(_ printer: String, _ behaviour: Behaviour) {
        state.withLock { $0.behaviours[printer] = behaviour }
    }
    /// What printers say of themselves from now on.
    func describe(as description: PrinterDescription) { state.withLock { $0.description = description } }
    func letGo() { state.withLock { $0.mayGo = true } }
    func finishJobs() { state.withLock { $0.isFinishing = true } }

    var paper: [Paper] { state.withLock(\.paper) }
    var texts: [String] { paper.map { String(decoding: $0.bytes, as: UTF8.self) } }
    var deliveries: [String] { state.withLock(\.deliveries) }
    /// Those of the deliveries.
    var tickets: [Ticket] { state.withLock(\.tickets) }
    var maximumConcurrent: Int { state.withLock(\.maximumConcurrent) }
    /// The number of times that a printer was told to cancel a job.
    var cancellations: Int { state.withLock(\.cancellations) }
    func contacts(of printer: String) -> Int { state.withLock { $0.contacts[printer] ?? 0 } }

    var forgotten: [PrinterTarget] { state.withLock(\.forgotten) }
    /// What earlier runs had learned.
    var recalled: [LearnedBehavior] { state.withLock(\.recalled) }
    /// The formats of all deliveries, in order.
    var formats: [DocumentFormat] { state.withLock(\.formats) }
    func describe(_ description: PrinterDescription) { state.withLock { $0.description = description } }

    private func name(_ printer: PrinterTarget) -> String { String(printer.url.path.split(separator: "/").last ?? "") }
    private func behaviour(_ name: String) -> Behaviour { state.withLock { $0.behaviours[name] ?? .prints } }

    func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        let name = name(printer)
        state.withLock { $0.contacts[name, default: 0] += 1 }
        let description = state.withLock(\.description)
        switch behaviour(name) {
        case .isDown:
            throw TransportError(.connectionRefused, operation: "connect", message: "\(name) refused the connection")
        case .isSilent, .keepsJobsInSilence: try await Task.sleep(for: .seconds(3600))
        case .losesContacts(let times) where times > 0:
            set(name, .losesContacts(times: times - 1))
            throw TransportError(.timedOut, operation: "connect", message: "\(name) did not answer")
        case .isStopped, .isStoppedWithJobs:
            let reasons = [StateReason(keyword: "media-empty", severity: .error)]
            return ContactReport(description: description, availability: Availability(.stopped, reasons: reasons))
        case .shows(let certificate): try check(.certificate(certificate), printer)
        case .showsHostKey(let key): try check(.hostKey(key), printer)
        default: break
        }
        return ContactReport(description: description, availability: Availability(.ready))
    }

    func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        let name = name(printer)
        state.withLock { state in
            state.deliveries.append(name)
            state.tickets.append(delivery.ticket)
            state.formats.append(delivery.document.format)
            state.concurrent[name, default: 0] += 1
            state.maximumConcurrent = max(state.maximumConcurrent, state.concurrent[name] ?? 0)
        }
        defer { state.withLock { $0.concurrent[name, default: 0] -= 1 } }
        progress(.connecting)
        let remoteJob = RemoteJob(identifier: delivery.jobID)
        switch behaviour(name) {
        case .isDown:
            throw TransportError(.connectionRefused, operation: "connect", message: "\(name) refused the connection")
        case .isSilent:
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                throw TransportError(.cancelled, operation: "connect", message: "canceled")
            }
        case .isBusyWhenStopped:
            try? await Task.sleep(for: .seconds(3600))
            throw TransportError(.printerBusy, operation: "Print-Job", message: "\(name) is busy")
        case .keepsJobWhenStopped:
            try? await Task.sleep(for: .seconds(3600))
            set(name, .keepsJobs)
            print(delivery, on: name)
            return JobReport(state: .processing, evidence: .accepted, remoteJob: remoteJob)
        case .isStopped, .isStoppedWithJobs:
            throw TransportError(.printerNotAccepting, operation: "Print-Job", message: "\(name) takes no jobs")
        case .shows(let certificate): try check(.certificate(certificate), printer)
        case .showsHostKey(let key): try check(.hostKey(key), printer)
        case .bars(let code): throw TransportError(code, operation: "Print-Job", message: "\(name) says \(code)")
        case .barsLater(let code):
            while !state.withLock(\.mayGo) { try await Task.sleep(for: .milliseconds(2)) }
            throw TransportError(code, operation: "Print-Job", message: "\(name) says \(code)")
        case .acceptsPart:
            progress(.sending(bytes: 3, of: delivery.document.length))
            try? await Task.sleep(for: .seconds(3600))
            state.withLock { $0.jobsTaken[name, default: []].append(delivery.jobID) }
            throw TransportError(.cancelled, operation: "send", message: "canceled", bytesAccepted: 3)
        case .pausesAt(let step):
            progress(step)
            while !state.withLock(\.mayGo) { try await Task.sleep(for: .milliseconds(2)) }
        case .aborts(let format, _) where delivery.document.format == format:
            progress(.accepted(remoteJob))
            return JobReport(state: .processing, evidence: .accepted, remoteJob: remoteJob)
        case .refusesFormat(let format) where delivery.document.format == format:
            throw TransportError(.formatRefused, operation: "Print-Job", message: "\(name) refuses \(format)")
        case .refuses: throw TransportError(.jobRefused, operation: "Print-Job", message: "\(name) refuses the job")
        case .isBusy(let times) where times > 0:
            set(name, .isBusy(times: times - 1))
            throw TransportError(.printerBusy, operation: "Print-Job", message: "\(name) is busy")
        case .breaksAfterBytes(let prints):
            if prints { print(delivery, on: name) }
            throw TransportError(
                .connectionLost, operation: "Print-Job", message: "\(name) broke the connection",
                bytesAccepted: delivery.document.length
            )
        case .breaksAndIgnoresQuestions:
            // From now on, and before anybody can ask.
            set(name, .ignoresQuestions)
            throw TransportError(
                .connectionLost, operation: "Print-Job", message: "\(name) broke the connection",
                bytesAccepted: delivery.document.length
            )
        case .keepsJobs, .keepsJobsInSilence, .dropsJobs, .forgetsJobs, .neverRemembersJobs,
            .forgetsJobsWhenIdle, .deniesQuestions:
            state.withLock { $0.jobsTaken[name, default: []].append(delivery.jobID) }
            progress(.accepted(remoteJob))
            return JobReport(state: .processing, evidence: .accepted, remoteJob: remoteJob)
        default: break
        }
        progress(.sending(bytes: delivery.document.length, of: delivery.document.length))
        print(delivery, on: name)
        return JobReport(state: .completed, evidence: .printed, remoteJob: remoteJob)
    }

    private func print(_ delivery: Delivery, on name: String) {
        let bytes: [UInt8]
        switch delivery.document.body {
        case .bytes(let all): bytes = all
        case .file(let path, _): bytes = FileManager.default.contents(atPath: path).map(Array.init) ?? []
        }
        state.withLock { state in
            state.paper.append(Paper(printer: name, jobID: delivery.jobID, bytes: bytes))
            state.jobsTaken[name, default: []].append(delivery.jobID)
        }
    }

    func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        let name = name(printer)
        while true {
            switch behaviour(name) {
            case .forgetsJobs:
                throw TransportError(
                    .outcomeUnknown, operation: "Get-Job-Attributes", message: "\(name) knows the job no more.")
            case .neverRemembersJobs:
                var error = TransportError(
                    .outcomeUnknown, operation: "Get-Job-Attributes", message: "\(name) keeps no history.")
                error.isUnanswerable = true
                throw error
            case .forgetsJobsWhenIdle:
                guard job.origin?.takenWholeSince != nil else {
                    throw TransportError(
                        .outcomeUnknown, operation: "Get-Job-Attributes", message: "\(name) may have a part of it.")
                }
                return JobReport(
                    state: .completed, reasons: ["queued-in-device"], evidence: .accepted, remoteJob: job,
                    remarks: ["the printer no longer knows the job"])
            case .deniesQuestions:
                throw TransportError(.accessDenied, operation: "Get-Job-Attributes", message: "\(name) serves not us.")
            case .isDown:
                throw TransportError(
                    .connectionRefused, operation: "connect", message: "\(name) refused the connection")
            case .bars(let code):
                throw TransportError(code, operation: "Get-Job-Attributes", message: "\(name) says \(code)")
            case .ignoresQuestions:
                throw TransportError(.timedOut, operation: "Get-Job-Attributes", message: "\(name) did not answer")
            case .aborts(_, let why):
                var report = JobReport(state: .aborted, evidence: .accepted, remoteJob: job)
                report.unprintedAbort = why
                return report
            case .keepsJobs, .keepsJobsInSilence, .isStoppedWithJobs: break
            case .acceptsPart: return JobReport(state: .canceled, evidence: .sent, remoteJob: job)
            case .dropsJobs:
                if state.withLock({ $0.isFinishing || $0.canceled.contains(job.identifier) }) {
                    return JobReport(state: .completed, evidence: .accepted, remoteJob: job)
                }
            default: return JobReport(state: .completed, evidence: .printed, remoteJob: job)
            }
            if state.withLock({ $0.canceled.contains(job.identifier) }) {
                return JobReport(state: .canceled, evidence: .accepted, remoteJob: job)
            }
            if state.withLock(\.isFinishing) { return JobReport(state: .completed, evidence: .printed, remoteJob: job) }
            do {
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                throw TransportError(.cancelled, operation: "Get-Job-Attributes", message: "canceled")
            }
        }
    }

    func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        let name = name(printer)
        switch behaviour(name) {
        case .isDown:
            throw TransportError(.connectionRefused, operation: "connect", message: "\(name) refused the connection")
        case .forgetsJobs:
            throw TransportError(.outcomeUnknown, operation: "Get-Jobs", message: "\(name) keeps no history.")
        case .ignoresQuestions:
            throw TransportError(.timedOut, operation: "Get-Jobs", message: "\(name) did not answer")
        case .deniesQuestions:
            throw TransportError(.accessDenied, operation: "Get-Jobs", message: "\(name) serves not us.")
        default:
            return state.withLock { $0.jobsTaken[name] ?? [] }.contains(delivery.jobID)
                ? RemoteJob(identifier: delivery.jobID) : nil
        }
    }

    func remarks(
        on job: RemoteJob, of delivery: Delivery, at printer: PrinterTarget
    ) async throws -> [String] {
        if case .deniesQuestions = behaviour(name(printer)) {
            throw TransportError(.accessDenied, operation: "Get-Job-Attributes", message: "it serves not us.")
        }
        return ["it was asked for \(delivery.ticket.sides?.rawValue ?? "nothing")"]
    }

    func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        state.withLock { $0.cancellations += 1 }
        if case .dropsJobs = behaviour(name(printer)),
            state.withLock({ $0.isFinishing || $0.canceled.contains(job.identifier) })
        {
            throw TransportError(
                .outcomeUnknown, operation: "Cancel-Job", message: "\(name(printer)) does not know the job")
        }
        state.withLock { _ = $0.canceled.insert(job.identifier) }
    }

    func identify(_ printer: PrinterTarget, message: String?) async throws -> [String] {
        guard case .prints = behaviour(name(printer)) else {
            throw TransportError(.notSupported, operation: "Identify-Printer", message: "\(printer.url) cannot")
        }
        return message == nil ? ["flash"] : ["display", "flash"]
    }

    func recall(_ learned: LearnedBehavior, of printer: PrinterTarget) {
        state.withLock { $0.recalled.append(learned) }
    }

    func forget(_ printer: PrinterTarget) async { state.withLock { $0.forgotten.append(printer) } }

    func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? {
        switch behaviour(name(printer)) {
        case .shows(let certificate): return judged(.certificate(certificate), printer)
        case .showsHostKey(let key): return judged(.hostKey(key), printer)
        case .isDown:
            throw TransportError(
                .connectionRefused, operation: "connect", message: "\(name(printer)) refused the connection")
        case .isSilent:
            try await Task.sleep(for: .seconds(3600))
            return nil
        default: return nil
        }
    }

    private func judged(_ identity: ShownIdentity, _ printer: PrinterTarget) -> JudgedIdentity {
        do throws(TransportError) {
            try check(identity, printer)
            return JudgedIdentity(identity)
        } catch {
            return JudgedIdentity(identity, refusal: error)
        }
    }

    private func check(_ identity: ShownIdentity, _ printer: PrinterTarget) throws(TransportError) {
        let (key, isHostKey) = (identity.keyFingerprint, identity.hostKey != nil)
        let (code, message): (TransportError.Code, String)
        switch printer.trust {
        case .none: return
        case .pinned(let pins) where pins.contains(key): return
        case .pinned(let pins):
            (code, message) = (
                isHostKey ? .hostKeyChanged : .certificateChanged, "its key is \(key), and \(pins[0]) is pinned"
            )
        case .ask:
            (code, message) = (isHostKey ? .hostKeyUnknown : .certificateNotAccepted, "nobody has accepted \(key)")
        case .system, .caFile, .knownHosts:
            (code, message) = (
                isHostKey ? .hostKeyUnknown : .certificateUntrusted,
                isHostKey ? "no file knows it" : "its issuer is not known"
            )
        }
        throw TransportError(code, operation: "handshake", message: message, identity: identity)
    }

    func news() -> AsyncStream<PrinterNews>? {
        let (stream, reader) = AsyncStream.makeStream(of: PrinterNews.self)
        state.withLock { $0.newsreader = reader }
        return stream
    }

    func tell(_ kind: PrinterNews.Kind, of printer: PrinterTarget) {
        state.withLock { $0.newsreader }?.yield(PrinterNews(kind, of: printer))
    }

    func shutDown() async {}
}
