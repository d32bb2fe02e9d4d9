import DrawingService
import PrintModel
import Receipts

/// Has drawn what a printer lacks, or everything for a picture.
struct ReceiptArtist: Sendable {
    /// Nil where nothing can be drawn.
    let service: DrawingService?
    var purpose = DrawingPurpose.printing

    func draw(_ drawings: Set<Drawing>) async throws(DocumentProblem) -> RenderedDrawings {
        guard !drawings.isEmpty else { return .nothing }
        do {
            return try await available.draw(Array(drawings), for: purpose)
        } catch {
            throw DocumentProblem(error)
        }
    }

    func png(of dots: DotMatrix) async throws(DocumentProblem) -> [UInt8] {
        do {
            return try await available.png(of: dots)
        } catch {
            throw DocumentProblem(error)
        }
    }

    private var available: DrawingService {
        get throws(DocumentProblem) {
            guard let service else {
                throw DocumentProblem(
                    .unprintable, DocumentRemark(message: "it has to be drawn in part, and nothing here draws"))
            }
            return service
        }
    }
}

extension DocumentProblem {
    fileprivate init(_ error: any Error) {
        switch error {
        case let problem as DocumentProblem: self = problem
        case let error as DrawingError:
            self.init(error.code.isPassing ? .interrupted : .unprintable, DocumentRemark(message: error.message))
        default: self.init(.interrupted, DocumentRemark(message: "\(error)"))
        }
    }
}
