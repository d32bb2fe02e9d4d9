/// Replaces the logos of a receipt that a printer does not have in its memory with their pictures, or leaves them out.
/// It works before the layout, so that what is left out takes no room.
struct StoredLogoReplacer {
    private let has: (StoredLogo.Name) -> Bool
    /// Turned lines are drawn, and no printer draws its logo into them.
    private var isTurned = false
    private(set) var remarks: [String] = []

    /// `has` tells whether the printer prints a picture of its memory under this name.
    init(_ has: @escaping (StoredLogo.Name) -> Bool) { self.has = has }

    mutating func replaced(_ receipt: Receipt) -> Receipt {
        Receipt(receipt.elements.compactMap { replaced($0) })
    }

    private mutating func replaced(_ element: ReceiptElement) -> ReceiptElement? {
        switch element {
        case .settings(let change):
            if let turn = change.turn { isTurned = turn.rotation != .upright }
            return element
        case .logo(let logo):
            guard isTurned || !has(logo.name) else { return element }
            remark(on: logo)
            guard var image = logo.substitute else { return nil }
            image.alignment = logo.alignment
            return .image(image)
        default: return element
        }
    }

    private mutating func remark(on logo: StoredLogo) {
        let reason =
            has(logo.name) ? "stands amid turned lines" : "is none that the printer prints from its memory"
        let outcome = logo.substitute == nil ? "it was left out" : "its picture was sent instead"
        let remark = "logo \(logo.name) \(reason): \(outcome)"
        if remarks.count < Self.maximumRemarks, !remarks.contains(remark) { remarks.append(remark) }
    }

    /// More would be read by nobody.
    private static let maximumRemarks = 20
}
