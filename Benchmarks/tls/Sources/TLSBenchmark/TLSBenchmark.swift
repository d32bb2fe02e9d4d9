import Foundation
import KioskTestSupport

/// What TLS adds to a receipt, by nginx and ippeveprinter: `TLSBenchmark PRINTER COMMIT ROUNDS [ONLY]`.
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
        guard arguments.count >= 4, let rounds = Int(arguments[3]), rounds > 0 else {
            throw TestSupportError("usage: TLSBenchmark PRINTER COMMIT ROUNDS [ONLY]")
        }
        let only = arguments.count > 4 ? arguments[4] : nil
        let receipt = (0..<2048).map { UInt8(truncatingIfNeeded: 32 + $0 % 90) }
        let authority = try await TestAuthority()

        let port = try freePort()
        let nothing = try ChildProcess(arguments[1], ["\(port)"])
        let gateways = try await Gateways(authority, upstreamPort: port)
        let behindNginx = gateways.comparison(only: only)
        print(header(commit: arguments[2]))
        try await behindNginx.run(rounds: rounds, warmUp: 20, receipt: receipt)
        try gateways.check()
        nothing.kill()

        guard only == nil else { return print(behindNginx.report()) }
        let direct = try await DirectPrinter(authority)
        let straight = direct.comparison()
        try await straight.run(rounds: rounds, warmUp: 20, receipt: receipt)
        print(behindNginx.report(), straight.report(), separator: "\n")
        print("### For Benchmarks/tls/README.md", gateways.summary(), direct.summary(), separator: "\n\n")
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
        return
            "\(date), commit \(commit), \(build); \(name), \(ProcessInfo.processInfo.activeProcessorCount) processors, load \(load) before\n"
    }
}
