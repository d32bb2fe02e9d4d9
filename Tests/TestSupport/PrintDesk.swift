import Foundation
import Glibc

/// The print command of an `EvePrinter`, and the way to tell it what to do with the jobs to come and the one at hand.
package final class PrintDesk: Sendable {
    private let path: String
    let command: String

    init(_ path: String) throws {
        self.path = path
        command = "\(path)/command"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try write("", to: "orders")
        try write("", to: "jobs")
        // Orders are lines for its standard error, each said once: `STATE: +media-empty`, `ATTR: …`, `ERROR: …`.
        try writeProgram(
            """
            #!/bin/sh
            echo "$1 $CONTENT_TYPE" >>'\(path)/jobs'
            said() {
                if mv '\(path)/orders' '\(path)/orders.said' 2>/dev/null; then
                    cat '\(path)/orders.said' >&2
                fi
            }
            said
            while [ -e '\(path)/hold' ]; do
                sleep 0.02
                said
            done
            if [ -e '\(path)/fail' ]; then exit 1; fi
            exit 0

            """, to: command)
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
        let old = (try? String(contentsOfFile: "\(path)/orders", encoding: .utf8)) ?? ""
        try write(old + lines.map { $0 + "\n" }.joined(), to: "orders.new")
        guard rename("\(path)/orders.new", "\(path)/orders") == 0 else { throw TestSupportError.errno("rename", errno) }
    }

    /// What the printer started to print so far: file and content type of each document, in order.
    package func startedJobs() throws -> [String] {
        try String(contentsOfFile: "\(path)/jobs", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    private func remove(_ name: String) throws {
        guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else { throw TestSupportError.errno("unlink", errno) }
    }
}
