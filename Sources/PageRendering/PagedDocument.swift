package import KioskRenderingMessages

/// A document whose pages PDFium draws.
package protocol PagedDocument: AnyObject {
    /// The pages' sizes and the document's wishes.
    func info() throws(RenderingRefusal) -> DocumentInfo
    /// The page with this index, its content read.
    func page(_ index: Int) throws(RenderingRefusal) -> PDFPage
    /// Closes all pages but these, which are read next.
    func keepPages(_ indices: Set<Int>) throws(RenderingRefusal)
    /// Has pages that consist of a picture drawn in linear light (`LinearLight`), or no longer; false where there are
    /// none.
    func drawPictures(inLinearLight: Bool) throws(RenderingRefusal) -> Bool
    /// Pixels of the largest picture of the first pages, as far as `isTimeLeft`; 0 without any.
    func largestPicture(isTimeLeft: () -> Bool) throws(RenderingRefusal) -> Int
}

/// A document whose pages are made one by one when their turn has come, each as a PDF of its own: texts, and pictures
/// of several pages.
package final class GeneratedDocument: PagedDocument {
    private let description: DocumentInfo
    private let library: PDFiumLibrary
    private let content: Content
    private var isInLinearLight = false
    private let make: (Int) throws(RenderingRefusal) -> PDFSource
    /// The pages of the side that is drawn, the one that was used last at the end.
    private var opened: [(index: Int, bytes: Int, document: PDFDocument)] = []

    /// What the pages show.
    package enum Content: Hashable, Sendable {
        case text
        /// One picture each, which may be damaged.
        case pictures
    }

    /// Bytes of the pages that are kept; more are made again for each band.
    private static let budget = 256_000_000

    /// A document of at least one page. `make` makes the page with this index.
    package init(
        _ info: DocumentInfo, _ library: PDFiumLibrary, content: Content,
        make: @escaping (Int) throws(RenderingRefusal) -> PDFSource
    ) {
        description = info
        self.content = content
        self.library = library
        self.make = make
    }

    /// The pages' sizes.
    package func info() throws(RenderingRefusal) -> DocumentInfo { description }

    /// The page with this index, made anew where it is not open.
    package func page(_ index: Int) throws(RenderingRefusal) -> PDFPage {
        if let place = opened.firstIndex(where: { $0.index == index }) {
            opened.append(opened.remove(at: place))
            return try opened[opened.count - 1].document.page(0)
        }
        guard description.pages.indices.contains(index) else {
            throw RenderingRefusal(.rendering, "the document has no page \(index + 1)")
        }
        // The new page may take as much again.
        while opened.reduce(0, { $0 + $1.bytes }) > Self.budget / 2 { opened.removeFirst() }
        let source = try make(index)
        source.setLinearLight(isInLinearLight)
        let document = try PDFDocument(source, password: nil, library)
        opened.append((index, source.memory, document))
        return try document.page(0)
    }

    /// Closes all pages but these.
    package func keepPages(_ indices: Set<Int>) throws(RenderingRefusal) {
        opened.removeAll { !indices.contains($0.index) }
    }

    /// Has pictures drawn in linear light (`LinearLight`), or no longer; false for texts.
    package func drawPictures(inLinearLight: Bool) throws(RenderingRefusal) -> Bool {
        guard content == .pictures else { return false }
        if inLinearLight != isInLinearLight { opened = [] }
        isInLinearLight = inLinearLight
        return inLinearLight
    }

    /// Pixels of the largest picture of the first pages, as far as `isTimeLeft`; 0 without any.
    package func largestPicture(isTimeLeft: () -> Bool) throws(RenderingRefusal) -> Int {
        guard content == .pictures else { return 0 }
        for index in description.pages.indices {
            guard isTimeLeft() else { break }
            _ = try page(index)
            try keepPages([0])
        }
        return description.largestPicture
    }
}
