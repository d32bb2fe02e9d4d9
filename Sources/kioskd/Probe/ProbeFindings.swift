import KioskAPI
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry

/// Tells what a probe found: each step with what to do, and what a form may propose. No I/O.
struct ProbeFindings: Sendable {
    let request: ProbeRequest
    let outcome: ProbeOutcome
    /// The saved printers with what is known of them.
    let saved: [PrinterStatus]
    let profiles: ProfileLibrary?
    /// The role that the printer is wanted for.
    let role: Role?

    /// The report on all of it.
    var report: ProbeReport {
        let description = outcome.report?.description
        var names = SuggestedNames(taken: saved.map(\.printer.id))
        var report = ProbeReport(url: request.url, suggestedID: names.next(for: model ?? request.url.host))
        report.availability = outcome.report?.availability
        report.description = description
        report.suggestedName = model ?? description?.name
        let shown = outcome.identity
        report.certificate = shown?.identity.certificate
        report.hostKey = shown?.identity.hostKey
        report.device = shown?.identity.device ?? description?.learned?.device
        report.isTrusted = shown.map { $0.refusal == nil }
        report.saved = matches
        report.steps = [reach]
        if let step = trust { report.steps.append(step) }
        if let step = login { report.steps.append(step) }
        if outcome.report != nil { describe(&report) }
        if let step = savedStep { report.steps.append(step) }
        report.needs += needs
        report.suggestedURL = suggestedURL
        return report
    }

    private var model: String? {
        let device = outcome.identity?.identity.device ?? outcome.report?.description.learned?.device
        let told = [device?.make, device?.model].compactMap(\.self).joined(separator: " ")
        return [outcome.report?.description.makeAndModel, told].compactMap(\.self).first { !$0.isEmpty }
    }

    // MARK: Whether it answers

    private var reach: ProbeReport.Step {
        guard let failure = outcome.failure, Self.stages[failure.code] == nil else {
            return .init(.reach, .passed, "\(request.url) answers")
        }
        return Self.failed(.reach, failure)
    }

    private var trust: ProbeReport.Step? {
        if let failure = outcome.failure, Self.stages[failure.code] == .trust {
            return Self.failed(.trust, failure)
        }
        if let refusal = outcome.identity?.refusal {
            return Self.failed(.trust, refusal)
        }
        if request.trust == Trust.none {
            return .init(
                .trust, .warning, "nobody checks who answers at \(request.url)",
                advice: "accept its certificate or host key instead, where it has one")
        }
        guard outcome.report != nil, let identity = outcome.identity?.identity else { return nil }
        return switch identity {
        case .certificate: .init(.trust, .passed, "its certificate is trusted")
        case .hostKey: .init(.trust, .passed, "its host key is trusted")
        case .device(let device):
            .init(.trust, .passed, "it says that it is \(device); it is known by that from its first contact on")
        }
    }

    private var login: ProbeReport.Step? {
        if let failure = outcome.failure {
            guard Self.stages[failure.code] == .login else { return nil }
            return Self.failed(.login, failure)
        }
        return request.credentials.map { .init(.login, .passed, "it accepts the login \"\($0)\", or asks for none") }
    }

    private var needs: [ProbeReport.Need] {
        guard let failure = outcome.failure else { return [] }
        switch failure.code {
        case .certificateUntrusted, .certificateChanged, .certificateNotAccepted, .hostKeyUnknown, .hostKeyChanged,
            .identityChanged:
            return [.trust]
        case .authenticationRequired, .loginRefused, .accessDenied, .credentialsUnusable: return [.login]
        case .tlsRequired, .printerNotFound, .notSupported, .hostNotFound, .connectionRefused, .protocolViolation:
            return [.url]
        default: return []
        }
    }

    private var suggestedURL: PrinterURL? {
        guard outcome.failure?.code == .tlsRequired, request.url.scheme == .ipp else { return nil }
        return try? PrinterURL("ipps" + request.url.description.dropFirst("ipp".count))
    }

