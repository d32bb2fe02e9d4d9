import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Synchronization
import Testing

/// Following long jobs by a printer's events, and by polling where its events are unusable.
@Suite struct NotificationListenerTests {
    private let job = RemoteJob(identifier: "7")

    private static let offer = offering(.createPrinterSubscriptions)

    /// The attributes of a printer that makes subscriptions with this operation.
    private static func offering(_ subscribing: IPPOperation) -> [IPPAttribute] {
        [
            IPPAttribute("notify-pull-method-supported", keyword: "ippget"),
            IPPAttribute(
                "operations-supported",
                .enums(
                    [
                        IPPOperation.printJob, .getJobAttributes, .getPrinterAttributes, subscribing,
                        .renewSubscription, .cancelSubscription, .getNotifications,
                    ].map { Int32($0.rawValue) })),
        ]
    }
    private static let subscribed = ScriptedConnection.ok(
        IPPGroup(
            .subscription,
            [IPPAttribute("notify-subscription-id", .integer(4)), IPPAttribute("notify-lease-duration", .integer(300))])
    )

    private static func event(_ number: Int32, job: Int32 = 7) -> IPPMessage {
        ScriptedConnection.ok(
            IPPGroup(
                .eventNotification,
                [
                    IPPAttribute("notify-subscription-id", .integer(4)),
                    IPPAttribute("notify-sequence-number", .integer(number)),
                    IPPAttribute("notify-job-id", .integer(job)),
                ]))
    }

    /// The requests that a scripted printer got, and the state of its job.
    private final class Stage: Sendable {
        let asked = Recorder<IPPOperation>()
        let jobState = Atomic<Int32>(5)

        func count(_ operation: IPPOperation) -> Int { asked.all.count { $0 == operation } }
    }

