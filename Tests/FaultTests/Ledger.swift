import DaemonSupport
import KioskAPI
import PrintModel
import Testing

/// What a till knows of the jobs that it sent, to be held against the paper.
struct Ledger: Sendable {
    /// A job is known by its text, which is no other's.
    struct Sent: Hashable, Sendable {
        var text: String
        var role: String
        var key: String
    }

    /// Those that the daemon acknowledged.
    private(set) var acknowledged: [Sent: Job.ID] = [:]
    /// Those whose acknowledgement never came.
    private(set) var unanswered: Set<Sent> = []
    /// Those that the daemon refused, with a reason: they are not to be printed.
    private(set) var refused: Set<Sent> = []

    var count: Int { acknowledged.count + unanswered.count + refused.count }

    mutating func send(_ sent: Sent, by client: KioskClient) async throws {
        do {
            let job = try await client.submit(text: sent.text, to: sent.role, key: sent.key)
            acknowledged[sent] = job.id
            unanswered.remove(sent)
        } catch let error as KioskClientError {
            if error.code == .refused { refused.insert(sent) } else { unanswered.insert(sent) }
        }
    }

    /// What a till does that got no answer: it sends the same again, with the same key.
    mutating func sendAgain(by client: KioskClient) async throws {
        for sent in unanswered.union(refused).sorted(by: { $0.key < $1.key }) {
            refused.remove(sent)
            try await send(sent, by: client)
        }
    }

    /// Takes over what another till knows, of other texts.
    mutating func add(_ other: Ledger) {
        acknowledged.merge(other.acknowledged) { $1 }
        unanswered.formUnion(other.unanswered)
        refused.formUnion(other.refused)
    }

    /// Once nothing more happens to any of them: nothing lost, nothing doubled in silence, nothing called printed that is
    /// not. `paper` is asked then, and tells of each text how often it came out whole. Where
    /// printers abort jobs a job may end without paper, if it says so; elsewhere only one in doubt may.
    func check(
        against paper: () async throws -> [String: Int], by client: KioskClient, printersAbort: Bool = false
    ) async throws -> String {
        #expect(unanswered.isEmpty && refused.isEmpty)
        #expect(Set(acknowledged.values).count == acknowledged.count, "each text is one job")
        var figures: [String: Int] = [:]
        var jobs: [Sent: Job] = [:]
        for (sent, id) in acknowledged { jobs[sent] = try await client.job(id, wait: .seconds(60)) }
        let paper = try await paper()
        for (sent, job) in jobs {
            let copies = paper[sent.text, default: 0]
            let words = "\(sent.key), job \(job.id), is \(job.state.rawValue) \(job.stateReasons) after \(job.attempts) attempts, \(copies) on paper: \(job.message ?? "")"
            #expect(job.isSettled, "\(words)")
            if job.isUnconfirmed {
                figures["unconfirmed", default: 0] += 1
            } else {
                #expect(copies == (job.state == .completed ? 1 : 0), "\(words)")
            }
            // Whatever was in doubt before: the last word is about paper.
            if job.state == .completed, job.evidence == .printed { #expect(copies > 0, "\(words)") }
            if copies == 0, !printersAbort { #expect(job.isUnconfirmed, "\(words)") }
            if copies == 0 { figures["told as not printed", default: 0] += 1 }
            if copies > 1 { figures["doubled and marked", default: 0] += 1 }
            if job.attempts > 1 { figures["sent more than once", default: 0] += 1 }
        }
        return "\(acknowledged.count) jobs, " + figures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
