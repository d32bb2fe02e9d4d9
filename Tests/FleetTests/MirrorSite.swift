import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Two kiosks of a site that are each other's partner, each with a printer of its own, and a till that knows both.
///
/// Each listens at a loopback address that nobody else has, so that it has the same one after a restart.
final class MirrorSite: Sendable {
    let first: Place
    let second: Place
    private let till: Secret
    private let more: String

    /// One kiosk's folder, address and printer.
    final class Place: Sendable {
        let node: String
        let folder: TemporaryFolder
        let url: String
        let printer: SimulatedPrinter

        fileprivate init(_ node: String, tokens: [UInt8], partner: String) async throws {
            self.node = node
            folder = try TemporaryFolder(node)
            try folder.writePrivately(tokens, to: "tokens.json")
            try folder.writePrivately(Array("\(partner)\n".utf8), to: "partner.token")
            let octets = (1...3).map { _ in "\(Int.random(in: 1...254))" }
            url = "http://127.\(octets.joined(separator: ".")):8631"
            printer = try await SimulatedPrinter.start()
        }

        /// What came out, in order: of texts each is its key.
        func printed() async throws -> [String] {
            let papers = try await printer.paper
            let documents = Dictionary(
                uniqueKeysWithValues: try await printer.documents.map { ($0.number, $0.path) })
            return try papers.compactMap { paper in
                try documents[paper.document].map { String(decoding: try readFile($0), as: UTF8.self) }
            }
        }
    }

    /// `role`: what the role "receipt" says beside its printer.
    init(role more: String = "") async throws {
        self.more = more
        // The tokens are the same at both kiosks, under the same numbers or not.
        let maker = try await KioskdFixture()
        func token(_ name: String, _ scope: String) async throws -> String {
            let made = try await maker.kioskctl("tokens", "add", name, "--scope", scope)
            return made.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let partner = try await token("partner", "standby")
        till = Secret(try await token("till", "print:receipt"))
        try await maker.terminate()
        let tokens = try maker.folder.read("tokens.json")
        first = try await Place("kiosk-1", tokens: tokens, partner: partner)
        second = try await Place("kiosk-2", tokens: tokens, partner: partner)
    }

    /// Starts a kiosk.
    func start(_ place: Place) async throws -> KioskdFixture {
        let partner = place.node == first.node ? second : first
        let kiosk = try await KioskdFixture(
            folder: place.folder,
            registry: KioskdFixture.registry([place.printer.uri], more: "    mirror: true\n" + more),
            arguments: [
                "--listen", place.url, "--node", place.node, "--partner", partner.url,
                "--partner-token", place.folder.appending("partner.token"),
            ])
        try await listen(kiosk, at: place)
        return kiosk
    }

    /// Starts a kiosk again that was killed.
    func restart(_ kiosk: KioskdFixture, at place: Place) async throws {
        try await kiosk.start()
        try await listen(kiosk, at: place)
    }

    /// Returns once it listens over TCP too.
    private func listen(_ kiosk: KioskdFixture, at place: Place) async throws {
        try await eventually("\(place.node) to listen at \(place.url)") {
            kiosk.log.contains("listening at \(place.url)")
        }
    }

    /// Starts a kiosk whose printer is away, and returns once it knows: whatever is sent there waits.
    func startWithoutPrinter(_ place: Place) async throws -> KioskdFixture {
        try await place.printer.perform(.goOffline(milliseconds: nil))
        let kiosk = try await start(place)
        try await eventually("\(place.node) to miss its printer") {
            try await kiosk.client().printer("till-1").availability.state == .unreachable
        }
        return kiosk
    }

    /// The till sends a text, which is its key too.
    @discardableResult
    func send(_ text: String, to place: Place) async throws -> Job {
        let client = KioskClient(host: try RemoteHost(place.url, token: till))
        return try await client.submit(text: text, key: text)
    }

    /// The problem with which a kiosk refuses the till's text.
    func refusal(of text: String, at place: Place) async -> Problem.Code? {
        do {
            try await send(text, to: place)
            return nil
        } catch {
            return (error as? KioskClientError)?.problem?.code
        }
    }
}

extension KioskdFixture {
    /// How it has a job of another kiosk; nil where it does not have it.
    func standing(of id: Job.ID, of place: MirrorSite.Place) async throws -> StandbyStanding? {
        let list = try await client().standby(StandbyQuery(node: place.node))
        return list.jobs.first { $0.id == id }.map { StandbyStanding($0.standby, job: $0.job) }
    }

    /// Its own job, once it has taken over another kiosk's.
    func takeover(of id: Job.ID, of place: MirrorSite.Place) async throws -> Job.ID {
        try await eventuallyValue("job \(id) of \(place.node) to be taken over") {
            try await standing(of: id, of: place)?.job
        }
    }

    /// Returns once it holds a job of another kiosk.
    func hold(_ id: Job.ID, of place: MirrorSite.Place) async throws {
        try await eventually("job \(id) of \(place.node) to be held") {
            try await standing(of: id, of: place)?.standby == .held
        }
    }

    /// The job, once it is in one of these states.
    @discardableResult
    func job(_ id: Job.ID, in states: Set<JobState>) async throws -> Job {
        try await eventuallyValue("job \(id) to be \(states.map(\.rawValue))") {
            let job = try await client().job(id)
            return states.contains(job.state) ? job : nil
        }
    }

    /// Whether its health has a finding.
    func finds(_ code: String) async throws -> Bool {
        try await client().health().checks.contains { $0.code == code && $0.status == .warning }
    }
}
