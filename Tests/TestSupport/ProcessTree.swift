import Foundation

/// Who was started by a process and is still its child (proc(5)).
package func childProcesses(of parent: Int32) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { status(of: $0)?.parent == parent }
}

/// Children, their children, and so on.
func descendants(of parent: Int32) -> [Int32] {
    childProcesses(of: parent).flatMap { [$0] + descendants(of: $0) }
}

/// Whether it was stopped by a signal (`T`), or has ended.
func standsStill(_ process: Int32) -> Bool { status(of: process).map { "TZX".contains($0.state) } ?? true }

/// Its program's name, cut at 15 octets.
package func programName(of process: Int32) -> String? { status(of: process)?.name }

private func status(of process: Int32) -> (name: String, state: Character, parent: Int32)? {
    // The name stands in parentheses and may hold any character, so the fields are counted from its end.
    guard let octets = try? readFile("/proc/\(process)/stat") else { return nil }
    let line = String(decoding: octets, as: UTF8.self)
    guard let begin = line.firstIndex(of: "("), let end = line.lastIndex(of: ")") else { return nil }
    let fields = line[line.index(after: end)...].split(separator: " ")
    guard fields.count > 1, let state = fields[0].first, let parent = Int32(fields[1]) else { return nil }
    return (String(line[line.index(after: begin)..<end]), state, parent)
}

/// Whether a process runs with this in its command line.
package func isAnyProcess(containing text: String) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.contains { name in
        guard Int(name) != nil, let line = try? readFile("/proc/\(name)/cmdline") else { return false }
        return String(decoding: line, as: UTF8.self).contains(text)
    }
}
