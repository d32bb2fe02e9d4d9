import Foundation

/// `bare.c`: libusb and nothing else.
struct BareProgram {
    var path: String
    var bytes: Int

    struct Way: Hashable {
        var name: String
        var chunk: Int
        /// 0: one blocking call.
        var depth: Int
    }

    static let ways: [Way] =
        [Way(name: "one blocking call", chunk: 0, depth: 0)]
        + [16384, 65536, 262_144, 1_048_576].flatMap { chunk in
            [2, 4].map { Way(name: "\(chunk / 1024) KiB, \($0) under way", chunk: chunk, depth: $0) }
        }

    /// Seconds for the document.
    func run(_ way: Way) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["BENCH1", "\(bytes)", "\(way.chunk)", "\(way.depth)"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let seconds = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else {
            throw BareFailure(way: way.name)
        }
        return seconds
    }

    struct BareFailure: Error { var way: String }
}
