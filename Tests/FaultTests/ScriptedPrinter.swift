import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport

/// A printer that fails as it is told, and knows what it has printed.
protocol ScriptedPrinter: Sendable {
    associatedtype Command: Sendable
    /// The format in which it prints texts unchanged.
    static var format: DocumentFormat { get }
    static var profile: String? { get }
    static func start(number: Int) async throws -> Self
    var uri: String { get }
    func perform(_ command: Command) async throws
    /// Ends whatever may be wrong with it.
    func mend() async throws
    /// Whether nothing more comes out of it.
    var isDone: Bool { get async throws }
    /// How often each text came out whole.
    func copies() async throws -> [String: Int]
    static func randomFault(using random: inout some RandomNumberGenerator) -> PrinterFault<Command>
}

/// Something that goes wrong with a printer, and what ends it.
struct PrinterFault<Command: Sendable>: Sendable {
    var begin: [Command]
    var end: [Command] = []
}

/// Texts that are found again among whatever else is on a paper.
enum FaultText {
    static func text(name: String, length: Int) -> String {
        "\(start)\(name)\n" + String(repeating: "x", count: length) + end
    }

    private static let start = "text "
    private static let end = "\nend of text\n"

    /// The texts that stand whole in what a printer was sent. Anything within one breaks it.
    static func wholeTexts(in paper: String) -> [String] {
        paper.split(separator: end).dropLast(paper.hasSuffix(end) ? 0 : 1).compactMap { part in
            guard let last = part.ranges(of: start).last else { return nil }
            return part[last.lowerBound...] + end
        }
    }
}

// MARK: - IPP

extension SimulatedPrinter: ScriptedPrinter {
    typealias Command = PrinterCommand
    static var format: DocumentFormat { .plainText }
    static var profile: String? { nil }

    static func start(number: Int) async throws -> SimulatedPrinter {
        var options = Options()
        options.port = try freePort()
        return try await start(options)
    }

    func mend() async throws {
        for command in [
            .goOnline, .paperIn, .coverClose, .unjam, .release, .accept, .slow(milliseconds: 0),
            .trickle(milliseconds: 0), .busy(count: 0), .forgetAtEnd(false), .ignoreValidation(false),
            .ignoreTemplates(false),
        ] as [PrinterCommand] {
            try await perform(command)
        }
    }

    var isDone: Bool { get async throws { try await jobs.allSatisfy(\.state.isFinal) } }

    static func randomFault(using random: inout some RandomNumberGenerator) -> PrinterFault<PrinterCommand> {
        let bytes = Int64.random(in: 0...2000, using: &random)
        let milliseconds = Int.random(in: 10...150, using: &random)
        let all: [PrinterFault<PrinterCommand>] = [
            // It loses power, in the midst of a document or when it has printed, and forgets all.
            .init(begin: [.losePowerAfter(bytes: bytes)], end: [.goOnline]),
            .init(begin: [.losePowerBeforeResponse], end: [.goOnline]),
            .init(begin: [.powerOff], end: [.goOnline]),
            // The network goes; what the printer has, it prints.
            .init(begin: [.goOffline(milliseconds: milliseconds)]),
            .init(
                begin: [.slow(milliseconds: 8), .goOffline(milliseconds: nil)],
                end: [.goOnline, .slow(milliseconds: 0)]),
            .init(begin: [.dropConnections]),
            // It has printed, and does not say so.
            .init(begin: [.injectFault(.lose, count: 1, documentsOnly: true)]),
            .init(begin: [.injectFault(.half, count: 1, documentsOnly: true)]),
            .init(begin: [.injectFault(.garbage, count: 1, documentsOnly: true)]),
            .init(begin: [.injectFault(.lose, count: 3, documentsOnly: false)]),
            .init(begin: [.injectFault(.lose, count: 1, documentsOnly: true), .forget]),
            // It is slow, busy, or waits for a person.
            .init(begin: [.slow(milliseconds: 5)], end: [.slow(milliseconds: 0)]),
            .init(begin: [.trickle(milliseconds: 5)], end: [.trickle(milliseconds: 0)]),
            .init(begin: [.busy(count: 3)]),
            // For minutes, by the pauses of a job that waits for nobody else: until all of it is used up, or to the end.
            .init(begin: [.busy(count: 40)]),
            // It forgets its jobs as they end, alone or when the response is lost too.
            .init(begin: [.forgetAtEnd(true)], end: [.forgetAtEnd(false)]),
            .init(
                begin: [.forgetAtEnd(true), .injectFault(.lose, count: 1, documentsOnly: true)],
                end: [.forgetAtEnd(false)]),
            // It drops what the ticket asks for, or does not answer what comes before a long document.
            .init(begin: [.ignoreTemplates(true)], end: [.ignoreTemplates(false)]),
            .init(begin: [.ignoreValidation(true)], end: [.ignoreValidation(false)]),
            .init(begin: [.refuse], end: [.accept]),
            .init(begin: [.paperOut], end: [.paperIn]),
            .init(begin: [.coverOpen], end: [.coverClose]),
            .init(begin: [.jam], end: [.unjam]),
            .init(begin: [.hold], end: [.release]),
            .init(begin: [.hold], end: [.abort, .release]),
        ]
        return all.randomElement(using: &random) ?? all[0]
    }
}

