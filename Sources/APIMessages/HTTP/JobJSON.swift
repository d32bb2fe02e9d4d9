import KioskPrintModel

/// A job as JSON, written without `JSONEncoder`, byte for byte as that would: the response to each receipt is one, and
/// the generic encoder would take a tenth of what the whole receipt costs.
struct JobJSON {
    private var bytes: [UInt8] = []

    /// `ticket` encodes a ticket that says anything.
    static func bytes(of job: Job, ticket: (Ticket) throws -> [UInt8]) rethrows -> [UInt8] {
        var json = JobJSON()
        json.bytes.reserveCapacity(640)
        try json.write(job, ticket)
        return json.bytes
    }

    /// In the order of `JSONEncoder.OutputFormatting.sortedKeys`.
    private mutating func write(_ job: Job, _ ticket: (Ticket) throws -> [UInt8]) rethrows {
        write("{\"attempts\":", job.attempts)
        write(",\"bytes-sent\":", job.bytesSent)
        write(",\"completed-at\":", job.completedAt?.description)
        write(",\"created-at\":", job.createdAt.description)
        write(",\"document-format\":", job.format.mimeType)
        write(",\"document-length\":", job.documentLength)
        write(",\"evidence\":", job.evidence?.rawValue)
        write(",\"expires-at\":", job.expiresAt.description)
        write(",\"group\":", job.group) { $0.bytes += String($1).utf8 }
        write(",\"id\":", job.id)
        write(",\"job-state\":", job.state.rawValue)
        write(",\"job-state-reasons\":", job.stateReasons) { $0.write($1) }
        write(",\"message\":", job.message)
        write(",\"name\":", job.name)
        write(",\"origin\":", job.origin)
        switch job.owner {
        case .user(let user)?: write(",\"owner\":", user)
        case .token?: write(",\"owner\":", job.owner?.description)
        case nil: break
        }
        write(",\"pages\":", job.pages)
        write(",\"pages-begun\":", job.pagesBegun)
        write(",\"printer\":", job.printer?.rawValue)
        write(",\"processing-at\":", job.processingAt?.description)
        write(",\"remarks\":", job.remarks) { $0.write($1) }
        if let remoteJob = job.remoteJob {
            write(",\"remote-job\":{\"identifier\":", remoteJob.identifier)
            bytes.append(UInt8(ascii: "}"))
        }
        write(",\"request-id\":", job.requestID)
        write(",\"role\":", job.role?.rawValue)
        bytes += ",\"ticket\":".utf8
        if job.ticket == Ticket() { bytes += "{}".utf8 } else { bytes += try ticket(job.ticket) }
        bytes += (job.isUnconfirmed ? ",\"unconfirmed\":true" : ",\"unconfirmed\":false").utf8
        write(",\"user\":", job.user)
        if let isWithheld = job.isWithheld { bytes += (isWithheld ? ",\"withheld\":true" : ",\"withheld\":false").utf8 }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ key: String, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        bytes += key.utf8
        bytes += String(number).utf8
    }

    private mutating func write(_ key: String, _ text: String?) {
        guard let text else { return }
        bytes += key.utf8
        write(text)
    }

    private mutating func write<Value>(
        _ key: String, _ values: [Value]?, _ writeValue: (inout JobJSON, Value) -> Void
    ) {
        guard let values else { return }
        bytes += key.utf8
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            writeValue(&self, value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// A string with the escapes of RFC 8259 §7.
    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x08: bytes += "\\b".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0..<0x20:
                bytes += "\\u00".utf8
                if byte < 0x10 { bytes.append(UInt8(ascii: "0")) }
                bytes += String(byte, radix: 16).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
