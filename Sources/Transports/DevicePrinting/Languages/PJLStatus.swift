import KioskPrintModel

/// One response of a printer that understands PJL on its back-channel (HP, "Printer Job Language Technical Reference
/// Manual"): the status readback that was requested, or unsolicited status.
package enum PJLReply: Hashable, Sendable {
    /// `INFO STATUS`, or the unsolicited device status.
    case status(PJLStatus)
    /// The unsolicited status of a job; its name where the printer says it.
    case job(PJLJobEvent, name: String?)
    /// Another response.
    case other
    /// Bytes that are no response.
    case garbage(count: Int)
}

/// What the printer says of a job (chapter 5, "Job Separation Commands").
package enum PJLJobEvent: Hashable, Sendable {
    /// It has begun to process the job.
    case started
    /// The last page is in the output bin, or the job was cancelled: `result`, where the printer tells it.
    /// `pages` is nil where it does not count them, and 0 where its count cannot be read.
    case ended(pages: Int?, result: String?)
    /// It was cancelled, and is not over yet.
    case cancelled(result: String?)
}

/// The commands around a document, and between documents.
package enum PJLCommand {
    /// "Universal exit language": ends whatever language the printer is in.
    package static let exitLanguage: [UInt8] = [0x1B] + Array("%-12345X".utf8)

    /// Asks for the device's status now and, unsolicited, on every change.
    package static let requestStatus =
        exitLanguage + Array("@PJL\r\n@PJL USTATUS DEVICE=ON\r\n@PJL INFO STATUS\r\n".utf8) + exitLanguage

    /// Begins a job of which the printer reports the end. The name is a confirmation's id.
    package static func begin(job name: String) -> [UInt8] {
        exitLanguage + Array("@PJL\r\n@PJL USTATUS JOB=ON\r\n@PJL JOB NAME=\"\(name)\"\r\n".utf8)
    }

    /// Ends whatever job is open.
    package static let endOpenJob = exitLanguage + Array("@PJL\r\n@PJL EOJ\r\n".utf8) + exitLanguage

    package static func end(job name: String) -> [UInt8] {
        exitLanguage + Array("@PJL\r\n@PJL EOJ NAME=\"\(name)\"\r\n".utf8) + exitLanguage
    }
}

/// The device's status: a status code, and whether it is online (appendix D, "PJL Status Codes").
package struct PJLStatus: Hashable, Sendable {
    package var code: Int
    /// Nil where the printer does not say.
    package var isOnline: Bool?
    /// Whether it was reported on a change (`USTATUS DEVICE`), and not asked for.
    package var isUnsolicited = false

    /// Whether it waits for data (10001), or sleeps (10000).
    package var isReady: Bool { code == 10001 || code == 10000 }

    package var condition: DeviceCondition {
        var facts = DeviceCondition.Facts()
        switch code {
        case 40021: facts.insert(.coverOpen)
        case 40022, 42000..<43000, 44000..<45000: facts.insert(.paperJam)
        // "Load paper" of a size into a tray.
        case 41000..<42000: facts.insert(.paperNeeded)
        case 40079: facts.insert(.offline)
        // Operator intervention, and some messages with which it goes on printing, as that toner is low (40038).
        case 40000..<50000: if isOnline == false { facts.insert(.error) }
        // Service is needed.
        case 50000..<60000: facts.insert(.mechanicalError)
        default: if isOnline == false { facts.insert(.offline) }
        }
        return DeviceCondition(
            facts: facts,
            known: [.coverOpen, .paperJam, .paperNeeded, .offline, .error, .mechanicalError, .paperEnd])
    }
}

/// Separates a PJL printer's responses in one stream, which is fed in chunks of any size. Each begins with `@PJL` and
/// ends with a form feed.
package struct PJLReplyParser: Sendable {
    private var collected: [UInt8] = []
    private var garbage = 0

    /// Longer than any response to these requests.
    package static let maximumLength = 2048
    private static let start = Array("@PJL".utf8)
    private static let nextStart = Array("\n@PJL".utf8)

    package init() {}

    /// Whether a response has started and not ended.
    package var isInsideReply: Bool { !collected.isEmpty }

    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [PJLReply] {
        var replies: [PJLReply] = []
        for byte in bytes { take(byte, &replies) }
        flushGarbage(&replies)
        return replies
    }

    private mutating func take(_ byte: UInt8, _ replies: inout [PJLReply]) {
        if collected.count < Self.start.count {
            if byte == Self.start[collected.count] { return collected.append(byte) }
            garbage += collected.count
            collected = []
            if byte == Self.start[0] { return collected.append(byte) }
            garbage += byte == 0x0C || byte == 0x0A || byte == 0x0D ? 0 : 1
        } else if byte == 0x0C {
            flushGarbage(&replies)
            replies.append(Self.reply(collected))
            collected = []
        } else if collected.count == Self.maximumLength {
            garbage += collected.count + 1
            collected = []
        } else {
            collected.append(byte)
            // The end of the one before was lost.
            if collected.suffix(Self.nextStart.count).elementsEqual(Self.nextStart) {
                garbage += collected.count - Self.start.count
                collected = Self.start
            }
        }
    }

    private static func reply(_ bytes: [UInt8]) -> PJLReply {
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }.map { String(decoding: $0, as: UTF8.self) }
        let head = lines[0].split(separator: " ").map { $0.uppercased() }
        var values: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            values[trimmed(parts[0]).uppercased()] = trimmed(parts[1])
        }
        switch head.dropFirst().joined(separator: " ") {
        case "INFO STATUS", "USTATUS DEVICE":
            guard let code = values["CODE"].flatMap({ Int($0) }) else { return .other }
            let isOnline: Bool? =
                switch values["ONLINE"]?.uppercased() {
                case "TRUE": true
                case "FALSE": false
                default: nil
                }
            return .status(PJLStatus(code: code, isOnline: isOnline, isUnsolicited: head[1] == "USTATUS"))
        case "USTATUS JOB":
            let name = values["NAME"]
            let result = values["RESULT"].map { keyword($0.uppercased()) }
            switch lines.dropFirst().first.map({ trimmed($0[...]).uppercased() }) {
            case "START": return .job(.started, name: name)
            case "END": return .job(.ended(pages: values["PAGES"].map { Int($0) ?? 0 }, result: result), name: name)
            case "CANCELED", "CANCELLED": return .job(.cancelled(result: result), name: name)
            default: return .other
            }
        default: return .other
        }
    }

    /// A keyword such as `USER_CANCELED`, which people are shown; `UNKNOWN` for any other text.
    private static func keyword(_ text: String) -> String {
        let isKeyword =
            (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x5F }
        return isKeyword ? text : "UNKNOWN"
    }

    /// Without blanks and quotation marks around it.
    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\"" }.reversed().drop { $0 == " " || $0 == "\"" }.reversed())
    }

    private mutating func flushGarbage(_ replies: inout [PJLReply]) {
        if garbage > 0 { replies.append(.garbage(count: garbage)) }
        garbage = 0
    }
}
