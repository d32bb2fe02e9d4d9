import PrintModel

// What the printer says.
extension DeviceConversation {
    func received(_ bytes: [UInt8]) {
        quietSince = clock.now
        switch language {
        case nil: return
        case .escPOS?: for reply in escPosReplies.feed(bytes) { received(reply) }
        case .starLine?:
            for case .status(let status) in starReplies.feed(bytes) { received(status) }
        }
        wakeup.signal()
    }

    private func received(_ reply: EscPosReply) {
        switch reply {
        case .automaticStatus, .realTimeStatus: (isSilent, hasSpoken) = (false, true)
        default: isSilent = false
        }
        if case .automaticStatus = reply {
            reportsByItself = true
            isReportAwaited = false
        }
        carryOut(watch.received(reply))
        recovered(reply)
        guard job != nil else { return receivedBetweenJobs { $0.received(reply) } }
        tell(job?.received(reply, &memory, at: clock.now))
    }

    private func received(_ status: StarStatus) {
        (isSilent, hasSpoken) = (false, true)
        if !watch.isAsking { (reportsByItself, isReportAwaited) = (true, false) }
        carryOut(watch.received(status))
        guard job != nil else { return receivedBetweenJobs { $0.received(status) } }
        tell(job?.received(status, &memory, at: clock.now))
    }

    private func receivedBetweenJobs(_ take: (inout CompletionMemory) -> Void) {
        let before = memory.outstanding
        take(&memory)
        if memory.outstanding != before, answeredSince != nil { answeredSince = clock.now }
    }
}
