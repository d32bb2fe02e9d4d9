import PrintModel

// What is due between jobs, done in the background.
extension DeviceConversation {
    /// Pays what is due in the background.
    func keepUp() {
        guard upkeep == nil, !isOver, debt != .none || isAskingDue else { return }
        upkeep = Task {
            if await lane.enter() {
                await prepare()
                lane.leave()
            }
            upkeep = nil
            for waiting in awaitingUpkeep { waiting.signal() }
        }
    }

    /// Paying may take as long as the printer does, and goes on by itself.
    private func upkeepEnded(by limit: ElapsedClock.Instant) async {
        guard upkeep != nil else { return }
        let waiting = Wakeup()
        awaitingUpkeep.append(waiting)
        await waiting.wait(until: limit, clock)
        awaitingUpkeep.removeAll { $0 === waiting }
    }

    private static let longestUpkeep = Duration.seconds(3)

    /// How it is; asked first where it does not say so by itself, and does nothing else just now. Ends soon, with what
    /// is known.
    package func condition() async -> DeviceCondition {
        if !isKnownToBeReady { isAskingDue = true }
        // What is owed to a printer that has stopped is paid when somebody has been at it.
        let isBlocked = debt != .none && watch.condition.isStopped
        guard job == nil, resynchroniser == nil, !isOver, !isBlocked, upkeep != nil || !lane.isTaken else {
            return watch.condition
        }
        let limit = clock.now.advanced(by: Self.longestUpkeep)
        let isUnderWay = upkeep != nil
        keepUp()
        await upkeepEnded(by: limit)
        // It may have asked before this, and what has changed since is not in its answer.
        if isUnderWay, isAskingDue, job == nil, !lane.isTaken {
            keepUp()
            await upkeepEnded(by: limit)
        }
        return watch.condition
    }

    /// What has stopped is asked again whatever it reports by itself: one report that was lost must not stop it for
    /// ever.
    var isKnownToBeReady: Bool { reportsByItself && !watch.condition.isStopped }
}
