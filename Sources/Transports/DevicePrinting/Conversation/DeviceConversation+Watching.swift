import PrintModel

// A job under way.
extension DeviceConversation {
    /// Until the job has ended; nil where that was not its own doing.
    func watchJob(_ gauge: FlowGauge, _ group: inout DiscardingTaskGroup) async -> RunningJob.End? {
        let alarm = Alarm(wakeup, clock)
        defer { alarm.turnOff() }
        while let looking = job?.nextLook, !isOver, !Task.isCancelled {
            let now = clock.now
            tell(job?.flowed(to: gauge.taken, paper: gauge.paper, at: now))
            if let end = job?.end(at: now, &memory) { return end }
            if let bytes = question {
                question = nil
                questionsUnderWay += 1
                group.addTask { await self.ask(bytes) }
            } else if isAnswerOverdue {
                carryOut(watch.waitedInVain())
            } else if looking <= now {
                look(at: now, &group)
            } else {
                alarm.set(at: [answerDeadline, job?.deadline.deadline].compactMap { $0 }.reduce(looking, min))
                await wakeup.wait()
            }
        }
        return nil
    }

    /// After a printer that does not move on; by a way that harms nothing where the job stands.
    private func look(at now: ElapsedClock.Instant, _ group: inout DiscardingTaskGroup) {
        job?.looked(at: now)
        if isWorthAsking, questionsUnderWay == 0 { carryOut(watch.askNow(insideJob: job?.isSent != true)) }
        if !watch.isAsking { group.addTask { await self.askPort() } }
    }

    private func ask(_ question: [UInt8]) async {
        await send(question, until: nil)
        questionsUnderWay -= 1
    }
}
