/// The machine behind a `ModelPrinter`'s pipe: it takes ESC/POS, and produces paper and responses.
struct ModelMachine: Sendable {
    private(set) var buffer: ArraySlice<UInt8> = []
    private(set) var paper: [UInt8] = []
    private(set) var cuts = 0
    private(set) var responseCount = 0
    var isCoverOpen = false
    var isDrawerOpen = false
    var knowsProcessIDs = true
    private var responses: [UInt8] = []
    private var isReporting = false
    /// Bytes of raster data that are still to come.
    private var raster = 0
    private var recent: [UInt8] = []

    private static let clearBuffers: [UInt8] = [0x10, 0x14, 0x08, 0x01, 0x03, 0x14, 0x01, 0x06, 0x02, 0x08]

    mutating func takeResponses() -> [UInt8] {
        defer { responses = [] }
        return responses
    }

    mutating func reportChange() {
        if isReporting { responses += automaticStatus }
    }

    private var automaticStatus: [UInt8] { [0x10 | (isCoverOpen ? 0x28 : 0) | (isDrawerOpen ? 0x04 : 0), 0, 0, 0x0F] }

    /// Real-time commands are carried out on reception, wherever they stand.
    mutating func receive(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            buffer.append(byte)
            // Text ends no command.
            guard byte < 0x10 else {
                recent = byte == 0x10 || byte == 0x14 ? recent + [byte] : []
                continue
            }
            recent = (recent + [byte]).suffix(Self.clearBuffers.count)
            if recent == Self.clearBuffers {
                (buffer, raster) = ([], 0)
                responses += [0x37, 0x25, 0x00]
            } else if recent.suffix(3).starts(with: [0x10, 0x04]), (1...4).contains(byte) {
                responses.append(0x12 | (byte == 1 && isCoverOpen ? 0x08 : byte == 2 && isCoverOpen ? 0x04 : 0))
            }
        }
    }

    /// Prints within the budget while the cover is closed.
    mutating func print(_ budget: inout Int?) {
        while !isCoverOpen, budget ?? 1 > 0 {
            let plain = raster > 0 ? buffer.prefix(raster) : buffer.prefix { $0 >= 0x20 || $0 == 0x0A }
            let run = plain.prefix(budget ?? .max)
            if raster > 0 { raster -= run.count } else { paper += run }
            buffer.removeFirst(run.count)
            budget? -= run.count
            guard run.isEmpty else { continue }
            guard let length = nextLength, buffer.count >= length else { return }
            carryOut(Array(buffer.prefix(length)))
            buffer.removeFirst(length)
            budget? -= length
        }
    }

    /// The length of the next command; nil while it is unknown.
    private var nextLength: Int? {
        guard let first = buffer.first else { return nil }
        switch (first, buffer.dropFirst().first) {
        case (0x10, 0x14?): return 10
        case (0x10, _): return 3
        case (0x1B, 0x40?): return 2
        case (0x1B, _): return 3
        case (0x1D, 0x28?): return 11
        case (0x1D, 0x56?): return 4
        case (0x1D, 0x76?): return 8
        case (0x1D, _): return 3
        default: return 1
        }
    }

    private mutating func carryOut(_ command: [UInt8]) {
        switch (command[0], command.dropFirst().first) {
        case (0x1D, 0x61?):
            isReporting = command[2] != 0
            if isReporting { responses += automaticStatus }
        case (0x1D, 0x72?) where command[2] == 1:
            responses.append(0)
            responseCount += 1
        case (0x1D, 0x28?): if knowsProcessIDs { responses += [0x37, 0x22] + command[7...10] + [0] }
        case (0x1D, 0x56?): cuts += 1
        case (0x1D, 0x76?): raster = (Int(command[4]) + Int(command[5]) << 8) * (Int(command[6]) + Int(command[7]) << 8)
        case (0x1B, 0x40?): isReporting = false
        default: break
        }
    }
}
