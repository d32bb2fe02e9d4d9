import KioskIPPCodec
import Testing

@testable import KioskIPP

@Suite struct NotificationStateTests {
    private func subscribed(_ id: Int32 = 4, lease: Int32? = nil) -> IPPMessage {
        var group = IPPGroup(.subscription, [IPPAttribute("notify-subscription-id", .integer(id))])
        if let lease { group.append(IPPAttribute("notify-lease-duration", .integer(lease))) }
        return IPPMessage(status: .successfulOk, requestID: 1, groups: [IPPGroup(.operation), group])
    }

    private func events(
        _ events: (number: Int32, job: Int32)..., status: IPPStatus = .successfulOk, of id: Int32 = 4
    ) -> IPPMessage {
        let groups = events.map { event in
            IPPGroup(
                .eventNotification,
                [
                    IPPAttribute("notify-subscription-id", .integer(id)),
                    IPPAttribute("notify-sequence-number", .integer(event.number)),
                    IPPAttribute("notify-job-id", .integer(event.job)),
                ])
        }
        return IPPMessage(status: status, requestID: 1, groups: [IPPGroup(.operation)] + groups)
    }

    private func notificationState(_ lease: Int32? = 300, isForPrinter: Bool = true) -> NotificationState {
        var state = NotificationState(isForPrinter: isForPrinter)
        _ = state.step(for: 7, now: .zero)
        _ = state.subscribed(subscribed(lease: lease), jobID: isForPrinter ? nil : 7, now: .zero)
        return state
    }

    private func fetches(_ step: NotificationState.Step) -> Int32? {
        if case .fetch(let subscription) = step { subscription.nextEvent } else { nil }
    }

    @Test func `it subscribes, asks once what happened before, and fetches`() {
        var state = NotificationState(isForPrinter: true)
        #expect(state.step(for: 7, now: .zero) == .subscribe(jobID: nil))
        #expect(state.subscribed(subscribed(lease: 60), jobID: nil, now: .zero) == .uncertain)
        #expect(state.subscription == Subscription(id: 4, endsAt: .seconds(60)))
        var job = NotificationState(isForPrinter: false)
        #expect(job.step(for: 7, now: .zero) == .subscribe(jobID: 7))
        #expect(job.subscribed(subscribed(lease: 60), jobID: 7, now: .zero) == .uncertain)
        #expect(job.subscription == Subscription(id: 4, jobID: 7))
        #expect(job.step(for: 8, now: .zero) == .subscribe(jobID: 8), "another job needs another subscription")
    }

    @Test func `a lease is renewed in time, and made anew when it ended`() {
        var state = notificationState()
        #expect(fetches(state.step(for: 7, now: .seconds(200))) == 1)
        #expect(state.step(for: 7, now: .seconds(201)) == .renew(4))
        let renewed = IPPMessage(
            status: .successfulOk, requestID: 1,
            groups: [
                IPPGroup(.operation), IPPGroup(.subscription, [IPPAttribute("notify-lease-duration", .integer(600))]),
            ])
        #expect(state.renewed(renewed, now: .seconds(201)) == .nothing)
        #expect(fetches(state.step(for: 7, now: .seconds(700))) == 1)
        #expect(state.step(for: 7, now: .seconds(801)) == .subscribe(jobID: nil))
        var endless = self.notificationState(0)
        #expect(fetches(endless.step(for: 7, now: .seconds(1_000_000))) == 1)
        var refused = self.notificationState()
        let notFound = IPPMessage(status: .clientErrorNotFound, requestID: 1)
        #expect(refused.renewed(notFound, now: .seconds(201)) == .uncertain)
        #expect(refused.step(for: 7, now: .seconds(201)) == .subscribe(jobID: nil))
    }

    @Test func `what is to be given back is what the printer keeps still`() {
        #expect(notificationState().subscription?.isActive(at: .seconds(299)) == true)
        #expect(notificationState().subscription?.isActive(at: .seconds(300)) == false)
        #expect(notificationState(0).subscription?.isActive(at: .seconds(1_000_000)) == true)
    }

