import PrintModel
import Receipts

/// A receipt as a document says it.
struct ReceiptSource {
    var receipt: Receipt
    /// What the document says and was not heeded.
    var remarks: [DocumentRemark]

    static let formats: Set<DocumentFormat> = [.receiptLine, .receiptJSON]
    /// In bytes.
    static let longest = ReceiptLimits.documentLength

    /// `widestPaper`: in dots, for codes; nil where it is not known.
    init(
        _ document: [UInt8], _ format: DocumentFormat, rights: CallerRights, widestPaper: Int? = nil
    ) throws(DocumentProblem) {
        do throws(ReceiptError) {
            if format == .receiptJSON {
                self.init(
                    receipt: try ReceiptJSON.read(document, privileges: rights.privileges, widestPaper: widestPaper),
                    remarks: [])
            } else {
                let reading = try ReceiptMarkup.read(
                    document, rules: ReceiptMarkup.Rules(privileges: rights.privileges, widestPaper: widestPaper))
                self.init(receipt: reading.receipt, remarks: reading.remarks.map(DocumentRemark.init))
            }
        } catch {
            throw DocumentProblem(error, otherwise: .invalid)
        }
    }

    private init(receipt: Receipt, remarks: [DocumentRemark]) {
        self.receipt = receipt
        self.remarks = remarks
    }
}

extension CallerRights {
    /// Whoever may send raw commands could open the drawer with one.
    fileprivate var privileges: Set<ReceiptPrivilege> {
        contains(.rawCommands) ? [.rawCommands, .drawer] : contains(.drawer) ? [.drawer] : []
    }
}

extension DocumentProblem {
    /// `otherwise`: what kind of problem it is where the error does not say.
    init(_ error: ReceiptError, otherwise kind: Kind) {
        let kind: Kind =
            switch error.code {
            case .forbidden: .forbidden
            case .tooLarge: .tooLarge
            default: kind
            }
        self.init(kind, DocumentRemark(error))
    }
}

extension DocumentRemark {
    init(_ error: ReceiptError) {
        self.init(line: error.place?.line, column: error.place?.column, message: error.message, instead: error.instead)
    }
}
