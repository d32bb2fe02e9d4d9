import KioskPrintModel
import KioskReceipts
import Synchronization

/// Makes commands of drawn sides, each once all of its rows have come.
struct CommandEncoder {
    private let encoder: DotEncoder
    private let headWidth: Int
    private let trims: Bool
    private let cut: CutMode?
    private var rows: [UInt8] = []
    /// Whether a side had dots that the head does not reach.
    private(set) var losesDots = false

    /// - Parameters:
    ///   - headWidth: The dots that the head reaches. Wider sides have it in their middle.
    ///   - trims: Whether white rows above and below the content are left out; a side without content is then nothing.
    init(_ encoder: DotEncoder, headWidth: Int, trims: Bool, cut: CutMode?) {
        self.encoder = encoder
        self.headWidth = headWidth
        self.trims = trims
        self.cut = cut
    }

    /// Adds some bytes of the side's rows.
    mutating func append(_ bytes: [UInt8]) { rows += bytes }

    /// The commands of the side whose rows have come, of this size in dots.
    mutating func endSide(width: Int, height: Int) throws(DocumentProblem) -> [UInt8] {
        defer { rows = [] }
        guard let side = DotMatrix(width: width, height: height, bytes: rows) else {
            throw DocumentProblem(
                .interrupted, DocumentRemark(message: "\(rows.count) bytes came of \(width) × \(height) dots"))
        }
        rows = []
        let dots = reached(trims ? side.part(x: 0..<width, y: side.inkedRows) : side)
        if trims, dots.height == 0 { return [] }
        do throws(ReceiptError) {
            return try encoder.bytes(of: dots, cut: cut)
        } catch {
            throw DocumentProblem(.unprintable, DocumentRemark(message: error.message))
        }
    }

    /// The dots that the head reaches.
    private mutating func reached(_ side: DotMatrix) -> DotMatrix {
        guard side.width > headWidth else { return side }
        // As the plan rounds the middle: a page as wide as the head lies on all of its dots.
        let left = (side.width - headWidth + 1) / 2
        let part = side.part(x: left..<left + headWidth, y: 0..<side.height)
        if part.blackDots < side.blackDots { losesDots = true }
        return part
    }
}

/// What is seen of a document's sides while they are encoded.
final class EncodingNotes: Sendable {
    private let first = Atomic(false)
    private let other = Atomic(false)

    /// Some dots of a side lie where the head does not reach.
    func noteLostDots(onFirst isFirst: Bool) {
        if isFirst { first.store(true, ordering: .relaxed) } else { other.store(true, ordering: .relaxed) }
    }

    /// Whether the first side, of which this is known before anything is sent, loses dots.
    var losesDotsOfFirst: Bool { first.load(ordering: .relaxed) }

    /// What people are to know of it so far, as sentences without a full stop. `isWithinHead`: whether pages were made
    /// narrower since the first one lost dots otherwise.
    func remarks(isWithinHead: Bool) -> [String] {
        if losesDotsOfFirst || other.load(ordering: .relaxed) {
            return ["what lies beyond the print head is cut off; print-scaling=fit prints all of it"]
        }
        return isWithinHead
            ? ["the page is wider than the print head: it is made narrower; print-scaling=none cuts it off"]
            : []
    }
}
