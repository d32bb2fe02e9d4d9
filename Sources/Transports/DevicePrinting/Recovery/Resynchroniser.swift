package import KioskPrintModel

/// The recovery that a printer needs before its next job, after one that was aborted.
package enum PendingRecovery: Hashable, Sendable {
    case none
    /// The pipe must be made usable again; the printer took nothing.
    case restoring
    /// The job was aborted within its data. `missing` is the number of bytes that the printer did not get.
    case resynchronising(missing: Int)

    /// Adds a need. Needs only grow until the recovery is done.
    package mutating func add(_ other: PendingRecovery) {
        switch (self, other) {
        case (.resynchronising(let known), .resynchronising(let more)):
            self = .resynchronising(missing: max(known, more))
        case (.none, _), (.restoring, .resynchronising): self = other
        case (.restoring, _), (.resynchronising, _): break
        }
    }

    /// The need after a job that failed. A document that the printer has completely is printed as a whole and needs no
    /// recovery, except that a printer that is stopped can still discard it when the job was cancelled.
    init(after job: RunningJob, _ failure: DeliveryFailure, settings: DeviceSettings, isStopped: Bool) {
        guard failure.accepted > 0 else {
            self = job.hasSentHeader ? .resynchronising(missing: 0) : .restoring
            return
        }
        let canDiscard = failure.kind == .cancelled && settings.recovery == .clearBuffers && isStopped
        let isPrinted = failure.kind == .disconnected || failure.kind == .cancelled && !canDiscard
        self = job.isSent && isPrinted ? .none : .resynchronising(missing: max(0, job.documentLength - job.accepted))
    }
}

/// A resynchronisation under way: the actions of a `Resynchroniser` that are still to be done.
struct RecoveryRun: Sendable {
    private var resynchroniser: Resynchroniser
    private var actions: [Resynchroniser.Action]

    init(_ resynchroniser: Resynchroniser) {
        var resynchroniser = resynchroniser
        actions = resynchroniser.start()
        self.resynchroniser = resynchroniser
    }

    /// Removes the next action; nil while there is none.
    mutating func next() -> Resynchroniser.Action? { actions.isEmpty ? nil : actions.removeFirst() }

    mutating func received(_ reply: EscPosReply) { actions += resynchroniser.received(reply) }

    mutating func timedOut() { actions += resynchroniser.timedOut() }
}

/// Resynchronises a printer after a job that was aborted anywhere, for example within raster data, a barcode or a
/// command, so that a new receipt can start. Does no I/O; the caller executes the actions and hands in the replies.
package struct Resynchroniser: Sendable {
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        /// Wait for the response, at most this long; then call `timedOut`.
        case wait(Duration)
        case finished
    }

    private enum State: Sendable {
        case idle, clearing, finished
    }

    private let settings: DeviceSettings
    private let language: DeviceSettings.Language?
    private let labels: LabelLanguage?
    private let condition: DeviceCondition
    private let missing: Int
    private var state = State.idle

    /// More than any raster band that receipts use.
    package static let padding = 8192
    /// More padding would print white paper for minutes.
    private static let maximumPadding = 1 << 20
    private static let clearingTime = Duration.seconds(2)

    /// `labels` counts where the printer has no language with status reports. `missing` is the most data that the
    /// aborted command may still expect, where the caller knows.
    package init(
        _ settings: DeviceSettings, language: DeviceSettings.Language?, labels: LabelLanguage? = nil,
        condition: DeviceCondition = DeviceCondition(), missing: Int = 0
    ) {
        self.settings = settings
        self.language = language
        self.labels = labels
        self.condition = condition
        self.missing = missing
    }

    package mutating func start() -> [Action] {
        guard case .idle = state else { return [] }
        switch language {
        case nil:
            state = .finished
            // NULs would be black in one language and a picture's height in another.
            return labels.map { [.send(padding + $0.discard), .finished] } ?? [.finished]
        case .escPOS?: return startEscPos()
        case .starLine?: return startStar()
        case .zpl?:
            state = .finished
            return [.send(padding + LabelLanguage.zpl.discard), .finished]
        // NULs fill up raster data, and are blanks or nothing elsewhere.
        case .pjl?:
            state = .finished
            return [.send(padding + PJLCommand.endOpenJob), .finished]
        }
    }

    /// The printer executes `DLE DC4` function 8 on reception, even within another command's data, and stops that
    /// command ("If this command is sent while another command is processing, processing of the other command is
    /// canceled", Epson). Nothing may be sent until the printer has responded. Not every printer knows it. Where the
    /// profile does not name it, NULs are sent: they fill up raster with white, end a barcode, and print nothing
    /// between commands.
    ///
    /// After a cutter error the printer takes nothing until `DLE ENQ 2`, which has no effect otherwise.
    private mutating func startEscPos() -> [Action] {
        let recover: [Action] = condition.facts.contains(.cutterError) ? [.send(EscPosCommand.recoverAndClear)] : []
        guard settings.recovery == .clearBuffers else { return recover + padded() }
        state = .clearing
        return recover + [.send(EscPosCommand.clearBuffers), .wait(Self.clearingTime)]
    }

    /// `CAN` empties receive and line buffer, with everything before it. Whether it is recognised within raster data is
    /// not documented, so NULs precede it: they fill up the data, and are not commands. Then the printer leaves raster
    /// mode and resets its settings.
    private mutating func startStar() -> [Action] {
        state = .finished
        let clear = settings.recovery == .clearBuffers ? StarCommand.cancel : []
        let bytes = padding + clear + StarCommand.quitRaster + StarCommand.initialise + starEnding
        return [.send(bytes), .finished]
    }

    package mutating func received(_ reply: EscPosReply) -> [Action] {
        guard case .clearing = state, reply == .cleared else { return [] }
        state = .finished
        return [.send(EscPosCommand.initialise + escPosEnding), .finished]
    }

    /// Handles a missing response: the buffers count as not cleared.
    package mutating func timedOut() -> [Action] {
        guard case .clearing = state else { return [] }
        return padded()
    }

    /// Ends with `ESC @`, since NULs do not reset page mode, bold type and margins.
    private mutating func padded() -> [Action] {
        state = .finished
        return [.send(padding + EscPosCommand.initialise + escPosEnding), .finished]
    }

    private var padding: [UInt8] {
        [UInt8](repeating: 0, count: min(max(Self.padding, missing), Self.maximumPadding))
    }

    private var escPosEnding: [UInt8] {
        switch settings.afterCancel {
        case .cut: EscPosCommand.feedAndCut
        case .feed: EscPosCommand.feed
        case .leave: []
        }
    }

    private var starEnding: [UInt8] {
        switch settings.afterCancel {
        case .cut: StarCommand.feedAndCut
        case .feed: StarCommand.feed
        case .leave: []
        }
    }
}
