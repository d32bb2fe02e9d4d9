import Foundation
import KioskSimulatedPaper
import KioskTestSupport

/// The print of a job by an interpreter that others wrote.
struct ForeignPrint: Decodable {
    /// A picture for each piece of paper or label: to its last black dot, without margins.
    var pictures: [Picture]
    /// The interpreter's list of what is on the paper.
    var lines: [String]
    /// Commands that it did not know or could not execute.
    var refused: [String]
    /// The drawers that it opened: the pin and the milliseconds.
    var drawers: [String]

    struct Picture: Decodable {
        var width: Int
        var height: Int
        /// Packed as in a `Bitmap`.
        var rows: Data

        var bitmap: Bitmap { Bitmap(width: width, height: height, rows: rows) }
    }

    /// A job, and the width of the paper in dots.
    struct Job: Encodable {
        var bytes: Data
        var width: Int

        init(_ bytes: [UInt8], width: Int) { (self.bytes, self.width) = (Data(bytes), width) }
    }

    /// Runs `script`, which reads the jobs from a file and writes their prints to another. Returns nil where its
    /// packages could not be fetched.
    static func prints(of jobs: [Job], by script: String) async throws -> [ForeignPrint]? {
        let folder = try TemporaryFolder("jobs")
        let file = try folder.write(JSONEncoder().encode(jobs), to: "jobs.json")
        guard let output = try await PythonPeers.output(of: script, with: [file]) else { return nil }
        return try JSONDecoder().decode([ForeignPrint].self, from: Data(output))
    }
}

extension ForeignPrint {
    /// The words of each line that has any, without pictures and codes, which are listed in brackets.
    var words: [[String]] {
        lines.filter { !$0.hasPrefix("[") || !$0.hasSuffix("]") }.map { $0.split(separator: " ").map { String($0) } }
            .filter { !$0.isEmpty }
    }

    /// The barcodes' symbologies, and the data of QR codes.
    var codes: [String] {
        lines.compactMap { line in
            if line.hasPrefix("[qr ") {
                line
            } else if line.hasPrefix("[barcode ") {
                line.split(separator: " ").dropFirst().first.map { String($0) }
            } else {
                nil
            }
        }
    }
}
