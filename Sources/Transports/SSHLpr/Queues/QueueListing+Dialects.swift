package import PrintModel

extension QueueListing {
    /// Reads what a dialect's `lpq` wrote about a queue.
    package init(_ lines: [Substring], dialect: LprSettings.Dialect, queue: String) {
        switch dialect {
        case .cups: self.init(cups: lines, queue: queue)
        case .lprng: self.init(lprng: lines)
        case .bsd: self.init(bsd: lines)
        }
    }
}
