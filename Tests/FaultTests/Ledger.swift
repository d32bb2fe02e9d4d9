import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import Testing

/// What a till knows of the jobs that it sent, to be held against the paper.
struct Ledger: Sendable {
    /// A job is known by its text, which is no other's.
    struct Sent: Hashable, Sendable {
        var text: String
        var role: String
        var key: String
    }

    /// Of all that is sent.
    var format = DocumentFormat.plainText
    /// The jobs of those that the daemon acknowledged: one; or a copy for each printer, and whatever was printed again.
    private(set) var acknowledged: [Sent: [Job.ID]] = [:]
    /// Those whose acknowledgement never came.
    private(set) var unacknowledged: Set<Sent> = []
    /// Those that the daemon refused, with a reason: they are not to be printed.
    private(set) var refused: Set<Sent> = []
    /// Reprints that were asked for and got no response.
    private var openReprints: [Reprint] = []
    /// Jobs that somebody asked for once more although their fate is unknown.
    private var released: Set<Job.ID> = []
    /// Jobs that somebody asked to cancel, whatever the response.
    private var canceled: Set<Job.ID> = []

    /// What the last request that brought no job was told.
    private var lastFailure: String?

    private struct Reprint: Hashable {
        var sent: Sent
        var origin: Job.ID
        var key: String
    }

    var count: Int { acknowledged.count + unacknowledged.count + refused.count }
    var jobs: [Job.ID] { acknowledged.values.flatMap(\.self) }

    mutating func send(_ sent: Sent, by client: KioskClient) async throws {
        do {
            let job = try await client.submit(text: sent.text, to: sent.role, key: sent.key, format: format)
            acknowledged[sent] = job.group ?? [job.id]
            unacknowledged.remove(sent)
        } catch let error as KioskClientError {
            if error.code == .refused { refused.insert(sent) } else { unacknowledged.insert(sent) }
            lastFailure = "\(sent.key): \(error)"
        }
    }

    /// What a till does that got no response: it sends the same again, with the same key.
    mutating func sendAgain(by client: KioskClient) async throws {
        for sent in unacknowledged.union(refused).sorted(by: { $0.key < $1.key }) {
            refused.remove(sent)
            try await send(sent, by: client)
        }
        for reprint in openReprints {
            openReprints.removeAll { $0 == reprint }
            try await ask(for: reprint, by: client)
        }
    }

