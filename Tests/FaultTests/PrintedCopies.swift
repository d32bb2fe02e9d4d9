import KioskSimulatedPrinter
import KioskTestSupport

extension SimulatedPrinter {
    /// How often each text came out whole.
    func copies() async throws -> [String: Int] {
        // In this order: a document is there before its paper.
        let paper = try await paper
        let documents = Dictionary(uniqueKeysWithValues: try await documents.map { ($0.number, $0.path) })
        var copies: [String: Int] = [:]
        for paper in paper where paper.isComplete {
            guard let path = documents[paper.document] else { throw TestSupportError("paper without a document") }
            copies[String(decoding: try readFile(path), as: UTF8.self), default: 0] += 1
        }
        return copies
    }
}

extension EvePrinter {
    /// How often each text went to its print command.
    func copies() throws -> [String: Int] {
        var copies: [String: Int] = [:]
        for line in try printScript.startedJobs() {
            guard let end = line.lastIndex(of: " ") else { throw TestSupportError("no job: \(line)") }
            copies[String(decoding: try readFile(String(line[..<end])), as: UTF8.self), default: 0] += 1
        }
        return copies
    }
}
