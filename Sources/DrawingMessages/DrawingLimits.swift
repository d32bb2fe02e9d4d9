import Receipts

/// How large drawings may be. What has more is a mistake or an attack.
package enum DrawingLimits {
    /// Of one drawing, in dots: as many as a picture may have pixels.
    package static let dots = ReceiptImage.maximumPixels
    /// Of what becomes a PNG file, in dots: 10 m of paper 800 dots wide.
    package static let previewDots = 64_000_000
    /// Of a cell's side, in dots: 32 mm at 203 dots an inch.
    package static let cell = 256
    /// Magnification.
    package static let scale = 16
    /// Of a text, in bytes.
    package static let textLength = ReceiptLimits.lineLength
    /// Of a refusal's message, in bytes.
    package static let messageLength = 1024
    /// Characters without a glyph that are told.
    package static let withoutGlyph = 256
    /// Of a request or reply, in bytes: a preview that cannot be compressed, and what stands around it.
    package static let message = previewDots / 8 + (1 << 20)
}
