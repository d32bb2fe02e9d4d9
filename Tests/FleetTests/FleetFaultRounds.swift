import KioskAPI
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskFleet

/// A site and its hub through random faults, and an office that sends its jobs again until it has a last word on each.
///
/// The same seed makes the same faults, in the same order and with the same pauses; what meets them where is up to the
/// clock.
final class FleetFaultRounds {
    private enum Fault: String, CaseIterable {
        case sentAgain
        case kioskKilled, kioskEnded, kioskStopped, clockSet
        case wayCut, wayHealed, wayBroken
        case diskFilled, diskFreed
        case hubKilled, leaderKilled, hubWiped
        case printerAway, printerBack, connectionsDropped
    }

    private let title: String
    private let office: FleetOffice
    private let printer: SimulatedPrinter
    private let faults: [Fault]
    private var random: SeededRandom
    private var kiosks: [FaultyKiosk] = []
    private var keys: [String] = []
    /// What was done when.
    private var history: [String] = []

    /// Of each round a job or some, one fault, and a pause.
    private static let count = 8

    /// Plays the rounds of a seed, and records what does not hold. `kiosks`: 1, or 2 for a pair.
    static func run(seed: Int, kiosks count: Int, atThreeServers: Bool) async throws {
        let rounds = try await FleetFaultRounds(seed: seed, isPair: count > 1, atThreeServers: atThreeServers)
        do {
            try await rounds.begin(kiosks: count)
            for _ in 1...Self.count { try await rounds.playRound() }
            try await rounds.heal()
            try await rounds.compareWithPaper(rounds.awaitLastWords())
        } catch {
            Issue.record("\(error)\n\(rounds.story)")
        }
    }

    private init(seed: Int, isPair: Bool, atThreeServers: Bool) async throws {
        let version = NATSServer.installed[seed % NATSServer.installed.count]
        // Not of Debian's: one of those that is killed and started again may lag behind the others for minutes.
        let isCluster = atThreeServers && NATSServer.installed.contains(.current)
        title = "seed \(seed), \(isPair ? "a pair" : "a kiosk") at \(isCluster ? "three servers" : "\(version)")"
        office = isCluster ? try await .atThreeServers() : try await FleetOffice(version)
        printer = try await SimulatedPrinter.start()
        random = SeededRandom(UInt64(seed))
        // "A job that is sent again after the hub has lost everything may be printed by the other kiosk, where that has
        // not seen the first one's report" (docs/fleet.md, "Two kiosks at a site").
        faults = Fault.allCases.filter { !isPair || $0 != .hubWiped }
    }

    private func begin(kiosks count: Int) async throws {
        let options = count > 1 ? ["--fleet-pair"] : []
        kiosks.append(try await FaultyKiosk("kiosk-1", of: office, printer, options))
        // The first has the lease of the site when the second comes.
        try await send("begin")
        _ = try await lastWord(on: "begin")
        for number in 2..<(count + 1) {
            kiosks.append(try await FaultyKiosk("kiosk-\(number)", of: office, printer, options))
        }
    }

    private func note(_ text: String) { history.append("\(Timestamp.now) \(text)") }

    /// To understand a failure by: what was played, and what the kiosks have said.
    private var story: String {
        "\(title):\n\(history.joined(separator: "\n"))\n\(kiosks.map(\.log).joined(separator: "\n"))"
    }

    // MARK: Faults

