import IPPCodec
import Testing

@testable import IPP

@Suite struct NoticeWatchTests {
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

    private func watch(_ lease: Int32? = 300, isForPrinter: Bool = true) -> NoticeWatch {
        var watch = NoticeWatch(isForPrinter: isForPrinter)
        _ = watch.step(for: 7, now: .zero)
        _ = watch.subscribed(subscribed(lease: lease), jobID: isForPrinter ? nil : 7, now: .zero)
        return watch
    }

    private func fetches(_ step: NoticeWatch.Step) -> Int32? {
        if case .fetch(let subscription) = step { subscription.nextEvent } else { nil }
    }

    @Test func `it subscribes, asks once what happened before, and fetches`() {
        var watch = NoticeWatch(isForPrinter: true)
        #expect(watch.step(for: 7, now: .zero) == .subscribe(jobID: nil))
        #expect(watch.subscribed(subscribed(lease: 60), jobID: nil, now: .zero) == .perhaps)
        #expect(watch.subscription == Subscription(id: 4, endsAt: .seconds(60)))
        var job = NoticeWatch(isForPrinter: false)
        #expect(job.step(for: 7, now: .zero) == .subscribe(jobID: 7))
        #expect(job.subscribed(subscribed(lease: 60), jobID: 7, now: .zero) == .perhaps)
        #expect(job.subscription == Subscription(id: 4, jobID: 7))
        #expect(job.step(for: 8, now: .zero) == .subscribe(jobID: 8), "another job needs another subscription")
    }

    @Test func `a lease is renewed in time, and made anew when it ended`() {
        var watch = watch()
        #expect(fetches(watch.step(for: 7, now: .seconds(200))) == 1)
        #expect(watch.step(for: 7, now: .seconds(201)) == .renew(4))
        let renewed = IPPMessage(
            status: .successfulOk, requestID: 1,
            groups: [
                IPPGroup(.operation), IPPGroup(.subscription, [IPPAttribute("notify-lease-duration", .integer(600))]),
            ])
        #expect(watch.renewed(renewed, now: .seconds(201)) == .nothing)
        #expect(fetches(watch.step(for: 7, now: .seconds(700))) == 1)
        #expect(watch.step(for: 7, now: .seconds(801)) == .subscribe(jobID: nil))
        var endless = self.watch(0)
        #expect(fetches(endless.step(for: 7, now: .seconds(1_000_000))) == 1)
        var refused = self.watch()
        #expect(refused.renewed(IPPMessage(status: .clientErrorNotFound, requestID: 1), now: .seconds(201)) == .perhaps)
        #expect(refused.step(for: 7, now: .seconds(201)) == .subscribe(jobID: nil))
    }

    @Test func `what is to be given back is what the printer keeps still`() {
        #expect(watch().subscription?.isKept(at: .seconds(299)) == true)
        #expect(watch().subscription?.isKept(at: .seconds(300)) == false)
        #expect(watch(0).subscription?.isKept(at: .seconds(1_000_000)) == true)
    }

    @Test func `events of the job are told, those of others passed over, and none is fetched twice`() {
        var watch = watch()
        #expect(watch.fetched(events((1, 9), (2, 8)), about: 7, after: .zero) == .nothing)
        #expect(fetches(watch.step(for: 7, now: .zero)) == 3)
        #expect(watch.fetched(events((3, 7)), about: 7, after: .zero) == .event)
        #expect(
            watch.fetched(events((4, 7), of: 5), about: 7, after: .seconds(2)) == .nothing, "another's subscription")
        #expect(fetches(watch.step(for: 7, now: .zero)) == 4)
    }

    @Test func `events that were fetched before are no news, and telling them at once is no waiting`() {
        var watch = watch()
        #expect(watch.fetched(events((1, 9), (2, 7)), about: 7, after: .zero) == .event)
        #expect(watch.fetched(events((1, 9), (2, 7), (3, 9)), about: 7, after: .zero) == .nothing)
        #expect(fetches(watch.step(for: 7, now: .zero)) == 4)
        #expect(watch.fetched(events((2, 7), (0, 7), (-1, 7)), about: 7, after: .seconds(2)) == .nothing)
        guard case .useless = watch.fetched(events((2, 7)), about: 7, after: .zero) else {
            Issue.record("it is asked again at once")
            return
        }
    }

    @Test func `missed events lead to one question`() {
        var watch = watch()
        #expect(watch.fetched(events((1, 9)), about: 7, after: .zero) == .nothing)
        #expect(watch.fetched(events((5, 9)), about: 7, after: .zero) == .perhaps)
        #expect(watch.fetched(events((6, 9)), about: 7, after: .zero) == .nothing)
        #expect(watch.fetched(events((.max, 9)), about: 7, after: .zero) == .perhaps)
        #expect(fetches(watch.step(for: 7, now: .zero)) == .max)
    }

    @Test func `a subscription that is complete is done with`() {
        var watch = watch(isForPrinter: false)
        #expect(watch.fetched(events((1, 7), status: .successfulOkEventsComplete), about: 7, after: .zero) == .event)
        #expect(watch.step(for: 7, now: .zero) == .subscribe(jobID: 7))
    }

    @Test func `a printer that forgot the subscription gets another, three times`() {
        var watch = watch()
        let forgotten = events(status: .clientErrorNotFound)
        #expect(watch.fetched(forgotten, about: 7, after: .zero) == .perhaps)
        #expect(watch.step(for: 7, now: .zero) == .subscribe(jobID: nil))
        _ = watch.subscribed(subscribed(), jobID: nil, now: .zero)
        #expect(watch.fetched(forgotten, about: 7, after: .zero) == .perhaps)
        _ = watch.subscribed(subscribed(), jobID: nil, now: .zero)
        guard case .useless = watch.fetched(forgotten, about: 7, after: .zero) else {
            Issue.record("it goes on for ever")
            return
        }
        #expect(watch.step(for: 7, now: .zero) == .poll)
    }

    @Test func `a printer that does not wait is polled`() {
        var patient = watch()
        #expect(patient.fetched(events(), about: 7, after: .seconds(1)) == .nothing)
        #expect(fetches(patient.step(for: 7, now: .zero)) == 1)
        guard case .useless = patient.fetched(events(), about: 7, after: .milliseconds(999)) else {
            Issue.record("it is asked again at once")
            return
        }
        #expect(patient.step(for: 7, now: .zero) == .poll)
    }

    @Test func `a printer that is silent about a change is not trusted, unless it has told one before`() {
        var silent = watch()
        silent.wasSilent()
        #expect(silent.step(for: 7, now: .zero) == .poll)
        var proven = watch()
        proven.eventWasTrue()
        proven.wasSilent()
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
        var watch = NoticeWatch(isForPrinter: true)
        for _ in 0..<3 { _ = watch.subscribed(answer, jobID: nil, now: .zero) }
        #expect(watch.step(for: 7, now: .zero) == .poll)
    }
}
