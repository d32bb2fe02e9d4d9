/// The reason why a receipt cannot be read, laid out or printed.
package struct ReceiptError: Error, Hashable, Sendable {
    package var code: Code
    /// The place of the error in the document. Nil where the error concerns the whole receipt, or the receipt was not
    /// read from a document.
    package var place: Place?
    /// What is wrong, as a sentence without a full stop.
    package var message: String
    /// What to write instead, as the rest of a sentence that begins with "write".
    package var instead: String?

    /// A position in a document.
    package struct Place: Hashable, Sendable, Comparable {
        /// Counted from 1.
        package var line: Int
        /// Counted in Unicode scalars, from 1.
        package var column: Int

        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }

        package static func < (left: Place, right: Place) -> Bool {
            (left.line, left.column) < (right.line, right.column)
        }
    }

    /// The kind of error.
    package struct Code: Hashable, Sendable {
        private enum Kind {
            case encoding, tooLarge, syntax, value, forbidden, code, image, doesNotFit, unprintable, unsupported
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The document is not UTF-8.
        package static let encoding = Code(.encoding)
        /// One of `ReceiptLimits` is exceeded.
        package static let tooLarge = Code(.tooLarge)
        /// The document is not valid markup or JSON.
        package static let syntax = Code(.syntax)
        /// A key does not accept this value.
        package static let value = Code(.value)
        /// The caller lacks a privilege that the receipt needs.
        package static let forbidden = Code(.forbidden)
        /// A barcode or two-dimensional code cannot hold its data.
        package static let code = Code(.code)
        /// A picture is neither PNG nor JPEG, or is broken.
        package static let image = Code(.image)
        /// A code is wider than the paper, even at its smallest.
        package static let doesNotFit = Code(.doesNotFit)
        /// The printer's fonts lack a character.
        package static let unprintable = Code(.unprintable)
        /// The printer lacks what the receipt needs.
        package static let unsupported = Code(.unsupported)
    }

    package init(_ code: Code, _ message: String, instead: String? = nil, at place: Place? = nil) {
        self.code = code
        self.message = message
        self.instead = instead
        self.place = place
    }

    /// The error with this place, unless it has one already.
    package func at(_ place: Place) -> ReceiptError {
        var error = self
        error.place = self.place ?? place
        return error
    }
}

extension ReceiptError: CustomStringConvertible {
    /// The error in one line, such as `7:5: the image is not Base64; write a PNG or JPEG file in Base64`.
    package var description: String {
        (place.map { "\($0.line):\($0.column): " } ?? "") + message + (instead.map { "; write \($0)" } ?? "")
    }
}