    /// A step that failed. A transport's message says what happened, then after a semicolon what to do.
    private static func failed(_ step: ProbeReport.Step.Kind, _ failure: TransportError) -> ProbeReport.Step {
        let (what, rest) = failure.message[...].splitOnce(at: ";")
        let told = rest.map { String($0.trimmingBlanks()) }
        // Only a form can accept what a printer shows before it is saved.
        let ours = step == .trust ? advice[failure.code] : nil
        return .init(step, .failed, String(what), advice: ours ?? told ?? advice[failure.code] ?? standardAdvice)
    }

    // MARK: What it is

    private func describe(_ report: inout ProbeReport) {
        guard let contact = outcome.report else { return }
        report.steps.append(
            model.map { .init(.describe, .passed, "it is \($0)") }
                ?? .init(
                    .describe, .warning, "it does not say which model it is", advice: "choose its profile by hand"))
        report.steps.append(state(contact.availability))
        let identity = PrinterIdentity(
            profile: nil, makeAndModel: model, deviceID: contact.description.deviceID)
        report.suggestedProfile = profiles?.printing(for: identity)?.profile.name
        let named = (request.profile ?? report.suggestedProfile).flatMap { profiles?.profile(named: $0) }
        let reported = contact.description.jobTypes
        let jobTypes = request.jobTypes ?? named?.jobTypes ?? (reported.isEmpty ? nil : reported)
        report.jobTypes = jobTypes
        report.doesRole =
            role.map { role in
                role.jobType.map { wanted in jobTypes.map { $0.isSuperset(of: wanted) } } ?? true
            } ?? nil
        let profile = profileStep(report, jobTypes: jobTypes)
        report.steps.append(profile)
        if profile.outcome == .warning { report.needs.append(.profile) }
        guard let role else { return }
        report.steps.append(roleStep(role, report.doesRole, jobTypes))
    }

    private func state(_ availability: Availability) -> ProbeReport.Step {
        let reasons = availability.reasons.filter { $0.severity != .report }.map(\.keyword).joined(separator: ", ")
        let why = reasons.isEmpty ? "" : ": \(reasons)"
        guard availability.isAvailable, availability.state != .attention else {
            return .init(
                .state, .warning, "it is \(availability.state.rawValue)\(why)",
                advice: "it can be saved; what is sent to it waits until that is mended")
        }
        return .init(.state, .passed, "it is \(availability.state.rawValue)\(why)")
    }

    private func profileStep(_ report: ProbeReport, jobTypes: JobTypes?) -> ProbeReport.Step {
        if let name = request.profile {
            return .init(.profile, .passed, "it is to be printed to as the profile \(name) says")
        }
        if let name = report.suggestedProfile { return .init(.profile, .passed, "the profile \(name) fits it") }
        let isRaw = [PrinterURL.Scheme.socket, .lpd, .serial, .usb].contains(request.url.scheme)
        let wanted = report.doesRole == false ? jobTypes : role?.jobType ?? jobTypes
        let isForReceipts = !(wanted ?? []).isDisjoint(with: [.receipt, .label])
        guard isRaw || isForReceipts else {
            return .init(.profile, .passed, "it describes itself, and needs no profile")
        }
        return .init(
            .profile, .warning, "no profile fits it by its name",
            advice: "choose the profile of its model or of its paper, such as generic-80mm")
    }

    private func roleStep(_ role: Role, _ doesRole: Bool?, _ jobTypes: JobTypes?) -> ProbeReport.Step {
        let wanted = (role.jobType ?? []).keywords.joined(separator: ", ")
        switch doesRole {
        case true?: return .init(.role, .passed, "it does the jobs of the role \(role.name)")
        case false?:
            let does = (jobTypes ?? []).keywords.joined(separator: ", ")
            return .init(
                .role, .failed, "the role \(role.name) is for \(wanted), and it says that it is for \(does)",
                advice: "choose another printer, or set its job types by hand where it says too little")
        case nil:
            return .init(
                .role, .warning, "it does not say whether it prints \(wanted)",
                advice: "set its job types, or a profile that states them")
        }
    }

