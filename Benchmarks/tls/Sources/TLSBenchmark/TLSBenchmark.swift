import Foundation
import PrintModel
import TestSupport

/// What TLS adds to a receipt, by nginx and ippeveprinter: `TLSBenchmark PRINTER COMMIT [ROUNDS]`.
@main enum TLSBenchmark {
    static func main() async {
        do {
            try await run()
        } catch {
            FileHandle.standardError.write(Data("TLSBenchmark: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { throw TestSupportError("usage: TLSBenchmark PRINTER COMMIT [ROUNDS]") }
        let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 500 : 500
        let receipt = (0..<2048).map { UInt8(truncatingIfNeeded: 32 + $0 % 90) }
        let authority = try await TestAuthority()

        let port = try freePort()
        let nothing = try ChildProcess(arguments[1], ["\(port)"])
        let gateways = try await Gateways(authority, upstreamPort: port)
        let behindNginx = try gateways.comparison()
        print(header(commit: arguments[2]))
        try await behindNginx.run(rounds: rounds, warmUp: 20, receipt: receipt)
        try gateways.check()
        print(behindNginx.report())
        nothing.kill()

        let direct = try await DirectPrinter(authority)
        let comparison = try direct.comparison()
        try await comparison.run(rounds: rounds, warmUp: 20, receipt: receipt)
        print(comparison.report())
    }

    private static func header(commit: String) -> String {
        func file(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        let processor = file("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = processor?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
        let load = file("/proc/loadavg").split(separator: " ").prefix(3).joined(separator: " ")
        #if DEBUG
            let build = "**debug build, proves only that it runs**"
        #else
            let build = "release build"
        #endif
        let date = ISO8601DateFormatter().string(from: Date())
        return "\(date), commit \(commit), \(build); \(name), \(ProcessInfo.processInfo.activeProcessorCount) processors, load \(load) before\n"
    }
}