// MARK: - Raw TCP

extension SimulatedRawPrinter: ScriptedPrinter {
    static var format: DocumentFormat { .octetStream }
    static var profile: String? { "epson-tm" }

    static func start(number: Int) async throws -> SimulatedRawPrinter {
        var options = Options()
        options.names.serial = "TILL\(number)"
        options.port = try freePort()
        return try await start(options)
    }

    func mend() async throws {
        for command in [
            .powerOn, .stall(false), .mute(false), .set(.paperOut, false), .set(.coverOpen, false), .set(.jam, false),
        ] as [Command] {
            try await perform(command)
        }
    }

    var isDone: Bool { get async throws { true } }

    func copies() async throws -> [String: Int] {
        var text: [UInt8] = []
        // Requests for the status may stand within a document: they are executed on reception, and print nothing.
        let paper = try await paper
        var place = 0
        while place < paper.count {
            if paper[place...].starts(with: [0x10, 0x04]), place + 2 < paper.count {
                place += 3
            } else {
                text.append(paper[place])
                place += 1
            }
        }
        var copies: [String: Int] = [:]
        for text in FaultText.wholeTexts(in: String(decoding: text, as: UTF8.self)) {
            copies[text, default: 0] += 1
        }
        return copies
    }

    static func randomFault(using random: inout some RandomNumberGenerator) -> PrinterFault<Command> {
        let bytes = Int.random(in: 0...2000, using: &random)
        let all: [PrinterFault<Command>] = [
            // It loses power, in the midst of a document or when it waits, and forgets all.
            .init(begin: [.losePowerAfter(bytes: bytes)], end: [.powerOn]),
            .init(begin: [.powerOff], end: [.powerOn]),
            .init(begin: [.powerOff, .powerOn]),
            .init(begin: [.dropConnection]),
            .init(begin: [.losePowerAfter(bytes: bytes)], end: [.dropConnection, .powerOn]),
            // It reads nothing, or does not respond, as while it serves another program.
            .init(begin: [.stall(true)], end: [.stall(false)]),
            .init(begin: [.stall(true)], end: [.powerOff, .powerOn, .stall(false)]),
            .init(begin: [.mute(true)], end: [.mute(false)]),
            .init(begin: [.mute(true)], end: [.dropConnection, .mute(false)]),
            // It waits for a person.
            .init(begin: [.set(.paperOut, true)], end: [.set(.paperOut, false)]),
            .init(begin: [.set(.paperLow, true)], end: [.set(.paperLow, false)]),
            .init(begin: [.set(.coverOpen, true)], end: [.set(.coverOpen, false)]),
            .init(begin: [.set(.jam, true)], end: [.set(.jam, false)]),
            .init(begin: [.set(.paperOut, true)], end: [.powerOff, .set(.paperOut, false), .powerOn]),
        ]
        return all.randomElement(using: &random) ?? all[0]
    }
}
