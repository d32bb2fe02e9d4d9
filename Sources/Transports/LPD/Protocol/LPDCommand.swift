/// A line that a client sends to a line printer daemon (RFC 1179 §5 and §6).
package enum LPDCommand: Hashable, Sendable {
    /// 02: a job for a queue follows.
    case receiveJob(queue: String)
    /// 03: how a queue stands, in short.
    case shortListing(queue: String)
    /// 04: how a queue stands, at length.
    case longListing(queue: String)
    /// 09: all of each job in a queue. LPRng's own (`REQ_VERBOSE`): only this listing has a job's whole title.
    case wholeListing(queue: String)
    /// 05: removes a job, in the name of its owner.
    case removeJob(queue: String, agent: String, number: String)
    /// 02 within a job: the control file follows.
    case controlFile(name: String, length: Int)
    /// 03 within a job: the data file follows.
    case dataFile(name: String, length: Int64)

    /// What goes over the wire. Names are checked where they are made: they have no blanks and no ends of line.
    package var bytes: [UInt8] {
        let (code, operands): (UInt8, String) =
            switch self {
            case .receiveJob(let queue): (2, queue)
            case .shortListing(let queue): (3, queue)
            case .longListing(let queue): (4, queue)
            case .wholeListing(let queue): (9, queue)
            case .removeJob(let queue, let agent, let number): (5, "\(queue) \(agent) \(number)")
            case .controlFile(let name, let length): (2, "\(length) \(name)")
            case .dataFile(let name, let length): (3, "\(length) \(name)")
            }
        return [code] + Array(operands.utf8) + [UInt8(ascii: "\n")]
    }
}