    /// A printer whose job is in `stage.jobState`. `respond` answers requests about events; where it returns nil, they
    /// get no response.
    private func printer(
        _ stage: Stage, offer: [IPPAttribute] = NotificationListenerTests.offer,
        _ respond: @escaping @Sendable (IPPOperation, ScriptedConnection) throws -> IPPMessage?
    ) throws -> ScriptedPrinter {
        try ScriptedPrinter { connection in
            while true {
                let operation = try connection.readRequest().message.operation
                stage.asked.add(operation)
                switch operation {
                case .getPrinterAttributes:
                    var group = ScriptedConnection.printer()
                    for attribute in offer { group[attribute.name] = attribute }
                    try connection.reply(ScriptedConnection.ok(group))
                case .getJobAttributes:
                    let state = stage.jobState.load(ordering: .acquiring)
                    try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: state)))
                default:
                    guard let message = try respond(operation, connection) else { return connection.waitForClose() }
                    try connection.reply(message)
                }
            }
        }
    }

    /// Follows the job as if it had been printing for long, once the printer is known.
    private func follow(
        _ printer: ScriptedPrinter, _ body: (IPPTransport, Task<JobReport, any Error>) async throws -> Void
    ) async throws {
        let transport = IPPTransport(deadlines: .patient, clock: JumpingClock())
        let target = try printer.target
        do {
            _ = try await transport.contact(target)
            let following = Task { try await transport.follow(job, on: target) { _ in } }
            try await body(transport, following)
        } catch {
            await transport.shutDown()
            throw error
        }
        await transport.shutDown()
    }

    @Test func `while a printer is listened to, its job is not asked about`() async throws {
        let stage = Stage()
        let isOver = Gate()
        let printer = try printer(stage) { operation, _ in
            guard operation == .getNotifications else { return Self.subscribed }
            isOver.block()
            return Self.event(1)
        }
        defer { printer.stop() }
        try await follow(printer) { _, following in
            try await eventually("the printer to be listened to") { stage.count(.getNotifications) == 1 }
            let questions = stage.count(.getJobAttributes)
            stage.jobState.store(9, ordering: .releasing)
            isOver.open()
            let report = try await following.value
            #expect(report.state == .completed)
            #expect(stage.count(.getJobAttributes) == questions + 1)
            #expect(stage.count(.createPrinterSubscriptions) == 1)
        }
    }

    @Test func `the subscription is given back at the end`() async throws {
        let stage = Stage()
        let printer = try printer(stage) { operation, _ in
            guard operation == .getNotifications else { return Self.subscribed }
            stage.jobState.store(9, ordering: .releasing)
            return Self.event(1)
        }
        defer { printer.stop() }
        try await follow(printer) { _, following in _ = try await following.value }
        // It is sent before the shutdown ends, and read when this machine has time for it.
        try await eventually("the subscription to be given back") { stage.asked.all.last == .cancelSubscription }
    }

    @Test func `a subscription to a job alone has ended with the job, and is not given back`() async throws {
        let stage = Stage()
        let printer = try printer(stage, offer: Self.offering(.createJobSubscriptions)) { operation, _ in
            guard operation == .getNotifications else { return Self.subscribed }
            stage.jobState.store(9, ordering: .releasing)
            return Self.event(1)
        }
        defer { printer.stop() }
        try await follow(printer) { _, following in _ = try await following.value }
        try await printer.end()
        #expect(stage.count(.createJobSubscriptions) == 1)
        #expect(stage.asked.all.last == .getJobAttributes)
    }

    @Test func `a printer that does not take the subscription back does not keep the end from coming`() async throws {
        let stage = Stage()
        let printer = try printer(stage) { operation, _ in
            if operation == .cancelSubscription { return nil }
            guard operation == .getNotifications else { return Self.subscribed }
            stage.jobState.store(9, ordering: .releasing)
            return Self.event(1)
        }
        defer { printer.stop() }
        try await follow(printer) { _, following in _ = try await following.value }
        // It is sent before the shutdown ends, and read when this machine has time for it.
        try await eventually("the subscription to be given back") { stage.asked.all.last == .cancelSubscription }
    }

    @Test func `a printer that is forgotten is sent nothing more`() async throws {
        let stage = Stage()
        let printer = try printer(stage) { operation, _ in
            guard operation == .getNotifications else { return Self.subscribed }
            stage.jobState.store(9, ordering: .releasing)
            return Self.event(1)
        }
        defer { printer.stop() }
        let target = try printer.target
        try await follow(printer) { transport, following in
            _ = try await following.value
            await transport.forget(target)
        }
        try await printer.end()
        #expect(stage.asked.all.last == .getJobAttributes)
    }

    @Test func `nobody is connected to for giving a subscription back`() async throws {
        let stage = Stage()
        let printer = try ScriptedPrinter { connection in
            let operation = try connection.readRequest().message.operation
            stage.asked.add(operation)
            var group = ScriptedConnection.printer()
            for attribute in Self.offer { group[attribute.name] = attribute }
            let state = stage.jobState.load(ordering: .acquiring)
            let response =
                switch operation {
                case .getPrinterAttributes: ScriptedConnection.ok(group)
                case .getJobAttributes: ScriptedConnection.ok(ScriptedConnection.job(7, state: state))
                case .getNotifications: Self.event(1)
                default: Self.subscribed
                }
            if operation == .getNotifications { stage.jobState.store(9, ordering: .releasing) }
            try connection.reply(response, fields: "Connection: close\r\n")
        }
        defer { printer.stop() }
        try await follow(printer) { _, following in _ = try await following.value }
        try await printer.end()
        #expect(stage.count(.createPrinterSubscriptions) == 1)
        #expect(stage.asked.all.last == .getJobAttributes)
        #expect(printer.connectionCount == stage.asked.all.count)
    }

    enum Fault: CaseIterable, Sendable {
        case refusesSubscriptions, doesNotWait, forgets, respondsInParts, closes, misleads, repeatsItself, saysComplete

        /// The number of fetches before the listener gives up, where that takes more than one: for a job that does not
        /// change, six polls without a pause are enough, and making a subscription leads to the first.
        var fetches: Int? {
            switch self {
            case .forgets, .saysComplete: 3
            case .misleads: 5
            case .repeatsItself: 2
            default: nil
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `events that are of no use leave the job to be asked about`(fault: Fault) async throws {
        let stage = Stage()
        let number = Atomic<Int32>(0)
        let printer = try printer(stage) { operation, connection in
            // The job ends once the fault has shown.
            switch (fault, operation) {
            case (.refusesSubscriptions, .createPrinterSubscriptions):
                stage.jobState.store(9, ordering: .releasing)
                return ScriptedConnection.status(.clientErrorIgnoredAllSubscriptions)
            case (_, let other) where other != .getNotifications: return Self.subscribed
            case (.doesNotWait, _):
                stage.jobState.store(9, ordering: .releasing)
                return ScriptedConnection.ok()
            case (.forgets, _): return ScriptedConnection.status(.clientErrorNotFound)
            case (.respondsInParts, _):
                let part = "--x\r\nContent-Type: application/ipp\r\n\r\n--x--\r\n"
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: multipart/related; boundary=x\r\nContent-Length: \(part.utf8.count)\r\n\r\n\(part)"
                )
                stage.jobState.store(9, ordering: .releasing)
                return nil
            case (.closes, _):
                stage.jobState.store(9, ordering: .releasing)
                connection.reset()
                return nil
            case (.misleads, _): return Self.event(number.wrappingAdd(1, ordering: .relaxed).newValue)
            case (.repeatsItself, _): return Self.event(1)
            case (.saysComplete, _): return ScriptedConnection.status(.successfulOkEventsComplete)
            default: return nil
            }
        }
        defer { printer.stop() }
        if let fetches = fault.fetches {
            // The listener gives up before the job is over.
            try await follow(printer) { _, following in
                try await eventually("its events to be heard") { stage.count(.getNotifications) >= fetches }
                let questions = stage.count(.getJobAttributes)
                try await eventually("the job to be asked about") { stage.count(.getJobAttributes) > questions + 20 }
                stage.jobState.store(9, ordering: .releasing)
                #expect(try await following.value.state == .completed)
            }
            #expect(stage.count(.getNotifications) == fetches)
            #expect(stage.count(.createPrinterSubscriptions) == (fault == .forgets || fault == .saysComplete ? 3 : 1))
            return
        }
        try await follow(printer) { _, following in
            let report = try await following.value
            #expect(report.state == .completed)
        }
    }

    @Test func `whoever needs a connection gets it from who only listens`() async throws {
        let stage = Stage()
        let isLeft = Gate()
        let isListening = Gate()
        let isOver = Gate()
        let printer = try ScriptedPrinter { connection in
            while true {
                let operation = try connection.readRequest().message.operation
                stage.asked.add(operation)
                switch operation {
                case .getPrinterAttributes:
                    // The second contact and the third hold both connections at once.
                    if stage.count(.getPrinterAttributes) > 1 { isOver.block() }
                    var group = ScriptedConnection.printer()
                    for attribute in Self.offer { group[attribute.name] = attribute }
                    try connection.reply(ScriptedConnection.ok(group))
                case .getJobAttributes: try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 5)))
                case .getNotifications:
                    isListening.open()
                    connection.waitForClose()
                    isLeft.open()
                    return
                default: try connection.reply(Self.subscribed)
                }
            }
        }
        defer { printer.stop() }
        let target = try printer.target
        try await follow(printer) { transport, following in
            try await isListening.wait()
            let first = Task { try await transport.contact(target) }
            let second = Task { try await transport.contact(target) }
            try await isLeft.wait()
            isOver.open()
            _ = try await (first.value, second.value)
            following.cancel()
            _ = await following.result
        }
    }

    @Test func `cancelling and shutting down end the listening at once`() async throws {
        for isCancelled in [true, false] {
            let stage = Stage()
            let printer = try printer(stage) { operation, _ in operation == .getNotifications ? nil : Self.subscribed }
            defer { printer.stop() }
            try await follow(printer) { transport, following in
                try await eventually("the printer to be listened to") { stage.count(.getNotifications) == 1 }
                if isCancelled { following.cancel() } else { await transport.shutDown() }
                let error = await #expect(throws: TransportError.self) { try await following.value }
                #expect(error?.code == .cancelled)
            }
        }
    }

    @Test func `a quirk keeps a printer's events unused`() async throws {
        let stage = Stage()
        let printer = try printer(stage) { _, _ in Self.subscribed }
        defer { printer.stop() }
        let quirk = Quirk(
            name: .notifications, value: "off", why: "it is so", source: "https://example.org/", profile: "test")
        let transport = IPPTransport(quirks: { _ in [quirk] }, deadlines: .patient, clock: JumpingClock())
        let target = try printer.target
        _ = try await transport.contact(target)
        let following = Task { try await transport.follow(job, on: target) { _ in } }
        try await eventually("the job to be old") { stage.count(.getJobAttributes) > 200 }
        stage.jobState.store(9, ordering: .releasing)
        _ = try await following.value
        await transport.shutDown()
        try await printer.end()
        #expect(stage.count(.createPrinterSubscriptions) == 0)
    }

    @Test(arguments: [false, true])
    func `the simulated printer tells of a long job's end, and of the next`(isSecure: Bool) async throws {
        var options = SimulatedPrinter.Options()
        if isSecure { options.tls = PrinterTLSOptions() }
        let printer = try await SimulatedPrinter.start(options)
        try await printer.perform(.hold)
        #expect(printer.uri.hasPrefix(isSecure ? "ipps:" : "ipp:"))
        let trust = try await printer.certificate.map { Trust.pinned([$0.keyFingerprint]) }
        let target = PrinterTarget(url: try PrinterURL(printer.uri), trust: trust ?? .system)
        let transport = IPPTransport(deadlines: .patient, clock: JumpingClock())
        for number in 1...2 {
            let report = try await transport.deliver(.receipt("k\(number)", [1, 2, 3]), to: target) { _ in }
            let remote = try #require(report.remoteJob)
            let following = Task { try await transport.follow(remote, on: target) { _ in } }
            try await eventually("the printer to be listened to") { try await printer.waitingRequests == 1 }
            #expect(try await printer.subscriptionCount == 1)
            try await printer.perform(.release)
            #expect(try await following.value.state == .completed)
            try await printer.perform(.hold)
        }
        await transport.shutDown()
        try await eventually("the subscription to be given back") { try await printer.subscriptionCount == 0 }
        try await printer.stop()
    }

    @Test func `a printer that was switched off and on is subscribed to again`() async throws {
        let printer = try await SimulatedPrinter.start()
        try await printer.perform(.hold)
        let target = PrinterTarget(url: try PrinterURL(printer.uri))
        let transport = IPPTransport(deadlines: .patient, clock: JumpingClock())
        let report = try await transport.deliver(.receipt("k1", [1, 2, 3]), to: target) { _ in }
        let remote = try #require(report.remoteJob)
        let following = Task { try await transport.follow(remote, on: target) { _ in } }
        try await eventually("the printer to be listened to") { try await printer.waitingRequests == 1 }
        try await printer.perform(.powerOff)
        try await printer.perform(.goOnline)
        // Its memory is gone, and the job with it.
        let error = await #expect(throws: TransportError.self) { try await following.value }
        #expect(error?.code == .outcomeUnknown)
        let second = try await transport.deliver(.receipt("k2", [1, 2, 3]), to: target) { _ in }
        let next = try #require(second.remoteJob)
        let again = Task { try await transport.follow(next, on: target) { _ in } }
        try await eventually("the printer to be listened to") { try await printer.waitingRequests == 1 }
        try await printer.perform(.release)
        #expect(try await again.value.state == .completed)
        await transport.shutDown()
        try await printer.stop()
    }

    @Test func `CUPS takes a subscription, does not wait, and is asked`() async throws {
        let server = try await CupsServer()
        try server.printScript.hold()
        let target = PrinterTarget(url: try PrinterURL(server.uri))
        let transport = IPPTransport(deadlines: .patient, clock: JumpingClock())
        let report = try await transport.deliver(
            .receipt("k1", Array("one receipt\n".utf8), format: .octetStream), to: target
        ) { _ in }
        let remote = try #require(report.remoteJob)
        let following = Task { try await transport.follow(remote, on: target) { _ in } }
        try await eventually("the job to be printed") { try server.printScript.startedJobs().count == 1 }
        try await eventually("a subscription") {
            try await Ipptool.run("get-subscriptions.test", on: server.uri, options: ["-tv"]).standardOutput.contains(
                "notify-subscription-id")
        }
        try server.printScript.release()
        #expect(try await following.value.state == .completed)
        await transport.shutDown()
    }
}
