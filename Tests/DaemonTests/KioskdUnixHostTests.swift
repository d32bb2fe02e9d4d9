import Foundation
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// Printing by role through a Unix host, and what becomes of jobs when its SSH server dies at each step.
@Suite struct KioskdUnixHostTests {
    @Test func `a receipt by role arrives octet for octet, and kioskctl says what is proven`() async throws {
        let host = try await KioskdUnixHost()
        let document = KioskdUnixHost.document
        let printed = try await host.settled(host.submit(document))
        #expect(printed.state == .completed, "\(printed) \(host.daemon.log)")
        #expect(printed.evidence == .accepted)
        try await eventually("the paper") { try host.paper() == [document] }
        let shown = try await host.daemon.kioskctl("job", "\(printed.id)")
        #expect(shown.standardOutput.contains("its spooler accepted it, and reports no more"))
        try await host.daemon.terminate()
    }

    @Test func `kioskctl jobs shows each step`() async throws {
        let host = try await KioskdUnixHost(stop: .unread)
        try host.cups.printScript.hold()
        try await eventually("the first contact") { try await host.isReady() }
        func shows(_ words: String) async throws {
            try await eventually("\"\(words)\"\n\(host.daemon.log)") {
                try await host.daemon.kioskctl("jobs").standardOutput.contains(words)
            }
        }
        // A new connection, to a server that takes it and says nothing.
        host.server.killSessions()
        try await host.server.freeze()
        let job = try await host.submit(KioskdUnixHost.document)
        try await shows("processing (connecting)")
        host.server.thaw()
        try await shows("processing (sending")
        try host.letGo()
        try await shows("processing (printing)")
        try host.cups.printScript.release()
        #expect(try await host.settled(job).state == .completed)
        try await host.daemon.terminate()
    }

    // MARK: The SSH server dies

    @Test func `a server that dies before the login loses nothing`() async throws {
        let host = try await KioskdUnixHost()
        try await eventually("the first contact") { try await host.isReady() }
        host.server.killSessions()
        try await host.server.freeze()
        let job = try await host.submit(Array("one".utf8))
        try await eventually("the attempt") { try await host.job(job).stateReasons == ["connecting-to-destination"] }
        try await host.server.stop()
        try await host.server.start()
        #expect(try await host.settled(job).state == .completed)
        try await eventually("the paper") { try host.paper() == [Array("one".utf8)] }
        try await host.daemon.terminate()
    }

    @Test(arguments: [false, true])
    func `a server that dies during the upload prints nothing of it, and the whole afterwards, once`(
        isGone: Bool
    ) async throws {
        let host = try await KioskdUnixHost(stop: .unread)
        let document = KioskdUnixHost.document
        let job = try await host.submit(document)
        try await eventually("the upload") { try await host.job(job).bytesSent > 0 && host.stands }
        if isGone { try await host.server.stop() } else { host.server.killSessions() }
        #expect(try host.paper().isEmpty)
        try host.letGo()
        if isGone { try await host.server.start() }
        let settled = try await host.settled(job)
        #expect(settled.state == .completed, "\(settled) \(host.daemon.log)")
        #expect(!settled.isUnconfirmed)
        try await eventually("the paper") { try host.paper() == [document] }
        try await host.becomesQuiet()
        #expect(try host.paper().count == 1)
        try await host.daemon.terminate()
    }

    @Test func `a job that lpr had read and not given on is unconfirmed, and not printed again unasked`() async throws {
        let host = try await KioskdUnixHost(stop: .read)
        let job = try await host.submit(Array("one".utf8))
        try await eventually("lpr") { host.stands }
        host.server.killSessions()
        let held = try await host.settled(job)
        #expect(held.state == .pendingHeld)
        #expect(held.isUnconfirmed)
        #expect(held.stateReasons == ["unconfirmed"])
        #expect(held.message?.contains("is unknown") == true, "\(held.message ?? "")")
        try host.letGo()
        try await host.becomesQuiet()
        #expect(try host.paper().isEmpty)
        try await host.daemon.terminate()
    }

    @Test func `a job that the spooler has is found again, and printed once`() async throws {
        let host = try await KioskdUnixHost(stop: .spooled)
        try host.cups.printScript.hold()
        let job = try await host.submit(Array("one".utf8))
        try await eventually("lpr") { host.stands }
        host.server.killSessions()
        try await eventually("the job in the queue\n\(host.daemon.log)") { try await host.job(job).remoteJob != nil }
        try host.letGo()
        try host.cups.printScript.release()
        let settled = try await host.settled(job)
        #expect(settled.state == .completed, "\(settled)")
        #expect(!settled.isUnconfirmed)
        #expect(settled.attempts == 1)
        try await host.becomesQuiet()
        #expect(try host.paper() == [Array("one".utf8)])
        try await host.daemon.terminate()
    }

    @Test func `a job that has left the queue before anybody could ask is unconfirmed, and not doubled`() async throws {
        let host = try await KioskdUnixHost(stop: .spooled)
        let job = try await host.submit(Array("one".utf8))
        try await eventually("the paper") { try host.paper().count == 1 && host.stands }
        try await eventually("an empty queue") { try await host.cups.isIdle() }
        host.server.killSessions()
        let held = try await host.settled(job)
        #expect(held.state == .pendingHeld)
        #expect(held.isUnconfirmed)
        try host.letGo()
        try await host.becomesQuiet()
        #expect(try host.paper().count == 1)
        try await host.daemon.terminate()
    }

    @Test func `a daemon that dies during the upload prints nothing of it, and says that it cannot know`() async throws
    {
        let host = try await KioskdUnixHost(stop: .unread)
        let job = try await host.submit(KioskdUnixHost.document)
        try await eventually("the upload") { try await host.job(job).bytesSent > 0 && host.stands }
        try await host.daemon.kill()
        try host.letGo()
        try await host.becomesQuiet()
        #expect(try host.paper().isEmpty)
        try await host.daemon.start()
        // The line that ends a document may have been on its way when it died, and spoolers remember no jobs.
        let held = try await host.settled(job)
        #expect(held.state == .pendingHeld)
        #expect(held.isUnconfirmed)
        try await host.daemon.terminate()
    }
}