    @Test func `events of the job are told, those of others passed over, and none is fetched twice`() {
        var state = notificationState()
        #expect(state.fetched(events((1, 9), (2, 8)), about: 7, after: .zero) == .nothing)
        #expect(fetches(state.step(for: 7, now: .zero)) == 3)
        #expect(state.fetched(events((3, 7)), about: 7, after: .zero) == .event)
        #expect(
            state.fetched(events((4, 7), of: 5), about: 7, after: .seconds(2)) == .nothing, "another's subscription")
        #expect(fetches(state.step(for: 7, now: .zero)) == 4)
    }

    @Test func `events that were fetched before are not news, and telling them at once is no waiting`() {
        var state = notificationState()
        #expect(state.fetched(events((1, 9), (2, 7)), about: 7, after: .zero) == .event)
        #expect(state.fetched(events((1, 9), (2, 7), (3, 9)), about: 7, after: .zero) == .nothing)
        #expect(fetches(state.step(for: 7, now: .zero)) == 4)
        #expect(state.fetched(events((2, 7), (0, 7), (-1, 7)), about: 7, after: .seconds(2)) == .nothing)
        guard case .unusable = state.fetched(events((2, 7)), about: 7, after: .zero) else {
            Issue.record("it is asked again at once")
            return
        }
    }

    @Test func `missed events lead to one question`() {
        var state = notificationState()
        #expect(state.fetched(events((1, 9)), about: 7, after: .zero) == .nothing)
        #expect(state.fetched(events((5, 9)), about: 7, after: .zero) == .uncertain)
        #expect(state.fetched(events((6, 9)), about: 7, after: .zero) == .nothing)
        #expect(state.fetched(events((.max, 9)), about: 7, after: .zero) == .uncertain)
        #expect(fetches(state.step(for: 7, now: .zero)) == .max)
    }

    @Test func `a subscription that is complete is done with`() {
        var state = notificationState(isForPrinter: false)
        #expect(state.fetched(events((1, 7), status: .successfulOkEventsComplete), about: 7, after: .zero) == .event)
        #expect(state.step(for: 7, now: .zero) == .subscribe(jobID: 7))
    }

    @Test func `a printer that forgot the subscription gets another, three times`() {
        var state = notificationState()
        let forgotten = events(status: .clientErrorNotFound)
        #expect(state.fetched(forgotten, about: 7, after: .zero) == .uncertain)
        #expect(state.step(for: 7, now: .zero) == .subscribe(jobID: nil))
        _ = state.subscribed(subscribed(), jobID: nil, now: .zero)
        #expect(state.fetched(forgotten, about: 7, after: .zero) == .uncertain)
        _ = state.subscribed(subscribed(), jobID: nil, now: .zero)
        guard case .unusable = state.fetched(forgotten, about: 7, after: .zero) else {
            Issue.record("it goes on for ever")
            return
        }
        #expect(state.step(for: 7, now: .zero) == .poll)
    }

    @Test func `after a restart the subscription's number may be another client's`() {
        func response(upTime: Int32) -> IPPMessage {
            var message = events((1, 9))
            message.groups[0].append(IPPAttribute("printer-up-time", .integer(upTime)))
            return message
        }
        var state = notificationState()
        #expect(state.fetched(response(upTime: 500), about: 7, after: .zero) == .nothing)
        #expect(state.fetched(response(upTime: 20), about: 7, after: .seconds(2)) == .uncertain)
        #expect(state.subscription == nil)
        _ = state.subscribed(subscribed(), jobID: nil, now: .zero)
        #expect(state.fetched(response(upTime: 30), about: 7, after: .zero) == .nothing)
        #expect(fetches(state.step(for: 7, now: .zero)) == 2)
    }

    @Test func `a job's subscription ends with the job, a printer's does not`() {
        var job = notificationState(isForPrinter: false)
        job.jobEnded()
        #expect(job.subscription == nil)
        var printer = notificationState()
        printer.jobEnded()
        #expect(printer.subscription?.id == 4)
    }

    @Test func `a printer that does not wait is polled`() {
        var patient = notificationState()
        #expect(patient.fetched(events(), about: 7, after: .seconds(1)) == .nothing)
        #expect(fetches(patient.step(for: 7, now: .zero)) == 1)
        guard case .unusable = patient.fetched(events(), about: 7, after: .milliseconds(999)) else {
            Issue.record("it is asked again at once")
            return
        }
        #expect(patient.step(for: 7, now: .zero) == .poll)
    }

    @Test func `a printer that is silent about a change is not trusted, unless it has told one before`() {
        var silent = notificationState()
        silent.changeWasMissed()
        #expect(silent.step(for: 7, now: .zero) == .poll)
        var proven = notificationState()
        proven.eventWasConfirmed()
        proven.changeWasMissed()
        #expect(fetches(proven.step(for: 7, now: .zero)) == 1)
    }

    @Test(arguments: [
        IPPMessage(status: .clientErrorIgnoredAllSubscriptions, requestID: 1),
        IPPMessage(status: .successfulOk, requestID: 1),
        IPPMessage(
            status: .successfulOk, requestID: 1,
            groups: [IPPGroup(.subscription, [IPPAttribute("notify-subscription-id", .integer(0))])]),
    ])
    func `no subscription, no events`(answer: IPPMessage) {
        var state = NotificationState(isForPrinter: true)
        for _ in 0..<3 { _ = state.subscribed(answer, jobID: nil, now: .zero) }
        #expect(state.step(for: 7, now: .zero) == .poll)
    }
}
