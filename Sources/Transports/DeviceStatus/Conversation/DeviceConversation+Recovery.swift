import PrintModel

extension DeviceConversation {
    /// Makes the pipe usable and the printer clean again after a job that broke off. What does not succeed stays owed. The
    /// caller holds the lane.
    func payDebt() async {
        guard debt != .none, !isOver else { return }
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
        guard error == nil, !isOver else { return }
        // What is owed from now on is not paid by this.
        let owed = debt
        debt = .none
        guard case .resynchronising(let missing) = owed else { return }
        if await resynchronise(missing: missing) {
            isAskingDue = true
        } else {
            debt.grow(to: owed)
        }
    }

    private static let longestRestoring = Duration.seconds(5)

    /// Whether it came to its end.
    private func resynchronise(missing: Int) async -> Bool {
        var begun = Resynchroniser(settings, language: language, labels: labels, condition: watch.condition, missing: missing)
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
                if language == .starLine, settings.recovery == .clearBuffers { memory.beganAnew() }
                return true
            case .send(let bytes):
                // What has stopped may stay so for hours; what has not is given the time to print all that it can hold.
                let patience = PrintPace(settings).longestSilence(holding: .max)
                let limit = watch.condition.isStopped ? nil : clock.now.advanced(by: patience)
                guard await send(bytes, until: limit) else { return false }
            }
        }
        return false
    }

    func recovered(_ reply: EscPosReply) {
        guard resynchroniser != nil else { return }
        recoverySteps += resynchroniser?.received(reply) ?? []
        if reply == .cleared { memory.beganAnew() }
    }
}
