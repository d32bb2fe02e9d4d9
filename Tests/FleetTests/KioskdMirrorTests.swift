import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Two kioskds that mirror a role's jobs: what tills have sent is printed though one of them dies, and nothing that
/// waits is printed twice.
@Suite struct KioskdMirrorTests {
    @Test func `of a killed kiosk the other prints what waited, and the killed one gives it up when it is back`()
        async throws
    {
        let site = try await MirrorSite()
        let second = try await site.start(site.second)
        let first = try await site.startWithoutPrinter(site.first)
        let job = try await site.send("sale-1", to: site.first)
        try await second.hold(job.id, of: site.first)
        // It is safe on both disks, and the first one's to print.
        #expect(await site.refusal(of: "sale-1", at: site.second) == .jobAtPartner)
        try await first.kill()
        let own = try await second.takeover(of: job.id, of: site.first)
        let printed = try await second.job(own, in: [.completed])
        #expect(printed.isUnconfirmed, "\(second.log)")
        #expect(try await site.second.printed() == ["sale-1"])
        #expect(try await site.send("sale-1", to: site.second).id == own)
        #expect(try await second.finds("partner-silent"))

        try await site.restart(first, at: site.first)
        let canceled = try await first.job(job.id, in: [.canceled])
        #expect(canceled.remarks == ["the partner kiosk-2 has taken it over as its job \(own)"], "\(first.log)")
        try await site.first.printer.perform(.goOnline)
        let after = try await site.send("sale-2", to: site.first)
        try await first.job(after.id, in: [.completed])
        #expect(try await site.first.printed() == ["sale-2"])
        #expect(try await site.second.printed() == ["sale-1"])
        // The end of its own is told, and nothing of the pair is left.
        try await eventually("the second to forget both") {
            try await second.client().standby(StandbyQuery()).jobs.isEmpty
        }
        try await eventually("the second to hear the first") { try await !second.finds("partner-silent") }
    }

    @Test func `where both lose power and one returns, it takes over the other's jobs`() async throws {
        let site = try await MirrorSite()
        let second = try await site.start(site.second)
        let first = try await site.startWithoutPrinter(site.first)
        let job = try await site.send("sale-1", to: site.first)
        try await second.hold(job.id, of: site.first)
        try await first.kill()
        try await second.kill()
        try await site.restart(second, at: site.second)
        let own = try await second.takeover(of: job.id, of: site.first)
        #expect(try await second.job(own, in: [.completed]).isUnconfirmed, "\(second.log)")
        #expect(try await site.second.printed() == ["sale-1"])
    }

    @Test func `where the role says so, what was taken over is held for a person`() async throws {
        let site = try await MirrorSite(role: "    unconfirmed: hold\n")
        let second = try await site.start(site.second)
        let first = try await site.startWithoutPrinter(site.first)
        let job = try await site.send("sale-1", to: site.first)
        try await second.hold(job.id, of: site.first)
        try await first.kill()
        let own = try await second.takeover(of: job.id, of: site.first)
        let held = try await second.job(own, in: [.pendingHeld])
        #expect(held.isUnconfirmed && held.message?.contains("kiosk-1 had accepted") == true, "\(second.log)")
        #expect(try await site.second.printed() == [])
    }

    @Test func `a kiosk that was stopped for a while gives up what waited meanwhile`() async throws {
        let site = try await MirrorSite()
        let second = try await site.start(site.second)
        let first = try await site.startWithoutPrinter(site.first)
        let jobs = [try await site.send("sale-1", to: site.first), try await site.send("sale-2", to: site.first)]
        for job in jobs { try await second.hold(job.id, of: site.first) }
        try kill(first.process.processID, SIGSTOP)
        for job in jobs {
            let own = try await second.takeover(of: job.id, of: site.first)
            try await second.job(own, in: [.completed])
        }
        try kill(first.process.processID, SIGCONT)
        for job in jobs { try await first.job(job.id, in: [.canceled]) }
        try await site.first.printer.perform(.goOnline)
        let after = try await site.send("sale-3", to: site.first)
        try await first.job(after.id, in: [.completed])
        #expect(try await site.first.printed() == ["sale-3"], "\(first.log)")
        #expect(try await site.second.printed().sorted() == ["sale-1", "sale-2"], "\(second.log)")
    }

    @Test func `without its partner a kiosk accepts alone and says so, and mirrors the job when that is there`()
        async throws
    {
        let site = try await MirrorSite()
        let first = try await site.startWithoutPrinter(site.first)
        let job = try await site.send("sale-1", to: site.first)
        #expect(try await first.finds("not-mirrored"))
        // Also what it knows only from its disk.
        try await first.kill()
        try await site.restart(first, at: site.first)
        let second = try await site.start(site.second)
        try await second.hold(job.id, of: site.first)
        try await eventually("the first to be content") {
            let codes = try await first.client().health().checks.map(\.code)
            return !codes.contains("not-mirrored") && !codes.contains("partner-silent")
        }
        try await first.kill()
        let own = try await second.takeover(of: job.id, of: site.first)
        try await second.job(own, in: [.completed])
        #expect(try await site.second.printed() == ["sale-1"], "\(second.log)")
    }

    @Test func `what has ended at its kiosk is kept no longer`() async throws {
        let site = try await MirrorSite()
        let second = try await site.start(site.second)
        let first = try await site.start(site.first)
        try await site.first.printer.perform(.hold)
        let job = try await site.send("sale-1", to: site.first)
        try await second.hold(job.id, of: site.first)
        try await site.first.printer.perform(.release)
        try await first.job(job.id, in: [.completed])
        try await eventually("the second to forget it") {
            try await second.standing(of: job.id, of: site.first) == nil
        }
        #expect(try await site.first.printed() == ["sale-1"])
        #expect(try await site.second.printed() == [])
    }

