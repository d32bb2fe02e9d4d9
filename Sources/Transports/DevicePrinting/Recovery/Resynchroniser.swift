package import PrintModel

/// Brings a printer back to where a new receipt begins, after a job that was cancelled or broke off anywhere: in the
/// middle of raster data, of a barcode, of a command. Does no I/O; the caller carries out the steps and hands in the
/// answers.
package struct Resynchroniser: Sendable {
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        /// For the answer to what was sent, at most so long; then `waitedInVain`.
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

    /// A row of bands of raster as receipts are sent in has less than this.
    package static let padding = 8192
    /// Beyond this a job is not worth padding: it would print white paper for minutes.
    private static let longestPadding = 1 << 20
    private static let clearingTime = Duration.seconds(2)

    /// `labels` counts where the printer has no language to be asked in. `missing` is the most that the command broken
    /// off may still expect, where the caller knows.
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

    package mutating func begin() -> [Action] {
        guard case .idle = state else { return [] }
        switch language {
        case nil:
            state = .finished
            // NULs would be black in one language and a picture's height in another.
            return labels.map { [.send(padding + $0.discard), .finished] } ?? [.finished]
        case .escPOS?: return beginEscPos()
        case .starLine?: return beginStar()
        }
    }

    /// `DLE DC4` function 8 is carried out on reception, also inside another command's data, and stops that command
    /// ("If this command is sent while another command is processing, processing of the other command is canceled",
    /// Epson). Nothing may be sent until it is answered. Not every printer knows it, so NULs do where the profile does
    /// not name it: they fill up raster with white, end a barcode, and print nothing between commands.
    ///
    /// After a cutter's error the printer takes nothing until `DLE ENQ 2`, which has no effect otherwise.
    private mutating func beginEscPos() -> [Action] {
        let recover: [Action] = condition.facts.contains(.cutterError) ? [.send(EscPosCommand.recoverAndClear)] : []
        guard settings.recovery == .clearBuffers else { return recover + padded() }
        state = .clearing
        return recover + [.send(EscPosCommand.clearBuffers), .wait(Self.clearingTime)]
    }

    /// `CAN` empties receive and line buffer, with all that stands before it. Whether it is recognised inside raster
    /// data is not documented, so NULs stand in front: they fill up the data, and are no command. Then raster mode is
    /// left, and the settings begin anew.
    private mutating func beginStar() -> [Action] {
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

    /// Without an answer the buffers count as not cleared.
    package mutating func waitedInVain() -> [Action] {
        guard case .clearing = state else { return [] }
        return padded()
    }

    /// `ESC @` behind, since NULs leave page mode, bold type and margins as they were.
    private mutating func padded() -> [Action] {
        state = .finished
        return [.send(padding + EscPosCommand.initialise + escPosEnding), .finished]
    }

    private var padding: [UInt8] {
        [UInt8](repeating: 0, count: min(max(Self.padding, missing), Self.longestPadding))
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
