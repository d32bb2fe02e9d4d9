/// What stands on paper, from top to bottom.
package enum PaperItem: Hashable, Sendable {
    /// A line of text; already aligned, no wider than the paper, free of control characters.
    case line(String)
    case cut
}
