import KioskReceipts

/// A text file on pages of cells, each of which holds a character, or half of an East Asian one.
package struct TextLayout: Hashable, Sendable {
    /// The rows of each page, from the top; at least one page.
    package private(set) var pages: [[Row]] = []

    /// One row of a page.
    package struct Row: Hashable, Sendable {
        /// Its characters, in the order in which they are read.
        package var text: String
        /// Whether its paragraph runs from right to left.
        package var isRightToLeft: Bool
    }

    /// Why a text is not laid out.
    package enum Problem: Error, Hashable, Sendable {
        /// It has more than `maximumRows` rows.
        case lines
        /// It has more pages than it may.
        case pages
    }

    /// The most lines of a document, counted as they are printed.
    package static let maximumRows = 100_000
    private static let tab = 8
    /// Scalars of a cell at most: what combines with a character beyond them is left out.
    private static let scalarsInCell = 32

    /// Lays out a text. Longer lines go on in the next row, behind their last blank if that is in the second half.
    package init(_ text: PlainText, columns: Int, rows: Int, maximumPages: Int) throws(Problem) {
        let (columns, rows) = (max(columns, 2), max(rows, 1))
        var pageStarts = text.pageStarts[...]
        var page: [Row] = []
        var count = 0
        for (index, line) in text.lines.enumerated() {
            // Two in a row leave a page empty; one at the beginning leaves none.
            while let start = pageStarts.first, start <= index {
                pageStarts.removeFirst()
                if index > 0 || !pages.isEmpty || !page.isEmpty { try end(&page, maximumPages) }
            }
            for row in Self.rows(of: line, columns) {
                count += 1
                guard count <= Self.maximumRows else { throw .lines }
                if page.count == rows { try end(&page, maximumPages) }
                page.append(row)
            }
        }
        if !page.isEmpty || pages.isEmpty { try end(&page, maximumPages) }
    }

    private mutating func end(_ page: inout [Row], _ maximumPages: Int) throws(Problem) {
        guard pages.count < maximumPages else { throw .pages }
        pages.append(page)
        page = []
    }

    private static func rows(of line: [UInt8], _ columns: Int) -> [Row] {
        // Most lines.
        if line.count <= columns, line.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            return [Row(text: String(decoding: line, as: UTF8.self), isRightToLeft: false)]
        }
        let text = String(decoding: line, as: UTF8.self)
        var rows = Rows(columns, isRightToLeft: text.isRightToLeft)
        if text.unicodeScalars.allSatisfy(\.standsAlone) {
            for scalar in text.unicodeScalars where !rows.areTooMany { rows.append(CollectionOfOne(scalar), cells: 1) }
        } else {
            for character in text where !rows.areTooMany {
                rows.append(character.unicodeScalars.prefix(scalarsInCell), cells: character.cells)
            }
        }
        return rows.end()
    }

    /// The rows of a line, as far as they are filled.
    private struct Rows {
        private var rows: [Row] = []
        private var row = RowInProgress()
        private let columns: Int
        private let isRightToLeft: Bool

        init(_ columns: Int, isRightToLeft: Bool) { (self.columns, self.isRightToLeft) = (columns, isRightToLeft) }

        /// Whether no document has so many.
        var areTooMany: Bool { rows.count > maximumRows }

        /// Adds a character of so many cells; a tab takes what is left to its column.
        mutating func append(_ scalars: some Collection<Unicode.Scalar>, cells: Int) {
            let isTab = scalars.first == "\t"
            let isBlank = isTab || scalars.first == " "
            var cells = isTab ? tab - row.cells % tab : cells
            if row.cells + cells > columns || row.scalars > columns * scalarsInCell {
                rows.append(Row(text: row.wrap(columns), isRightToLeft: isRightToLeft))
                // A blank at which a line is broken is not carried over.
                if row.isEmpty, isBlank { return }
                if isTab { cells = min(tab - row.cells % tab, columns - row.cells) }
            }
            if isBlank { row.appendBlanks(cells) } else { row.append(scalars, cells) }
        }

        mutating func end() -> [Row] {
            rows.append(Row(text: row.text, isRightToLeft: isRightToLeft))
            return rows
        }
    }

    /// A row that is being filled.
    private struct RowInProgress {
        /// What stands up to the last blank, and with it.
        private var head = ""
        /// What comes behind.
        private var word = ""
        private var wordCells = 0
        private var wordScalars = 0
        private(set) var cells = 0
        private(set) var scalars = 0

        var text: String { head + word }
        var isEmpty: Bool { head.isEmpty && word.isEmpty }

        mutating func appendBlanks(_ count: Int) {
            head += word
            for _ in 0..<count { head.append(" ") }
            cells += count
            scalars += count
            (word, wordCells, wordScalars) = ("", 0, 0)
        }

        mutating func append(_ added: some Collection<Unicode.Scalar>, _ cells: Int) {
            for scalar in added {
                word.unicodeScalars.append(scalar)
                wordScalars += 1
                scalars += 1
            }
            wordCells += cells
            self.cells += cells
        }

        /// The full row. A word that is not longer than half of it is carried over to the next one; East Asian text has
        /// no blanks.
        mutating func wrap(_ columns: Int) -> String {
            guard !head.isEmpty, wordCells < columns / 2 else {
                defer { self = RowInProgress() }
                return text
            }
            var full = head
            while full.last == " " { full.removeLast() }
            var rest = RowInProgress()
            (rest.word, rest.wordCells, rest.wordScalars) = (word, wordCells, wordScalars)
            (rest.cells, rest.scalars) = (wordCells, wordScalars)
            self = rest
            return full
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a cell by itself, whatever stands around it: Latin, Greek and Cyrillic letters and punctuation,
    /// but for the soft hyphen.
    fileprivate var standsAlone: Bool {
        switch value {
        case 0x09, 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x300, 0x370..<0x483, 0x48A..<0x530: true
        case 0x2010..<0x2028, 0x2030..<0x203C, 0x20A0..<0x20C0: true
        default: false
        }
    }
}

extension String {
    /// Whether the first letter runs from right to left (Unicode Bidirectional Algorithm, P2 and P3; by blocks).
    fileprivate var isRightToLeft: Bool {
        for scalar in unicodeScalars {
            switch scalar.value {
            case ..<0x80: if (0x41...0x5A).contains(scalar.value & ~0x20) { return false }
            case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
                if scalar.properties.isAlphabetic { return true }
            default: if scalar.properties.isAlphabetic { return false }
            }
        }
        return false
    }
}
