/// The sides of all copies in the order in which they are sent, each as its index in a copy.
package struct CopySequence: RandomAccessCollection, Hashable, Sendable {
    private let sideCount: Int
    private let copies: Int
    /// The sides that stay together: those of one sheet, or of one copy.
    private let group: Int

    /// Sides of one copy, all of them or those of the sheets one by one. The sides of several copies fill whole sheets.
    init(sideCount: Int, copies: Int, isCollated: Bool, sidesPerSheet: Int) {
        self.sideCount = sideCount
        self.copies = copies
        group = isCollated ? sideCount : sidesPerSheet
    }

    /// 0.
    package var startIndex: Int { 0 }
    /// The sides of all copies.
    package var endIndex: Int { sideCount * copies }

    /// The index of a side in its copy.
    package subscript(position: Int) -> Int {
        // A last sheet without a back is a group by itself; it has no copies.
        let inCopies = Swift.max(1, group * copies)
        return position / inCopies * group + position % inCopies % Swift.max(1, group)
    }
}