    private func playRound() async throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) { try await send("order-\(keys.count)") }
        let fault = faults.randomElement(using: &random) ?? .sentAgain
        try await play(fault, on: kiosks.randomElement(using: &random) ?? kiosks[0])
        try await Task.sleep(for: milliseconds(upTo: 1000))
    }

    private func milliseconds(upTo maximum: Int) -> Duration {
        .milliseconds(Int.random(in: 0...maximum, using: &random))
    }

    private func play(_ fault: Fault, on kiosk: FaultyKiosk) async throws {
        note("\(fault.rawValue), \(kiosk.node)")
        switch fault {
        case .sentAgain: try await send(keys.randomElement(using: &random) ?? keys[0])
        case .kioskKilled:
            try await kiosk.kill()
            try await kiosk.start()
        case .kioskEnded:
            try await kiosk.terminate()
            try await kiosk.start()
        case .kioskStopped: try await kiosk.stop(for: milliseconds(upTo: 5000))
        case .clockSet:
            let days = [-1, 0, 1].filter { $0 != kiosk.clockAhead }.randomElement(using: &random) ?? 0
            note("its clock is \(days) days ahead")
            try await kiosk.setClock(ahead: days)
        case .wayCut:
            // Often for longer than the other kiosk of a pair waits, and into later rounds.
            try await kiosk.cutWay()
            try await Task.sleep(for: milliseconds(upTo: 6000))
            if Bool.random(using: &random) { try await healWay(of: kiosk) }
        case .wayHealed: try await healWay(of: kiosk)
        case .wayBroken: try await kiosk.breakWay()
        case .diskFilled:
            try kiosk.fillDisk()
            try await Task.sleep(for: milliseconds(upTo: 2000))
        case .diskFreed: try await kiosk.freeDisk()
        case .hubKilled: try await office.restartHub()
        case .leaderKilled: try await office.restartLeader(after: milliseconds(upTo: 10_000))
        case .hubWiped: try await office.wipeHub()
        case .printerAway: try await printer.perform(.goOffline(milliseconds: nil))
        case .printerBack: try await printer.perform(.goOnline)
        case .connectionsDropped: try await printer.perform(.dropConnections)
        }
    }

    private func healWay(of kiosk: FaultyKiosk) async throws {
        note("the way of \(kiosk.node) is whole")
        try await kiosk.healWay()
    }

    private func heal() async throws {
        note("all is healed")
        try await printer.perform(.goOnline)
        for kiosk in kiosks { try await kiosk.heal() }
    }

    // MARK: The office

    /// Sends a job, and repeats it until the hub says that it has it.
    private func send(_ key: String) async throws {
        if !keys.contains(key) { keys.append(key) }
        note("\(key) is sent")
        try await office.repeating("the hub to take \(key)") { try await office.send(key) }
    }

    /// Sends all again, as an office does until it has heard of a job: the hub may have lost it. Returns the keys of
    /// those of which nobody can know whether they were printed.
    private func awaitLastWords() async throws -> Set<String> {
        for key in keys { try await send(key) }
        var doubtful: Set<String> = []
        for key in keys where try await isInDoubt(lastWord(on: key)) { doubtful.insert(key) }
        note("a last word on each, \(doubtful.count) in doubt")
        return doubtful
    }

    private func lastWord(on key: String) async throws -> FleetReport {
        var last: FleetReport?
        do {
            return try await eventuallyValue("a last word on \(key)") {
                do {
                    last = try await office.report(key) ?? last
                } catch let error as FleetError where error.isRetryable {
                    return nil
                }
                guard let last else { return nil }
                switch last.stage {
                case .ended: return last
                case .unconfirmed:
                    // The kiosk that was silent is there again, and says itself how the job ended.
                    if last.isDoubtAboutAnother { return nil }
                    guard last.job != nil else { throw TestSupportError("\(key) is lost") }
                    return last
                case .refused: throw TestSupportError("\(key) is refused")
                case .claimed, .accepted: return nil
                }
            }
        } catch { throw TestSupportError("\(error); its last report: \(String(describing: last))") }
    }

    private func isInDoubt(_ report: FleetReport) -> Bool {
        report.stage == .unconfirmed || report.job?.isUnconfirmed == true
    }

    // MARK: The paper

    /// None is lost, none is accepted twice, and none comes out twice without a word.
    private func compareWithPaper(_ doubtful: Set<String>) async throws {
        func printed() async throws -> [String: Int] { Self.counts(try await office.printed(by: printer)) }
        // A document that has come out may not be listed yet.
        try? await eventually("the paper", deadline: .seconds(60), poll: .milliseconds(50)) {
            let counts = try await printed()
            return keys.allSatisfy { counts[$0] != nil || doubtful.contains($0) }
        }
        let counts = try await printed()
        let wrong = keys.filter { !doubtful.contains($0) && counts[$0] != 1 }
        #expect(wrong.isEmpty, "\(wrong.map { "\($0) came out \(counts[$0] ?? 0) times" }); \(story)")
        let strange = Set(counts.keys).subtracting(keys)
        #expect(strange.isEmpty, "\(strange) came out, which nobody has sent; \(story)")
        var names: [String] = []
        for kiosk in kiosks { names += try await kiosk.acceptedNames() }
        let twice = Self.counts(names).filter { $0.value > 1 }
        #expect(twice.isEmpty, "\(twice.keys.sorted()) were accepted more than once; \(story)")
    }

    private static func counts(_ names: [String]) -> [String: Int] {
        names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
