internal import ArgumentParser
internal import Glibc

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

    /// Replaces this program; returns only by its error.
    static func handOver(_ arguments: [String]) throws -> Never {
        let path = try SiblingProgram.path(programName)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        execv(path, &words)
        let reason = String(cString: strerror(errno))
        throw CommandFailure(
            message: "\(path) cannot be run (\(reason)); install \(programName), which is the simulated printer, beside kioskctl")
    }
}
