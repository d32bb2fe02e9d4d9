import IPPCodec

// Requests that wait for an event.
extension PrinterCore {
    func wait(_ connection: ObjectIdentifier, _ wait: NotificationWait, answer: @escaping (IPPMessage) -> Void) {
        waits[connection] = (wait, answer)
        settle()
    }

    /// Answers those for whom there is something to tell, or whose time is over.
    func answerWaits() {
        for (connection, waiting) in waits {
            guard let message = answer(waiting.wait) else { continue }
            waits[connection] = nil
            waiting.answer(message)
        }
    }

    private func answer(_ wait: NotificationWait) -> IPPMessage? {
        do throws(IPPRefusal) {
            if let answer = try service.notifications(wait.request, at: now) { return answer }
            return wait.endsAt <= now ? service.noNotifications(wait.request, at: now) : nil
        } catch {
            return service.refusal(error, to: wait.request.message)
        }
    }
}