    @Test func `an end that was not told is found`() async throws {
        let site = try await MirrorSite()
        let second = try await site.start(site.second)
        let first = try await site.startWithoutPrinter(site.first)
        let job = try await site.send("sale-1", to: site.first)
        try await second.hold(job.id, of: site.first)
        try await second.kill()
        _ = try await first.client().cancel(job.id)
        try await first.kill()
        try await site.restart(first, at: site.first)
        try await site.restart(second, at: site.second)
        try await eventually("the second to forget it") {
            try await second.standing(of: job.id, of: site.first) == nil
        }
        // In the end it is not printed: neither where it was canceled, nor by the other.
        #expect(try await second.client().jobs().jobs.isEmpty, "\(second.log)")
    }

    @Test func `jobs of a queue that was lost are taken over, and the new queue's are others`() async throws {
        let site = try await MirrorSite()
        let second = try await site.start(site.second)
        let first = try await site.startWithoutPrinter(site.first)
        let job = try await site.send("sale-1", to: site.first)
        try await second.hold(job.id, of: site.first)
        try await first.kill()
        for name in try site.first.folder.names() where name.hasPrefix("queue.sqlite") {
            try FileManager.default.removeItem(atPath: site.first.folder.appending(name))
        }
        try await site.restart(first, at: site.first)
        try await site.first.printer.perform(.goOnline)
        let other = try await site.send("sale-2", to: site.first)
        #expect(other.id == job.id)
        try await first.job(other.id, in: [.completed])
        try await eventually("the second to print what the first has lost") {
            try await site.second.printed() == ["sale-1"]
        }
        #expect(try await site.first.printed() == ["sale-2"], "\(first.log)")
    }

    @Test func `of one job that both have accepted one is given up, and not both`() async throws {
        let site = try await MirrorSite()
        let first = try await site.startWithoutPrinter(site.first)
        let here = try await site.send("sale-1", to: site.first)
        try await first.kill()
        let second = try await site.startWithoutPrinter(site.second)
        let there = try await site.send("sale-1", to: site.second)
        try await site.restart(first, at: site.first)
        let canceled = try await second.job(there.id, in: [.canceled])
        #expect(canceled.remarks == ["the partner kiosk-1 has taken it over as its job \(here.id)"], "\(second.log)")
        try await second.hold(here.id, of: site.first)
        // What was given up does not stand for it.
        try await first.kill()
        let own = try await second.takeover(of: here.id, of: site.first)
        #expect(own != there.id)
        try await site.second.printer.perform(.goOnline)
        try await second.job(own, in: [.completed])
        #expect(try await site.second.printed() == ["sale-1"], "\(second.log)")
    }

    @Test func `the same key of local programs at both kiosks names two jobs`() async throws {
        let site = try await MirrorSite()
        let second = try await site.start(site.second)
        let first = try await site.start(site.first)
        let there = try await second.client().submit(text: "theirs", key: "1")
        let here = try await first.client().submit(text: "ours", key: "1")
        try await second.job(there.id, in: [.completed])
        try await first.job(here.id, in: [.completed])
        #expect(try await site.first.printed() == ["ours"])
        #expect(try await site.second.printed() == ["theirs"])
    }

    @Test func `mirrored jobs are for the partner and administrators, of a kiosk that has a partner`() async throws {
        let site = try await MirrorSite()
        let second = try await site.start(site.second)
        #expect(try await second.client().standby(StandbyQuery()).jobs.isEmpty)
        let stranger = KioskClient(host: try RemoteHost(site.second.url))
        let refused = await #expect(throws: KioskClientError.self) { try await stranger.standby(StandbyQuery()) }
        #expect(refused?.problem?.code == .unauthenticated)
        let alone = try await KioskdFixture(printers: [site.first.printer.uri], more: "    mirror: true\n")
        let absent = await #expect(throws: KioskClientError.self) {
            try await alone.client().standby(StandbyQuery())
        }
        #expect(absent?.problem?.code == .notFound)
        let check = try #require(try await alone.client().health().checks.first { $0.code == "not-mirrored" })
        #expect(check.subject == "receipt" && check.status == .warning)
    }

    @Test func `a PIN is for its kiosk alone`() async throws {
        let site = try await MirrorSite()
        let second = try await site.start(site.second)
        let first = try await site.startWithoutPrinter(site.first)
        var parameters = SubmissionParameters()
        parameters.role = "receipt"
        parameters.format = .plainText
        parameters.ticket.jobPassword = Secret("1234")
        let secret = try await first.client().submit(.bytes(Array("private".utf8)), parameters)
        let plain = try await site.send("sale-1", to: site.first)
        try await second.hold(plain.id, of: site.first)
        #expect(try await second.standing(of: secret.id, of: site.first) == nil)
        #expect(try await first.finds("not-mirrored"))
    }

    @Test(arguments: [
        (["--partner", "http://192.0.2.7", "--partner-token", "partner.token"], "unencrypted"),
        (["--partner", "https://192.0.2.7"], "--partner needs --partner-token"),
        (["--partner-token", "partner.token"], "are for --partner"),
        (
            ["--partner", "https://192.0.2.7", "--partner-token", "/nonexistent/token", "--node", "a"],
            "--partner-token:"
        ),
    ])
    func `options that cannot be are refused, and it says why`(arguments: [String], reason: String) async throws {
        let folder = try TemporaryFolder("kioskd")
        let result = try await ChildProcess.run(
            try BuiltProducts.path("kioskd"), ["--state-dir", folder.path, "--listen", "127.0.0.1:0"] + arguments)
        #expect(!result.end.isSuccess && result.standardError.contains(reason), "\(result.standardError)")
    }
}
