import TestSupport

extension EvePrinter {
    /// How often each text went to its print command.
    func copies() throws -> [String: Int] {
        var copies: [String: Int] = [:]
        for line in try desk.startedJobs() {
            guard let end = line.lastIndex(of: " ") else { throw TestSupportError("no job: \(line)") }
            copies[String(decoding: try readFile(String(line[..<end])), as: UTF8.self), default: 0] += 1
        }
        return copies
    }
}
