import KioskPrintModel

extension Job {
    /// The state as a picture and a word; an unconfirmed job is never shown as completed.
    func badge(_ texts: Texts) -> HTML {
        "<span class=\"badge \(tone)\">\(icon.html)\(stateWord(texts))</span>"
    }

    /// How the end is known, beside the state; nothing before there is any evidence.
    func evidenceTag(_ texts: Texts) -> HTML {
        guard let evidence, state == .completed || isUnconfirmed || !state.isFinal else { return .empty }
        let hint = texts.member("\(evidence.rawValue).hint", of: "evidence") ?? ""
        return
            "<span class=\"tag\" title=\"\(hint)\">\(texts.member(evidence.rawValue, of: "evidence") ?? evidence.rawValue)</span>"
    }

    /// The state in the reader's language.
    func stateWord(_ texts: Texts) -> String {
        let key = isUnconfirmed && state != .completed ? "unconfirmed" : state.rawValue
        return texts.member(key, of: "job.state") ?? state.rawValue
    }

    /// The name for people; others' jobs and jobs without one have none.
    func title(_ texts: Texts) -> String { name.isEmpty ? texts("job.unnamed") : name }

    /// The message where it says more than the state does: printers often give the state's keyword alone.
    var tellingMessage: String? {
        guard let message, !message.isEmpty, JobState(rawValue: message) == nil else { return nil }
        return message
    }

    /// Whether an operator has to say what became of it.
    var needsDecision: Bool { state == .pendingHeld && isUnconfirmed }

    private var tone: HTML {
        if isUnconfirmed && state != .completed { return "warn" }
        return switch state {
        case .completed: "good"
        case .processing: "busy"
        case .processingStopped, .pendingHeld: "warn"
        case .aborted: "bad"
        case .pending, .canceled: "none"
        }
    }

    private var icon: Icon {
        if isUnconfirmed && state != .completed { return .unknown }
        return switch state {
        case .completed: .ready
        case .processing: .busy
        case .processingStopped, .pendingHeld: .attention
        case .aborted: .stopped
        case .pending: .queue
        case .canceled: .remove
        }
    }

    /// Role and printer: `receipt → till-1`.
    func destination(_ names: [PrinterID: String]) -> HTML {
        let place = printer.map { id in
            HTML("<a class=\"tag\" href=\"/printers/\(id)\"><bdi>\(names[id] ?? id.rawValue)</bdi></a>")
        }
        let role = role.map { HTML("<span class=\"tag\">\($0)</span>") }
        return [role, place].compactMap(\.self).html { $0 + " " }
    }
}
