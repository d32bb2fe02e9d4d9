import PrintModel

/// Sends one document and what follows it into a pipe, in bounded pieces, three at a time so that the way never runs
/// dry.
struct DocumentPump: Sendable {
    let pipe: any DevicePipe
    let document: DocumentReader
    let language: DeviceSettings.Language?
    /// What goes right behind the document's last byte; asked for when that is about to be sent, with the number of
    /// questions in the document.
    let trailer: @Sendable (Int) async -> [UInt8]
    let gauge: FlowGauge

    /// How a document's sending ended.
    struct Outcome: Sendable {
        /// Of document and trailer together.
        var takenAtMost = 0
        /// In what was sent of the document: answers that may come, at most.
        var questions = 0
        /// Nil when all was taken.
        var failure: Failure?
    }

    enum Failure: Error, Sendable {
        case pipe(DevicePipeError)
        case document(DocumentReader.Failure)
    }

    /// As large as the largest transfer, and as many as the bus is given at once (`ChunkPace`).
    private static let pieceLength = 1_048_576
    /// A packet of high speed. A slow printer tells of a long transfer only when it has taken all of it; the first
    /// piece shows at once that it takes any.
    private static let firstLength = 512
    static let depth = 3
    /// What may be on its way without the printer's saying how much of it it has.
    static let underWay = depth * pieceLength

    fileprivate enum Sent: Sendable {
        case whole(Int)
        case broken(DevicePipeError)
    }

    func run() async -> Outcome {
        await withTaskGroup(of: Sent.self) { group in
            var outcome = Outcome()
            var (offset, underWay) = (0, 0)
            var (answers, paper) = (AnswerCounter(language), PaperEstimate())
            var isLast = false
            while !isLast, outcome.failure == nil {
                do throws(DocumentReader.Failure) {
                    var piece = try await piece(at: offset)
                    offset += piece.count
                    isLast = offset >= document.length
                    answers.read(piece)
                    outcome.questions = answers.count
                    paper.read(piece)
                    gauge.mayPrint(paper.longest)
                    if underWay == Self.depth, let sent = await group.next() {
                        underWay -= 1
                        outcome.note(sent)
                        if outcome.failure != nil { break }
                    }
                    // So that it is no transfer of its own.
                    if isLast { piece += await trailer(answers.count) }
                    guard !piece.isEmpty else { break }
                    // Here, and not in the task whenever it gets its turn: the pieces' order is that of the calls.
                    let (count, sending) = (
                        piece.count, pipe.begin(piece, isLast: isLast) { [gauge] in gauge.took($0) }
                    )
                    group.addTask { await Self.end(of: sending, count) }
                    underWay += 1
                } catch {
                    outcome.failure = .document(error)
                }
            }
            if outcome.failure != nil { group.cancelAll() }
            for await sent in group {
                outcome.note(sent)
                if outcome.failure != nil { group.cancelAll() }
            }
            return outcome
        }
    }

    private func piece(at offset: Int) async throws(DocumentReader.Failure) -> ArraySlice<UInt8> {
        let count = min(offset == 0 ? Self.firstLength : Self.pieceLength, document.length - offset)
        return count > 0 ? try await document.read(count, at: offset) : []
    }

    private static func end(of sending: PendingSend, _ count: Int) async -> Sent {
        do throws(DevicePipeError) {
            try await sending.end()
            return .whole(count)
        } catch {
            return .broken(error)
        }
    }
}

extension DocumentPump.Outcome {
    /// What broke the pipe says more than that the rest was then cancelled.
    fileprivate mutating func note(_ sent: DocumentPump.Sent) {
        switch sent {
        case .whole(let count): takenAtMost += count
        case .broken(let error):
            takenAtMost += error.taken
            switch failure {
            case nil: failure = .pipe(error)
            case .pipe(let known)? where known.kind == .cancelled || error.kind == .gone: failure = .pipe(error)
            default: break
            }
        }
    }
}
