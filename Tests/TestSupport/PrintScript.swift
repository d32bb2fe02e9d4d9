import Foundation
import Glibc

/// The print command of an `EvePrinter` or a `CupsServer`: a script that runs for each job, and does what the test
/// tells it to do with the current job and those to come.
package final class PrintScript: Sendable {
    private let folder: String
    /// The script's path.
    let path: String

    init(_ folder: String) throws {
        self.folder = folder
        path = "\(folder)/command"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try write("", to: "orders")
        try write("", to: "jobs")
        // Orders are lines for its standard error, each said once: `STATE: +media-empty`, `ATTR: …`, `ERROR: …`.
        try writeProgram(
            """
            #!/bin/sh
            echo "$1 $CONTENT_TYPE" >>'\(folder)/jobs'
            said() {
                if mv '\(folder)/orders' '\(folder)/orders.said' 2>/dev/null; then
                    cat '\(folder)/orders.said' >&2
                fi
            }
            said
            while [ -e '\(folder)/hold' ]; do
                sleep 0.02
                said
            done
            if [ -e '\(folder)/fail' ]; then exit 1; fi
            exit 0

            """, to: path)
    }

    /// Lets the job at hand, and those to come, wait at `processing` until `release()`.
    package func hold() throws { try write("", to: "hold") }

    package func release() throws { try remove("hold") }

    /// Lets jobs to come end as aborted until `succeed()`.
    package func fail() throws { try write("", to: "fail") }

    package func succeed() throws { try remove("fail") }

    /// Has the job at hand, or the next one, say lines to the printer, such as `STATE: +media-jam`. Reasons
    /// stick until taken back; it reports each with a suffix of its own choice (`cover-open` as `cover-open-warning`).
    package func say(_ lines: String...) throws {
        let old = (try? String(contentsOfFile: "\(folder)/orders", encoding: .utf8)) ?? ""
        try write(old + lines.map { $0 + "\n" }.joined(), to: "orders.new")
        guard rename("\(folder)/orders.new", "\(folder)/orders") == 0 else {
            throw TestSupportError.errno("rename", errno)
        }
    }

    /// What the printer started to print so far: file and content type of each document, in order.
    package func startedJobs() throws -> [String] {
        try String(contentsOfFile: "\(folder)/jobs", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    private func remove(_ name: String) throws {
        guard unlink("\(folder)/\(name)") == 0 || errno == ENOENT else { throw TestSupportError.errno("unlink", errno) }
    }
}
