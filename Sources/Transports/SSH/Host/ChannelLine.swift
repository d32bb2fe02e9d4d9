/// Who waits for a channel of a session, and who has one. Does no I/O.
///
/// OpenSSH allows 10 channels a connection (`MaxSessions`), and people may log in through the same one; some servers
/// allow fewer, and only tell by refusing.
struct ChannelLine<Element> {
    private struct Waiting {
        var number: Int
        var element: Element
    }

    typealias Lane = RemoteCommand.Lane

    static var mostChannels: Int { 8 }

    private(set) var limit = Self.mostChannels
    private var waiting: [Lane: [Waiting]] = [:]
    private var taken: [Lane: Int] = [:]
    private var lastNumber = 0

    var isEmpty: Bool { waiting.values.allSatisfy(\.isEmpty) }
    var takenPlaces: Int { taken.values.reduce(0, +) }

    /// Places that deliveries leave to questions, so that a status does not wait for a large document.
    private var kept: Int {
        switch limit {
        case ...1: 0
        case 2...3: 1
        default: 2
        }
    }

    mutating func add(_ element: Element, to lane: Lane) {
        lastNumber += 1
        waiting[lane, default: []].append(Waiting(number: lastNumber, element: element))
    }

    /// Back to where it stood: before all who came later.
    mutating func putBack(_ element: Element, to lane: Lane) {
        waiting[lane, default: []].insert(Waiting(number: 0, element: element), at: 0)
    }

    /// Who may open a channel now: it has a place until it is released. The first come, unless it must leave its place.
    mutating func next() -> (element: Element, lane: Lane)? {
        guard takenPlaces < limit else { return nil }
        var lanes: [Lane] = [.question]
        if taken[.delivery, default: 0] < limit - kept { lanes.append(.delivery) }
        let firsts = lanes.compactMap { lane in waiting[lane]?.first.map { (lane, $0.number) } }
        guard let lane = firsts.min(by: { $0.1 < $1.1 })?.0, let first = waiting[lane]?.removeFirst() else {
            return nil
        }
        taken[lane, default: 0] += 1
        return (first.element, lane)
    }

    mutating func release(_ lane: Lane) { taken[lane, default: 0] -= 1 }

    /// The server refused one while it had this many open: no more are tried at once.
    mutating func lowerLimit(to open: Int) { limit = max(1, min(limit, open)) }

    /// It may allow more again: commands that were given up count until they end.
    mutating func liftLimit() { limit = Self.mostChannels }

    /// A new connection: nobody has a place.
    mutating func startOver() {
        limit = Self.mostChannels
        taken = [:]
    }

    mutating func remove(where isGone: (Element) -> Bool) {
        for lane in waiting.keys { waiting[lane]?.removeAll { isGone($0.element) } }
    }

    /// Empties it.
    mutating func removeAll() -> [Element] {
        defer { waiting = [:] }
        return waiting.values.flatMap { $0 }.sorted { $0.number < $1.number }.map(\.element)
    }
}
