import ArgumentParser

/// `kioskctl simulate`: hands over to `kioskctl-simulate`, which serves TLS. In this program, which a till starts once
/// for each receipt, OpenSSL would cost every start what a receipt's way takes.
struct SimulateCommand: ParsableCommand {
    static let programName = "kioskctl-simulate"

    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a simulated printer on loopback until Ctrl-C."
    )

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func run() throws { try Self.handOver(arguments) }

    static func handOver(_ arguments: [String]) throws -> Never {
        try SiblingProgram.handOver(programName, arguments, role: "is the simulated printer")
    }
}