    // MARK: Whether it is saved

    private var matches: [ProbeReport.SavedMatch] {
        saved.compactMap { status in
            if status.printer.url == request.url { return .init(printer: status.printer.id, by: .url) }
            return isSameDevice(as: status) ? .init(printer: status.printer.id, by: .device) : nil
        }
    }

    private func isSameDevice(as status: PrinterStatus) -> Bool {
        let (new, old) = (outcome.report?.description, status.description)
        if let uuid = new?.uuid, !uuid.isEmpty, uuid == old?.uuid, new?.name == old?.name { return true }
        let device = outcome.identity?.identity.device ?? new?.learned?.device
        if let device, let known = old?.learned?.device { return device.isSameDevice(as: known) == true }
        // The key of a gateway or print server says nothing of which of its printers it is.
        guard let identity = outcome.identity?.identity, identity.hostKey == nil,
            case .pinned(let pins)? = status.printer.trust
        else { return false }
        return pins.contains(identity.keyFingerprint) && status.printer.url.path == request.url.path
    }

    private var savedStep: ProbeReport.Step? {
        guard let match = matches.first else { return nil }
        let how = match.by == .url ? "under this URL" : "under another URL"
        return .init(
            .saved, .warning, "it is saved already \(how), as \(match.printer)",
            advice: "edit that one, unless you want to print to it under two names")
    }
}

// MARK: - What to do

extension ProbeFindings {
    /// The steps at which a contact fails that did reach something.
    private static let stages: [TransportError.Code: ProbeReport.Step.Kind] = [
        .certificateUntrusted: .trust, .certificateChanged: .trust, .certificateNotAccepted: .trust,
        .tlsRequired: .trust, .tlsFailed: .trust, .hostKeyUnknown: .trust, .hostKeyChanged: .trust,
        .hostKeyRevoked: .trust, .identityChanged: .trust, .noCommonAlgorithm: .trust,
        .authenticationRequired: .login, .loginRefused: .login, .accessDenied: .login, .credentialsUnusable: .login,
    ]

    private static let standardAdvice = "see whether it is on and connected, and whether the URL is right"

    private static let advice: [TransportError.Code: String] = [
        .hostNotFound: "check the name, or write the address that its panel or settings page shows",
        .connectionRefused:
            "its host is there, and nothing listens at this port: check the port, and try another scheme, such as ipp, socket or lpd",
        .connectionLost: "try again; another computer may hold its only connection",
        .timedOut: "see whether it is on, and on the same network as this computer; a firewall may drop what is sent",
        .certificateUntrusted: compare, .certificateNotAccepted: compare, .hostKeyUnknown: compare,
        .certificateChanged: findOut, .hostKeyChanged: findOut, .identityChanged: findOut,
        .hostKeyRevoked: "find out who answers there, and give the host a new key",
        .tlsRequired: "save it with an ipps URL",
        .tlsFailed: "see whether it speaks TLS at this port; else use ipp",
        .noCommonAlgorithm: "update the host's SSH server",
        .authenticationRequired: "write its login into secrets.yaml under a name, and give that name as credentials",
        .loginRefused:
            "mend user or password under that name in secrets.yaml, then probe again; it is not tried again by itself, since accounts are locked",
        .accessDenied: "have its administrator let this user print",
        .credentialsUnusable: "mend the entry in secrets.yaml, then probe again",
        .printerNotFound: "the host answers, and has no such printer: check the path or the queue's name",
        .programMissing: "install the program on the host",
        .printerBusy: "try again in a moment",
        .protocolViolation: "what answers there is no printer of this scheme: check port and scheme",
        .notSupported: "try another scheme",
    ]

    private static let compare =
        "compare the fingerprint with what its own panel, settings page or administrator says, then accept it"
    private static let findOut = "find out why it is another one before you accept it"
}
