package import PrintModel

/// What one printer has shown of how it confirms jobs. The caller keeps it for as long as it knows the printer.
package struct CompletionMemory: Hashable, Sendable {
    /// The strongest way that the profile allows.
    package let strongest: DeviceSettings.Completion
    private var proven: Set<DeviceSettings.Completion> = []
    private var silent: Set<DeviceSettings.Completion> = []
    private var nextNumber: UInt32
    /// Answers to `GS r` that may yet come, or ETB that may yet be counted: at most. While a document goes out less
    /// than none, where it has provoked some that were not reckoned with yet.
    private(set) var outstanding = 0
    /// Star's counter of ETB as it was last seen.
    private var etbCount: UInt8?

    /// The seed decides the first id. Let it be random, so that the answer to a job of an earlier run is not taken for
    /// one of ours.
    ///
    /// `former` is what the same printer has shown before, under whatever settings.
    package init(
        _ settings: DeviceSettings, language: DeviceSettings.Language?, seed: UInt32, former: CompletionMemory? = nil
    ) {
        strongest = Self.strongest(settings.completion, language)
        nextNumber = seed % Self.idCount
        guard let former else { return }
        (proven, silent, outstanding) = (former.proven, former.silent, former.outstanding)
    }

    /// Only what belongs to the language. Every ESC/POS printer answers `GS r`; a clone that does not know `GS ( H` may
    /// print it, so that one has to stand in the profile.
    private static func strongest(
        _ wanted: DeviceSettings.Completion?, _ language: DeviceSettings.Language?
    ) -> DeviceSettings.Completion {
        switch (language, wanted) {
        case (nil, _), (_, DeviceSettings.Completion.none?): .none
        case (.escPOS?, .processID?): .processID
        case (.escPOS?, _): .statusRequest
        case (.starLine?, _): .etb
        }
    }

    /// The way for the next job: the strongest that the printer has not left unanswered.
    package var method: DeviceSettings.Completion {
        var method = strongest
        while silent.contains(method) { method = method.nextWeaker }
        return method
    }

    /// Whether it tells how many ETB it has carried out.
    var countsETB: Bool { etbCount != nil }

    package func isProven(_ method: DeviceSettings.Completion) -> Bool { proven.contains(method) }

    /// The printer has been cleared: nothing of what was sent before will be answered.
    package mutating func beganAnew() { outstanding = 0 }

    /// A document with so many questions of its own has gone out.
    mutating func sent(questions: Int) {
        // So many are never told apart any more.
        let sum = outstanding.addingReportingOverflow(max(0, questions))
        outstanding = max(0, sum.overflow ? .max / 2 : min(sum.partialValue, .max / 2))
    }

    /// Some were not taken, and so will not be answered.
    mutating func retract(to outstanding: Int) { self.outstanding = min(self.outstanding, outstanding) }

    /// Between jobs: an answer to one that was given up, or to a question of its document.
    mutating func received(_ reply: EscPosReply) {
        if case .status = reply { outstanding = max(0, outstanding - 1) }
    }

    /// Between jobs. Star's counter tells how many ETB have been carried out since it was last seen, of whatever job
    /// they were.
    package mutating func received(_ status: StarStatus) {
        count(status)
        outstanding = max(0, outstanding)
    }

    /// The same in a job; how many it was.
    @discardableResult
    mutating func count(_ status: StarStatus) -> Int {
        guard let count = status.etbCount else { return 0 }
        defer { etbCount = count }
        guard let seen = etbCount else { return 0 }
        let executed = Int((count &+ StarStatus.etbCounts &- seen) % StarStatus.etbCounts)
        outstanding -= executed
        return executed
    }

    /// In a job.
    mutating func gotAnswer() { outstanding -= 1 }

    /// A printer that confirms after all is asked again.
    mutating func confirmed(_ method: DeviceSettings.Completion) {
        proven.insert(method)
        silent.remove(method)
    }

    mutating func leftUnanswered(_ method: DeviceSettings.Completion) {
        guard !proven.contains(method) else { return }
        silent.insert(method)
    }

    /// Four digits and capital letters, counting up.
    mutating func nextID() -> String {
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        var (number, id) = (nextNumber, [UInt8](repeating: 0, count: 4))
        for index in id.indices.reversed() {
            id[index] = digits[Int(number % 36)]
            number /= 36
        }
        nextNumber = (nextNumber + 1) % Self.idCount
        return String(decoding: id, as: UTF8.self)
    }

    private static let idCount: UInt32 = 36 * 36 * 36 * 36
}

extension DeviceSettings.Completion {
    var nextWeaker: DeviceSettings.Completion {
        switch self {
        case .processID: .statusRequest
        case .statusRequest, .etb, .none: .none
        }
    }
}
