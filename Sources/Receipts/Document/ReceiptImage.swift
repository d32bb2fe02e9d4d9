/// A picture as its file is: PNG or JPEG, not decoded.
package struct ReceiptImage: Hashable, Sendable {
    package var file: [UInt8]
    package var alignment: HorizontalAlignment

    package init(_ file: [UInt8], alignment: HorizontalAlignment = .center) {
        self.file = file
        self.alignment = alignment
    }
}