    /// What people do about a job: cancel it, release it, or have it printed again. It may be too late or too early for
    /// that.
    mutating func interfere(by client: KioskClient, using random: inout some RandomNumberGenerator) async throws {
        guard let (sent, jobs) = acknowledged.sorted(by: { $0.key.key < $1.key.key }).randomElement(using: &random),
            let id = jobs.randomElement(using: &random)
        else { return }
        do {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                canceled.insert(id)
                _ = try await client.cancel(id)
            case 1:
                do {
                    _ = try await client.release(id)
                    released.insert(id)
                } catch let error as KioskClientError where error.code != .refused {
                    released.insert(id)
                }
            default: try await ask(for: Reprint(sent: sent, origin: id, key: "again-\(id)-\(jobs.count)"), by: client)
            }
        } catch is KioskClientError {
            // Canceled or not: what became of it is asked at the end.
        }
    }

    private mutating func ask(for reprint: Reprint, by client: KioskClient) async throws {
        var parameters = ReprintParameters()
        parameters.idempotencyKey = reprint.key
        do {
            let job = try await client.reprint(reprint.origin, parameters)
            for id in job.group ?? [job.id] where acknowledged[reprint.sent]?.contains(id) == false {
                acknowledged[reprint.sent]?.append(id)
            }
        } catch let error as KioskClientError {
            if error.code != .refused { openReprints.append(reprint) }
        }
    }

    /// Takes over what another till knows, of other texts.
    mutating func add(_ other: Ledger) {
        acknowledged.merge(other.acknowledged) { $1 }
        unacknowledged.formUnion(other.unacknowledged)
        refused.formUnion(other.refused)
    }

    /// Before they are sent again: what was refused is on no paper.
    func checkRefused(against paper: [String: Int]) {
        for sent in refused { #expect(paper[sent.text] == nil, "\(sent.key) was refused, and printed") }
    }

    /// Once nothing more happens to any of them: nothing lost, nothing doubled in silence, nothing called printed that
    /// is not. `paper` is asked then, and tells of each text how often it came out whole. A job may end without paper
    /// where it is in doubt, was canceled, a flyer that expired, or where `printersAbort` and one of them did; and it
    /// says so. No more than `doubts` jobs may be in doubt.
    func check(
        against paper: () async throws -> [String: Int], by client: KioskClient, printersAbort: Bool = false,
        doubts: Int
    ) async throws -> String {
        #expect(
            unacknowledged.isEmpty && refused.isEmpty && openReprints.isEmpty,
            "\(unacknowledged.count) requests are not acknowledged and \(refused.count) refused, the last \(lastFailure ?? "")"
        )
        #expect(Set(jobs).count == jobs.count, "a job has one text")
        var figures: [String: Int] = [:]
        var found: [Sent: [Job]] = [:]
        // Thousands may be waiting, on a machine that has other things to do as well.
        let deadline = ContinuousClock.now + .seconds(600)
        for (sent, ids) in acknowledged {
            for id in ids {
                var job = try await client.job(id, wait: .seconds(60))
                while !job.isSettled, .now < deadline { job = try await client.job(id, wait: .seconds(60)) }
                found[sent, default: []].append(job)
            }
        }
        let paper = try await paper()
        for (sent, jobs) in found {
            let copies = paper[sent.text, default: 0]
            let words = "\(sent.key), \(copies) on paper: " + jobs.map(Self.words).joined(separator: "; ")
            for job in jobs {
                #expect(job.isSettled, "\(words)")
                // Nobody but an operator prints it again.
                if job.isUnconfirmed, ["order", "coupon"].contains(sent.role), !released.contains(job.id) {
                    #expect(job.state != .completed, "\(words)")
                }
            }
            // A job that is in doubt may be on paper as often as it was sent, and once where nobody asked for more.
            let most = jobs.map { job in
                guard job.isUnconfirmed else { return job.state == .completed ? 1 : 0 }
                return ["order", "coupon"].contains(sent.role)
                    ? released.contains(job.id) ? job.attempts : 1 : job.attempts
            }
            // Whatever was in doubt before: the last word is about paper. A printer that forgot the job after it had taken
            // all of it says nothing of paper, and neither does the job ("that it came out is not confirmed").
            let least = jobs.count {
                $0.state == .completed && !$0.stateReasons.contains("queued-in-device")
                    && (!$0.isUnconfirmed || $0.evidence == .printed)
            }
            #expect((least...max(least, most.reduce(0, +))).contains(copies), "\(words)")
            if copies == 0 {
                let isExplained = jobs.allSatisfy { mayEndWithoutPaper($0, of: sent.role, printersAbort) }
                #expect(isExplained, "\(words)")
            }
            if copies == 0 { figures["told as not printed", default: 0] += 1 }
            if copies > jobs.count { figures["doubled and marked", default: 0] += 1 }
            for job in jobs {
                if job.isUnconfirmed { figures["unconfirmed", default: 0] += 1 }
                if job.attempts > 1 { figures["sent more than once", default: 0] += 1 }
                if job.origin != nil { figures["printed again", default: 0] += 1 }
                if job.state == .canceled {
                    figures[job.stateReasons.contains("job-expired") ? "expired" : "canceled", default: 0] += 1
                }
            }
        }
        #expect(figures["unconfirmed", default: 0] <= doubts)
        return "\(acknowledged.count) texts, \(jobs.count) jobs, "
            + figures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    private func mayEndWithoutPaper(_ job: Job, of role: String, _ printersAbort: Bool) -> Bool {
        if job.isUnconfirmed || canceled.contains(job.id) { return true }
        if job.stateReasons.contains("job-expired") { return role == "flyer" }
        return printersAbort
            && !job.stateReasons.filter { ["aborted-by-system", "job-canceled-at-device"].contains($0) }.isEmpty
    }

    private static func words(_ job: Job) -> String {
        "job \(job.id) is \(job.state.rawValue) \(job.stateReasons) after \(job.attempts) attempts: \(job.message ?? "")"
    }
}
