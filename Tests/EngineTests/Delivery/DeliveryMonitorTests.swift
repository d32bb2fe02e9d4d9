import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// What stops a delivery, and what does not.
@Suite struct DeliveryMonitorTests {
    /// Runs until it is cancelled; returns whether it was.
    private func run(
        _ monitor: DeliveryMonitor, _ handle: AttemptHandle, stop: @escaping @Sendable () -> Void
    ) async -> Bool {
        let (begins, begun) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            let result = try? await monitor.run {
                begun.finish()
                return (try? await Task.sleep(for: .seconds(3600))) == nil
            }
            #expect(result == true)
        }
        handle.begin(task)
        for await _ in begins {}
        stop()
        await handle.finish()
        return task.isCancelled
    }

    @Test func `a cancellation and a better printer stop what runs`() async {
        let stops: [@Sendable (DeliveryMonitor) -> Void] = [
            { monitor in monitor.cancel() }, { monitor in #expect(monitor.passOver()) },
        ]
        for stop in stops {
            let handle = AttemptHandle()
            let monitor = DeliveryMonitor(of: handle, edits: 0)
            #expect(await run(monitor, handle) { stop(monitor) })
        }
    }

    @Test func `a cancellation before the call stops it, and one after it stops nothing`() async {
        let handle = AttemptHandle()
        let monitor = DeliveryMonitor(of: handle, edits: 0)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            let isDone = try? await monitor.run { true }
            monitor.cancel()
            #expect(isDone == true && !Task.isCancelled)
            for await _ in ends {}
            let isStopped = try? await monitor.run { Task.isCancelled }
            #expect(isStopped == true)
        }
        handle.begin(task)
        end.finish()
        await handle.finish()
    }

    @Test func `what is cancelled before it has begun begins cancelled`() async {
        let handle = AttemptHandle()
        handle.cancel()
        let task = Task { _ = try? await Task.sleep(for: .seconds(3600)) }
        handle.begin(task)
        await handle.finish()
        #expect(task.isCancelled)
    }
}

/// A printer that answers just when its delivery is stopped.
@Suite struct StoppedDeliveryTests {
    @Test func `a job is canceled though its printer says busy at that moment`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .isBusyWhenStopped) }
        let job = try await kiosk.submit("one coffee", role: "held")
        try await eventually("the delivery") { kiosk.transport.deliveries == ["till-1"] }
        _ = try await kiosk.engine.cancel(job.id)
        #expect(try await kiosk.settled(job).state == .canceled)
        #expect(kiosk.transport.texts.isEmpty && kiosk.transport.deliveries.count == 1)
        try await kiosk.stop()
    }

    /// Returns once both printers are known to be available: one that has not responded in time is passed over before it
    /// gets a job, and a job stays where no other printer is known to be available.
    private static func waitUntilAvailable(_ kiosk: TestKiosk) async throws {
        try await eventually("both printers") {
            await kiosk.engine.printers().allSatisfy { $0.availability.isAvailable }
        }
    }

    @Test func `a printer that says busy when it is passed over does not get the job`() async throws {
        let kiosk = try await TestKiosk(
            prepare: { $0.set("till-1", .isBusyWhenStopped) }, configure: { $0.failoverTimeout = .milliseconds(50) })
        try await Self.waitUntilAvailable(kiosk)
        let job = try await kiosk.settled(kiosk.submit("one coffee"))
        #expect(job.printer == .test("till-2"))
        #expect(kiosk.transport.deliveries == ["till-1", "till-2"])
        #expect(kiosk.transport.texts == ["one coffee"])
        try await kiosk.stop()
    }

    @Test func `a printer that took the job when it was passed over is followed to its end`() async throws {
        let kiosk = try await TestKiosk(
            prepare: { $0.set("till-1", .keepsJobWhenStopped) }, configure: { $0.failoverTimeout = .milliseconds(50) })
        try await Self.waitUntilAvailable(kiosk)
        let job = try await kiosk.submit("one coffee")
        try await eventually("the job to be taken") { kiosk.transport.texts == ["one coffee"] }
        kiosk.transport.finishJobs()
        let end = try await kiosk.settled(job)
        #expect(end.state == .completed && end.printer == .test("till-1"))
        #expect(kiosk.transport.texts == ["one coffee"] && kiosk.transport.deliveries == ["till-1"])
        try await kiosk.stop()
    }

    @Test func `a job that was taken when it was canceled is canceled at its printer`() async throws {
        let kiosk = try await TestKiosk { $0.set("till-1", .keepsJobWhenStopped) }
        let job = try await kiosk.submit("one coffee", role: "held")
        try await eventually("the delivery") { kiosk.transport.deliveries == ["till-1"] }
        _ = try await kiosk.engine.cancel(job.id)
        #expect(try await kiosk.settled(job).state == .canceled)
        #expect(kiosk.transport.cancellations > 0)
        #expect(kiosk.transport.texts == ["one coffee"] && kiosk.transport.deliveries == ["till-1"])
        try await kiosk.stop()
    }
}
