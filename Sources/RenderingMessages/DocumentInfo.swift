package import KioskPrintModel

/// The kinds of documents.
package enum DocumentKind: UInt8, Hashable, Sendable, CaseIterable {
    case pdf, jpeg, png, tiff, webp, text
}

/// What a document says of its pages.
package struct DocumentInfo: Hashable, Sendable {
    /// The sizes of its pages, in their order.
    package var pages: [PageSize]
    /// Whether the sizes are the document's own: a picture may have none, and is then given that of 200 pixels an inch.
    package var hasStatedSizes = true
    /// Whether it is a text that is not UTF-8, and is read as Latin-1.
    package var isLatin1 = false
    /// How it wishes to be printed.
    package var preferences = Preferences()
    /// Pixels of the largest picture among those pages that were looked through before the first was drawn; 0 without
    /// any.
    package var largestPicture = 0

    /// The size of a page as it is seen, after its CropBox and its Rotate, in points of 1/72 inch.
    package struct PageSize: Hashable, Sendable {
        package var width: Double
        package var height: Double

        /// Creates a size.
        package init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }
    }

    /// The document's own wishes (PDF 2.0 §12.2, ViewerPreferences), which hold where the ticket is silent.
    package struct Preferences: Hashable, Sendable {
        /// Not scaled (PrintScaling is None).
        package var actualSize = false
        /// One or both sides (Duplex).
        package var sides: Ticket.Sides?
        /// The number of copies (NumCopies); 1 where it has no wish.
        package var copies = 1

        /// Creates preferences of a document without any wish.
        package init() {}
    }

    /// Creates the description of a document without wishes.
    package init(pages: [PageSize]) { self.pages = pages }
}

/// The reason for which `kiosk-render` refuses a document or a side.
package struct RenderingRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// A sentence without its full stop.
    package var message: String

    /// The kinds of reasons.
    package enum Code: UInt8, Hashable, Sendable, CaseIterable {
        /// It needs a password, or another one.
        case password = 1
        /// It is damaged, or not of the format that it was said to be.
        case damaged
        /// It uses something that cannot be printed here, such as an XFA form.
        case unsupported
        /// It exceeds `RenderingLimits`.
        case tooLarge
        /// A page needs more memory than there is.
        case memory
        /// The library that draws this format is not installed.
        case unavailable
        /// A fault of the program or its machine.
        case rendering
    }

    /// Creates a refusal.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
