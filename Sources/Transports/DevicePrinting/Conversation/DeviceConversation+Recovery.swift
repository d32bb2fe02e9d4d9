import PrintModel

extension DeviceConversation {
    /// Makes the pipe usable and the printer clean again after a job that broke off. False where that did not succeed;
    /// then it stays owed. The caller holds the lane.
    func payDebt() async -> Bool {
        guard debt != .none, !isOver else { return !isOver }
        let pipe = pipe
        let error = await limited(until: clock.now.advanced(by: Self.longestRestoring)) { () -> DevicePipeError? in
            do throws(DevicePipeError) {
                try await pipe.restore(resetting: false)
                return nil
            } catch {
                return error
            }
        }
        if error?.kind == .gone { end() }
        guard error == nil, !isOver else { return false }
        // What is owed from now on is not paid by this.
        let owed = debt
        debt = .none
        guard case .resynchronising(let missing) = owed else { return true }
        guard await resynchronise(missing: missing) else {
            debt.grow(to: owed)
            return false
        }
        isAskingDue = true
        return true
    }

    private static let longestRestoring = Duration.seconds(5)

    /// Whether it came to its end.
    private func resynchronise(missing: Int) async -> Bool {
        var begun = Resynchroniser(
            settings, language: language, labels: labels, condition: watch.condition, missing: missing)
        recoverySteps = begun.begin()
        resynchroniser = begun
        defer {
            resynchroniser = nil
            recoverySteps = []
        }
        // The report that was asked for before may have been thrown away.
        isReportAwaited = false
        var deadline: ElapsedClock.Instant?
        while !isOver, !Task.isCancelled {
            guard let step = recoverySteps.first else {
                if let due = deadline, due <= clock.now {
                    recoverySteps += resynchroniser?.waitedInVain() ?? []
                    deadline = nil
                } else {
                    await wakeup.wait(until: deadline, clock)
                }
                continue
            }
            recoverySteps.removeFirst()
            switch step {
            case .wait(let time): deadline = clock.now.advanced(by: time)
            case .finished:
                quietSince = clock.now
                // `CAN` is carried out when it is received; NULs only follow what the printer has.
                if language == .starLine, settings.recovery == .clearBuffers { wasCleared() }
                return true
            case .send(let bytes): guard await sendPatiently(bytes) else { return false }
            }
        }
        return false
    }

    func recovered(_ reply: EscPosReply) {
        guard resynchroniser != nil else { return }
        recoverySteps += resynchroniser?.received(reply) ?? []
        if reply == .cleared { wasCleared() }
    }

    private func wasCleared() {
        memory.beganAnew()
        unconfirmed = 0
    }

    /// What has stopped may stay so for hours; what has not is given the time to print all that it can hold, anew
    /// whenever it goes on.
    private func sendPatiently(_ bytes: [UInt8]) async -> Bool {
        recoverySent = nil
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.sendRecovery(bytes) }
            await watchRecovery()
            group.cancelAll()
            return await group.next() ?? false
        }
    }

    private func sendRecovery(_ bytes: [UInt8]) async -> Bool {
        let isSent = await send(bytes, until: nil)
        recoverySent = isSent
        wakeup.signal()
        return isSent
    }

    /// Until it is sent, or has been waited for long enough.
    private func watchRecovery() async {
        let patience = PrintPace(settings).longestSilence(holding: .max)
        var deadline: ElapsedClock.Instant?
        var nextLook = clock.now.advanced(by: Self.betweenLooks)
        while recoverySent == nil, !isOver, !Task.isCancelled {
            let now = clock.now
            deadline = isStoppedForSure ? nil : deadline ?? now.advanced(by: patience)
            if let deadline, deadline <= now { return }
            if nextLook <= now {
                await askPort()
                nextLook = clock.now.advanced(by: Self.betweenLooks)
            } else {
                await wakeup.wait(until: min(deadline ?? nextLook, nextLook), clock)
            }
        }
    }

    private static let betweenLooks = Duration.seconds(8)

    /// Only who would tell of its end as well, by itself or its port, has stopped for as long as it says.
    private var isStoppedForSure: Bool { watch.condition.isStopped && (reportsByItself || !hasSpoken) }
}
