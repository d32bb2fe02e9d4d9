import SimulatedPrinter
import TestSupport

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
