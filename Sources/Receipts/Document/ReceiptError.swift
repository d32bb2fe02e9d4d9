/// Why a receipt cannot be read, laid out or printed.
package struct ReceiptError: Error, Hashable, Sendable {
    package var code: Code
    /// Where it stands in the document; nil where the receipt did not come from one, or it concerns the whole.
    package var place: Place?
    /// What is wrong, as a sentence without an end.
    package var message: String
    /// What to do instead, as the rest of a sentence that begins with "write".
    package var instead: String?

    package struct Place: Hashable, Sendable, Comparable {
        /// From 1.
        package var line: Int
        /// In Unicode scalars, from 1.
        package var column: Int

        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }

        package static func < (left: Place, right: Place) -> Bool {
            (left.line, left.column) < (right.line, right.column)
        }
    }

    package struct Code: Hashable, Sendable {
        private enum Kind {
            case encoding, tooLarge, syntax, value, forbidden, code, image, doesNotFit, unprintable, unsupported
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The document is no UTF-8.
        package static let encoding = Code(.encoding)
        /// Over one of `ReceiptLimits`.
        package static let tooLarge = Code(.tooLarge)
        /// Not markup or JSON.
        package static let syntax = Code(.syntax)
        /// A value that its key does not have.
        package static let value = Code(.value)
        /// Needs a privilege that the caller lacks.
        package static let forbidden = Code(.forbidden)
        /// Data that a barcode or two-dimensional code cannot hold.
        package static let code = Code(.code)
        /// A picture that is neither PNG nor JPEG, or broken.
        package static let image = Code(.image)
        /// Wider than the paper at its smallest.
        package static let doesNotFit = Code(.doesNotFit)
        /// A character that the printer's own fonts lack.
        package static let unprintable = Code(.unprintable)
        /// The printer cannot do it.
        package static let unsupported = Code(.unsupported)
    }

    package init(_ code: Code, _ message: String, instead: String? = nil, at place: Place? = nil) {
        self.code = code
        self.message = message
        self.instead = instead
        self.place = place
    }

    package func at(_ place: Place) -> ReceiptError {
        var error = self
        error.place = self.place ?? place
        return error
    }
}

extension ReceiptError: CustomStringConvertible {
    /// `7:5: the brace stands alone; write \{ for a brace in text`
    package var description: String {
        (place.map { "\($0.line):\($0.column): " } ?? "") + message + (instead.map { "; write \($0)" } ?? "")
    }
}
