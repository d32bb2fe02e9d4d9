/// Why no plan can be made of a document: what a person is to change.
package struct PlanProblem: Error, Hashable, Sendable {
    /// What kind of problem it is.
    package var code: Code
    /// What is wrong, and what to do; no full stop.
    package var message: String

    /// The kinds of problems. More may follow.
    package struct Code: Hashable, Sendable {
        private enum Kind: Hashable { case noPages, pageSize, media, sides, numberUp, resolution, sideSize, sideCount }
        private var kind: Kind

        /// No page of the document is selected, or it has none.
        package static let noPages = Code(kind: .noPages)
        /// A page has a size that nothing prints.
        package static let pageSize = Code(kind: .pageSize)
        /// The printer has no such paper, or its name has no size.
        package static let media = Code(kind: .media)
        /// The printer cannot print on both sides so.
        package static let sides = Code(kind: .sides)
        /// There is no grid for so many pages.
        package static let numberUp = Code(kind: .numberUp)
        /// The dots per inch are none that anything prints.
        package static let resolution = Code(kind: .resolution)
        /// A side has more dots than the limit.
        package static let sideSize = Code(kind: .sideSize)
        /// The document has more sides than the limit.
        package static let sideCount = Code(kind: .sideCount)
    }

    /// Creates a problem.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
