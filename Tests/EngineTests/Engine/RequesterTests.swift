import Foundation
import GRDB
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Whose jobs are whose, and what counts when somebody asks for one again: their rights now, not those of whoever sent
/// it.
@Suite struct RequesterTests {
    private static let anna = Requester(owner: .user(1000), name: "anna", rights: .rawDocuments)
    private static let ben = Requester(owner: .user(1001), name: "ben", rights: .rawDocuments)
    private static let teller = Requester(owner: .user(1002), name: "teller", rights: [.drawer, .rawDocuments])
    private static let manager = Requester(
        owner: .user(1003), name: "manager", rights: [.drawer, .rawDocuments], isOperator: true)

    private func sent(
        _ text: String, by requester: Requester, to role: String = "receipt", _ kiosk: TestKiosk,
        _ format: DocumentFormat = .plainText
    ) async throws -> Job {
        try await kiosk.submit(text, role: role) { request in
            (request.owner, request.ownerName, request.rights, request.format) = (
                requester.owner, requester.name, requester.rights, format
            )
            request.name = "document"
        }
    }

    @Test func `a job is its sender's, over restarts too`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .isDown); $0.set("till-2", .isDown)
        }
        let job = try await sent("tea", by: Self.anna, kiosk)
        #expect([job.user, job.owner.map { "\($0)" }] == ["anna", "uid:1000"])
        try await kiosk.restart()
        #expect(try await kiosk.engine.job(job.id).owner == .user(1000))
        #expect(await refusal { try await kiosk.engine.cancel(job.id, by: Self.ben) }?.code == .jobForbidden)
        #expect(try await kiosk.engine.cancel(job.id, by: Self.anna).state == .canceled)
        #expect(try await kiosk.engine.jobs(JobFilter(owner: .user(1000))).map(\.id) == [job.id])
        #expect(try await kiosk.engine.jobs(JobFilter(owner: .user(1001))).isEmpty)
        try await kiosk.stop()
    }

    /// Makes a queue of an earlier version with the same jobs.
    private func replaceQueue(in folder: String, byVersion version: String) throws {
        let path = folder + "/queue.sqlite"
        let old = try DatabaseQueue(path: path + ".old")
        try Schema.migrator.migrate(old, upTo: version)
        try old.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS new", arguments: [path])
            for table in ["job", "document"] {
                let columns = try db.columns(in: table, in: "main").map(\.name).joined(separator: ", ")
                try db.execute(sql: "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM new.\(table)")
            }
            try db.execute(sql: "INSERT INTO main.engine SELECT id, marker FROM new.queue; DETACH new")
        }
        try old.close()
        for file in try FileManager.default.contentsOfDirectory(atPath: folder)
        where file.hasPrefix("queue.sqlite") && file != "queue.sqlite.old" {
            try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
        }
        try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
    }

    @Test func `a job of an earlier version belongs to nobody`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .isDown); $0.set("till-2", .isDown)
        }
        let job = try await sent("tea", by: Self.anna, kiosk)
        try await kiosk.stop()
        try replaceQueue(
            in: kiosk.folder.path + "/state", byVersion: "5: copies of what may be on paper, remarks on documents")
        try await kiosk.start()
        #expect(try await kiosk.engine.job(job.id).owner == nil)
        for requester in [Self.anna, Requester(owner: nil, rights: .all)] {
            #expect(await refusal { try await kiosk.engine.cancel(job.id, by: requester) }?.code == .jobForbidden)
        }
        #expect(try await kiosk.engine.cancel(job.id, by: Self.manager).state == .canceled)
        try await kiosk.stop()
    }

    @Test func `others cancel, release and reprint a job only where all share the queue, or as operators`() async throws
    {
        let kiosk = try await TestKiosk { $0.set("till-1", .forgetsJobs) }
        let held = try await kiosk.settled(sent("one label", by: Self.anna, to: "held", kiosk))
        #expect(held.state == .pendingHeld)
        #expect(await refusal { try await kiosk.engine.release(held.id, by: Self.ben) }?.code == .jobForbidden)
        var sharer = Self.ben
        sharer.sharesEveryJob = true
        kiosk.transport.set("till-1", .prints)
        let printed = try await kiosk.settled(kiosk.engine.release(held.id, by: sharer))
        #expect(printed.owner == .user(1000))
        #expect(await refusal { try await kiosk.engine.reprint(held.id, by: Self.ben) }?.code == .jobForbidden)
        let copies = [
            try await kiosk.engine.reprint(held.id, by: sharer),
            try await kiosk.engine.reprint(held.id, by: Self.manager),
        ]
        #expect(copies.map(\.owner) == [.user(1001), .user(1003)])
        #expect(copies.map(\.user) == ["ben", "anna"])
        for copy in copies { _ = try await kiosk.settled(copy) }
        try await kiosk.stop()
    }

    @Test(arguments: [0, 64 * 1024])
    func `a receipt that opens the drawer is printed again only for those who may open it`(inline: Int) async throws {
        let kiosk = try await TestKiosk(
            preparation: ShoutingPreparation(),
            prepare: {
                $0.set("till-1", .isDown); $0.set("till-2", .isDown)
            }, configure: { $0.inlineDocumentLength = inline })
        let job = try await sent("5 $", by: Self.teller, kiosk, .receiptLine)
        _ = try await kiosk.engine.cancel(job.id, by: Self.teller)
        // Whoever was taken out of the group, or never was in it and shares the queue.
        var former = Self.teller
        former.rights = .rawDocuments
        for requester in [former, Requester(owner: .user(1001), rights: .rawDocuments, sharesEveryJob: true)] {
            let error = await refusal { try await kiosk.engine.reprint(job.id, by: requester) }
            #expect(error?.code == .documentForbidden)
            #expect(error?.message == "money is not for you")
        }
        #expect(try await kiosk.engine.jobs().count == 1)
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(kiosk.engine.reprint(job.id, by: Self.teller)).state == .completed)
        #expect(kiosk.transport.texts == ["till-1 5 $"])
        try await kiosk.stop()
    }

    @Test func `a held receipt that opens the drawer is released only by those who may open it`() async throws {
        let kiosk = try await TestKiosk(preparation: ShoutingPreparation(), prepare: { $0.set("till-1", .forgetsJobs) })
        let held = try await kiosk.settled(sent("5 $", by: Self.teller, to: "held", kiosk, .receiptLine))
        #expect(held.state == .pendingHeld)
        var former = Self.teller
        former.rights = .rawDocuments
        #expect(await refusal { try await kiosk.engine.release(held.id, by: former) }?.code == .documentForbidden)
        #expect(try await kiosk.engine.job(held.id).state == .pendingHeld)
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(kiosk.engine.release(held.id, by: Self.teller)).state == .completed)
        try await kiosk.stop()
    }

    // MARK: Raw documents

    private static let text = "tea\t2.50\r\n\u{0C}Grüße\n"

    @Test(arguments: [
        (DocumentFormat.plainText, text, true), (.plainText, "tea\u{1B}p\u{0}", false),
        (.plainText, "tea\u{07}", false), (.plainText, "a\u{7F}", false),
        (.plainText, "^XA^FDtea^XZ", false), (.plainText, "%!PS", false),
        (.pdf, "%PDF-1.7 …", true), (.pdf, "\u{1B}p\u{0}", false), (.png, "%PDF-1.7 …", false),
        (.postScript, "%!PS", false),
        (.escPOS, "tea", false), (.starPRNT, "tea", false), (.zpl, "^XA^XZ", false), (.octetStream, "tea", false),
    ])
    func `who may send no raw documents may send texts and pages, and whatever calls itself so is looked at`(
        format: DocumentFormat, text: String, isAccepted: Bool
    ) async throws {
        for inline in [0, 64 * 1024] {
            let kiosk = try await TestKiosk(
                prepare: {
                    $0.set("till-1", .isDown); $0.set("till-2", .isDown)
                }, configure: { $0.inlineDocumentLength = inline })
            let error = await refusal {
                try await kiosk.submit(text) { ($0.name, $0.format, $0.rights) = ("document", format, []) }
            }
            #expect(error?.code == (isAccepted ? nil : .rawDocumentForbidden))
            #expect(try await kiosk.engine.jobs().count == (isAccepted ? 1 : 0))
            try await kiosk.stop()
        }
    }

    @Test func `a document whose format its first bytes tell is looked at all the same`() async throws {
        let kiosk = try await TestKiosk {
            $0.set("till-1", .isDown); $0.set("till-2", .isDown)
        }
        let long = String(repeating: "a", count: 3 << 20)
        for (text, isAccepted) in [("\u{1B}@tea", false), ("tea", true), (long + "\u{10}", false), (long, true)] {
            let error = await refusal {
                try await kiosk.submit(text) { ($0.name, $0.format, $0.rights) = ("document", nil, []) }
            }
            #expect(error?.code == (isAccepted ? nil : .rawDocumentForbidden))
        }
        try await kiosk.stop()
    }

    @Test(arguments: [0, 64 * 1024]) func `a raw document is printed again only for those who may send one`(
        inline: Int
    ) async throws {
        let kiosk = try await TestKiosk(
            prepare: {
                $0.set("till-1", .isDown); $0.set("till-2", .isDown)
            }, configure: { $0.inlineDocumentLength = inline })
        let raw = try await sent("\u{1B}@tea", by: Self.anna, kiosk, .escPOS)
        let text = try await sent("\u{1B}ptea", by: Self.anna, kiosk)
        var former = Self.anna
        former.rights = []
        for job in [raw, text] {
            _ = try await kiosk.engine.cancel(job.id, by: former)
            #expect(await refusal { try await kiosk.engine.reprint(job.id, by: former) }?.code == .rawDocumentForbidden)
            #expect(try await kiosk.engine.reprint(job.id, by: Self.anna).origin == job.id)
        }
        try await kiosk.stop()
    }

    // MARK: Contacts

    @Test func `only operators have a printer asked before its time that refuses our login`() async throws {
        let registry = TestKiosk.registry.replacingOccurrences(
            of: "ipp/till-1\n", with: "ipp/till-1\n    credentials: office\n")
        let kiosk = try await TestKiosk(registry: registry, prepare: { $0.set("till-1", .bars(.loginRefused)) }) {
            $0.refusedLoginInterval = .seconds(3600)
        }
        _ = try await kiosk.submit("tea", role: "held")
        try await eventually("the refusal") { try await kiosk.engine.printer(.test("till-1")).nextContactAt != nil }
        let before = kiosk.transport.contacts(of: "till-1")
        for _ in 0..<30 {
            let status = try await kiosk.engine.contact(.test("till-1"), by: Self.anna)
            #expect(status.availability.reasons.map(\.keyword) == ["login-refused"])
            #expect(status.contactedAt.map { known in status.nextContactAt.map { $0 > known } ?? false } == true)
        }
        #expect(kiosk.transport.contacts(of: "till-1") == before)
        _ = try await kiosk.engine.contact(.test("till-1"), by: Self.manager)
        #expect(kiosk.transport.contacts(of: "till-1") == before + 1)
        // One that nothing stands in the way of is asked for anybody.
        _ = try await kiosk.engine.contact(.test("till-2"), by: Self.anna)
        let others = kiosk.transport.contacts(of: "till-2")
        #expect(try await kiosk.engine.contact(.test("till-2"), by: Self.anna).nextContactAt == nil)
        #expect(kiosk.transport.contacts(of: "till-2") == others + 1)
        try await kiosk.stop()
    }

    @Test(arguments: [(anna, 0), (manager, 1)])
    func `only operators have a printer told to cancel before its time that refuses our login`(
        requester: Requester, expected: Int
    ) async throws {
        let registry = TestKiosk.registry.replacingOccurrences(
            of: "ipp/till-1\n", with: "ipp/till-1\n    credentials: office\n")
        let kiosk = try await TestKiosk(registry: registry, prepare: { $0.set("till-1", .keepsJobs) }) {
            $0.refusedLoginInterval = .seconds(3600)
        }
        let job = try await sent("tea", by: Self.anna, to: "held", kiosk)
        try await eventually("the job on the printer") { try await kiosk.engine.job(job.id).remoteJob != nil }
        kiosk.transport.set("till-1", .bars(.loginRefused))
        try await eventually("the refusal") { try await kiosk.engine.printer(.test("till-1")).nextContactAt != nil }
        // Its printer does not come back for it, so after the first it soon is over.
        for _ in 0..<30 { _ = try? await kiosk.engine.cancel(job.id, by: requester) }
        try await eventually("its end") { try await kiosk.engine.job(job.id).state.isFinal }
        #expect(min(kiosk.transport.cancellations, 1) == expected)
        try await kiosk.stop()
    }

    // MARK: What is seen

    @Test func `others see of a job its number, role, printer, state and times`() throws {
        var job = Job(
            id: 12, name: "Gehalt.pdf", role: .test("receipt"), printer: .test("till-1"), user: "anna", format: .pdf,
            documentLength: 4711,
            ticket: Ticket(), createdAt: Timestamp(millisecondsSince1970: 1),
            expiresAt: Timestamp(millisecondsSince1970: 9))
        (job.owner, job.ticket.copies, job.message, job.remarks, job.bytesSent) = (
            .user(1000), 7, "Gehalt.pdf is broken", ["Gehalt"], 4711
        )
        (job.remoteJob, job.origin, job.group, job.state, job.attempts) = (
            RemoteJob(identifier: "Gehalt-1"), 3, [12, 13], .processing, 1
        )
        job.processingAt = Timestamp(millisecondsSince1970: 2)
        #expect(Self.anna.view(of: job) == job)
        #expect(Self.manager.view(of: job) == job)
        let seen = Self.ben.view(of: job)
        #expect(
            [
                seen.id, seen.createdAt.millisecondsSince1970, seen.processingAt?.millisecondsSince1970,
                Int64(seen.attempts),
            ] == [12, 1, 2, 1])
        #expect((seen.role, seen.printer, seen.state, seen.isWithheld) == (job.role, job.printer, .processing, true))
        #expect(
            seen.name.isEmpty && seen.user == nil && seen.owner == nil && seen.documentLength == 0
                && seen.ticket == Ticket())
        #expect(
            seen.message == nil && seen.remarks == nil && seen.remoteJob == nil && seen.origin == nil
                && seen.group == nil && seen.bytesSent == 0)
        func event(_ kind: EngineEvent.Kind) -> EngineEvent {
            EngineEvent(id: 1, time: job.createdAt, kind: kind, job: job)
        }
        #expect(Self.ben.view(of: event(.jobChanged))?.job == seen)
        #expect(Self.ben.view(of: event(.jobProgress)) == nil)
        #expect(Self.anna.view(of: event(.jobProgress))?.job == job)
    }
}
