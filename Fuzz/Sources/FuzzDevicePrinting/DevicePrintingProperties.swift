import KioskDevicePrinting
import KioskPrintModel

/// What must hold for whatever a printer sends on its back-channel.
enum DevicePrintingProperties {
    static func check(_ bytes: [UInt8]) {
        checkEscPos(bytes)
        checkStar(bytes)
        checkLabels(bytes)
        checkPJL(bytes)
        checkCompletion(bytes)
    }

    /// In pieces it means the same as in one; the replies, written again, are the same; no byte counts twice.
    private static func checkEscPos(_ bytes: [UInt8]) {
        var parser = EscPosReplyParser()
        let whole = merged(parser.feed(bytes))
        var fed: [EscPosReply] = []
        parser = EscPosReplyParser()
        inPieces(bytes) { fed += parser.feed($0) }
        guard merged(fed) == whole else { fatalError("in pieces it means something else") }
        let replies = whole.filter { if case .garbage = $0 { false } else { true } }
        parser = EscPosReplyParser()
        guard parser.feed(replies.flatMap(written)) == replies, !parser.isInsideReply else {
            fatalError("written again, it says something else")
        }
        let count = whole.reduce(0) { if case .garbage(let count) = $1 { $0 + count } else { $0 + written($1).count } }
        let pending = bytes.count { $0 != 0x11 && $0 != 0x13 } - count
        guard (0...EscPosReplyParser.maximumBlockLength + 1).contains(pending) else {
            fatalError("bytes that count twice or never")
        }
    }

    private static func written(_ reply: EscPosReply) -> [UInt8] {
        switch reply {
        case .automaticStatus(let status): status.bytes
        case .realTimeStatus(let byte), .status(let byte): [byte]
        case .processID(let id): [0x37, 0x22] + Array(id.utf8) + [0]
        case .cleared: [0x37, 0x25, 0]
        case .block(let header, let content): [header] + content + [0]
        case .garbage: []
        }
    }

    private static func merged(_ replies: [EscPosReply]) -> [EscPosReply] {
        replies.reduce(into: []) { merged, reply in
            if case .garbage(let count) = reply, case .garbage(let before)? = merged.last {
                merged[merged.count - 1] = .garbage(count: before + count)
            } else {
                merged.append(reply)
            }
        }
    }

    private static func checkStar(_ bytes: [UInt8]) {
        var parser = StarStatusParser()
        let whole = statuses(parser.feed(bytes))
        var fed: [StarStatus] = []
        parser = StarStatusParser()
        inPieces(bytes) { fed += statuses(parser.feed($0)) }
        guard fed == whole else { fatalError("in pieces it means something else") }
        for status in whole {
            guard (7...15).contains(status.bytes.count),
                status.attached.count <= StarStatusParser.maximumAttachmentLength,
                status.etbCount.map({ $0 < 32 }) ?? true
            else { fatalError("a status out of bounds") }
            _ = status.condition.availability(drawerOpen: .high)
        }
    }

    private static func statuses(_ replies: [StarStatusParser.Reply]) -> [StarStatus] {
        replies.compactMap { if case .status(let status) = $0 { status } else { nil } }
    }

    /// In pieces it means the same as in one; a job counts as printed only where the odometer has moved.
    private static func checkLabels(_ bytes: [UInt8]) {
        var parser = ZebraReplyParser()
        let whole = parser.feed(bytes)
        var fed: [ZebraReply] = []
        parser = ZebraReplyParser()
        inPieces(bytes) { fed += parser.feed($0) }
        func meanings(_ replies: [ZebraReply]) -> [ZebraReply] {
            replies.filter { if case .garbage = $0 { false } else { true } }
        }
        guard meanings(fed) == meanings(whole) else { fatalError("in pieces it means something else") }
        var memory = CompletionMemory(DeviceSettings(), language: .zpl, seed: 0)
        var tracker = CompletionTracker(&memory, labelCount: 7)
        _ = tracker.documentEnded(&memory)
        var status = StatusTracker(DeviceSettings(), language: .zpl)
        _ = status.requestInTurn()
        var hasMoved = false
        for reply in whole {
            if case .variable(let text) = reply, let count = ZebraCommand.labelCount(in: text), count > 7 {
                hasMoved = true
            }
            let action = tracker.received(reply, isSent: true, &memory)
            guard action != .settled(.printed) || hasMoved else { fatalError("printed, and no label has come out") }
            if status.received(reply).isEmpty { _ = status.requestInTurn() }
        }
        _ = status.timedOut()
    }

    /// In pieces it means the same as in one; a job counts as printed only where its own id is named.
    private static func checkPJL(_ bytes: [UInt8]) {
        var parser = PJLReplyParser()
        let whole = parser.feed(bytes)
        var fed: [PJLReply] = []
        parser = PJLReplyParser()
        inPieces(bytes) { fed += parser.feed($0) }
        func meanings(_ replies: [PJLReply]) -> [PJLReply] {
            replies.filter { if case .garbage = $0 { false } else { true } }
        }
        guard meanings(fed) == meanings(whole) else { fatalError("in pieces it means something else") }
        var memory = CompletionMemory(DeviceSettings(), language: .pjl, seed: 0)
        var tracker = CompletionTracker(&memory)
        _ = tracker.documentBegins()
        _ = tracker.documentEnded(&memory)
        for reply in whole {
            let action = tracker.received(reply, isSent: true, &memory)
            guard action != .settled(.printed) else {
                guard case .job(.ended, name: "0000"?) = reply else { fatalError("printed without our name") }
                return
            }
        }
        _ = tracker.timedOut(&memory)
    }

    /// A job counts as printed only when its own id stands in the input.
    private static func checkCompletion(_ bytes: [UInt8]) {
        var memory = CompletionMemory(DeviceSettings(completion: .processID), language: .escPOS, seed: 0)
        var tracker = CompletionTracker(&memory)
        _ = tracker.documentEnded(&memory)
        var watch = StatusTracker(DeviceSettings(), language: .escPOS)
        _ = watch.requestInTurn()
        var parser = EscPosReplyParser()
        var isPrinted = false
        for reply in parser.feed(bytes) {
            if tracker.received(reply, &memory) == .settled(.printed) { isPrinted = true }
            if watch.received(reply).isEmpty { _ = watch.requestInRealTime(insideJob: false) }
        }
        _ = tracker.timedOut(&memory)
        _ = watch.timedOut()
        guard watch.condition.isStopped == (watch.condition.availability().state == .stopped) else {
            fatalError("stopped and not")
        }
        guard isPrinted else { return }
        let expected: [UInt8] = [0x37, 0x22] + Array("0000".utf8) + [0]
        let plain = bytes.filter { $0 != 0x11 && $0 != 0x13 }
        guard plain.indices.contains(where: { plain[$0...].starts(with: expected) }) else {
            fatalError("printed without a reply")
        }
    }

    /// In pieces whose sizes the input itself decides.
    private static func inPieces(_ bytes: [UInt8], _ feed: (ArraySlice<UInt8>) -> Void) {
        var (start, size) = (0, Int(bytes.last ?? 0) % 5 + 1)
        while start < bytes.count {
            let end = min(bytes.count, start + size)
            feed(bytes[start..<end])
            (start, size) = (end, size % 7 + 1)
        }
    }
}
