/// The queue for the channels of one session: which calls wait for a channel, and how many have one. Does no I/O.
///
/// OpenSSH allows 10 channels on a connection (`MaxSessions`), and people may log in through the same one. Some servers
/// allow fewer, and say so only by refusing a channel.
struct ChannelQueue<Element> {
    private struct Entry {
        var number: Int
        var element: Element
    }

    typealias Kind = RemoteCommand.Kind

    static var maximumChannels: Int { 8 }

    private(set) var limit = Self.maximumChannels
    private var waiting: [Kind: [Entry]] = [:]
    private var open: [Kind: Int] = [:]
    private var lastNumber = 0

    var isEmpty: Bool { waiting.values.allSatisfy(\.isEmpty) }

    /// The channels that deliveries leave to queries, so that a status query does not wait for a large document.
    private var reservedForQueries: Int {
        switch limit {
        case ...1: 0
        case 2...3: 1
        default: 2
        }
    }

    mutating func add(_ element: Element, as kind: Kind) {
        lastNumber += 1
        waiting[kind, default: []].append(Entry(number: lastNumber, element: element))
    }

    /// Puts an element back at the head of the queue.
    mutating func putBack(_ element: Element, as kind: Kind) {
        waiting[kind, default: []].insert(Entry(number: 0, element: element), at: 0)
    }

    /// The next element that may open a channel; it has the channel until `release`. Takes elements in order of
    /// arrival, except that deliveries leave some channels free.
    mutating func next() -> (element: Element, kind: Kind)? {
        guard open.values.reduce(0, +) < limit else { return nil }
        var kinds: [Kind] = [.query]
        if open[.delivery, default: 0] < limit - reservedForQueries { kinds.append(.delivery) }
        let heads = kinds.compactMap { kind in waiting[kind]?.first.map { (kind, $0.number) } }
        guard let kind = heads.min(by: { $0.1 < $1.1 })?.0, let first = waiting[kind]?.removeFirst() else {
            return nil
        }
        open[kind, default: 0] += 1
        return (first.element, kind)
    }

    mutating func release(_ kind: Kind) { open[kind, default: 0] -= 1 }

    /// The server refused a channel while this many were open: no more are opened at once.
    mutating func lowerLimit(to open: Int) { limit = max(1, min(limit, open)) }

    /// The server may allow more again: commands that were given up count until they end.
    mutating func liftLimit() { limit = Self.maximumChannels }

    /// A connection begins or ends: no element has a channel.
    mutating func startOver() {
        limit = Self.maximumChannels
        open = [:]
    }

    mutating func remove(where isUnwanted: (Element) -> Bool) {
        for kind in waiting.keys { waiting[kind]?.removeAll { isUnwanted($0.element) } }
    }

    /// Empties the queue, and returns its elements in order.
    mutating func removeAll() -> [Element] {
        defer { waiting = [:] }
        return waiting.values.flatMap { $0 }.sorted { $0.number < $1.number }.map(\.element)
    }
}
