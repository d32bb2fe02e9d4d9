import Foundation
import SimulatedPaper
import TestSupport

/// What an interpreter that others wrote made of a job.
struct ForeignPrint: Decodable {
    /// A piece of paper for each cut, or a label: to its last black dot, without margins.
    var pictures: [Picture]
    /// Its own list of what stands on the paper.
    var lines: [String]
    /// What it did not know or could not do.
    var refused: [String]
    /// Drawers that it opened: the pin, and for how many milliseconds.
    var drawers: [String]

    struct Picture: Decodable {
        var width: Int
        var height: Int
        /// Packed as in a `Bitmap`.
        var rows: Data

        var bitmap: Bitmap { Bitmap(width: width, height: height, rows: rows) }
    }

    /// A job for it, and the width of the paper that it prints on.
    struct Job: Encodable {
        var bytes: Data
        var width: Int

        init(_ bytes: [UInt8], width: Int) { (self.bytes, self.width) = (Data(bytes), width) }
    }

    /// Runs `script`, which reads the jobs from a file and writes what became of each to another; nil where its
    /// packages could not be fetched.
    static func prints(of jobs: [Job], by script: String) async throws -> [ForeignPrint]? {
        let folder = try TemporaryFolder("jobs")
        let file = try folder.write(JSONEncoder().encode(jobs), to: "jobs.json")
        guard let output = try await PythonPeers.output(of: script, with: [file]) else { return nil }
        return try JSONDecoder().decode([ForeignPrint].self, from: Data(output))
    }
}
