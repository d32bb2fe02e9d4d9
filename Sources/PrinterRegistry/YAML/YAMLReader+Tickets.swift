import KioskPrintModel

/// Values of the print model: job types, tickets, retention.
extension YAMLReader {
    /// One job type by its keyword.
    mutating func jobType(_ node: YAMLNode, _ what: String) -> JobTypes? {
        if let text = node.text, let jobType = JobTypes(keyword: text) { return jobType }
        report(
            "\(what) is not known\(quoted(node))", at: node.position,
            instead: Suggestion.instead(
                of: node.text ?? "", among: JobTypes.keywords.map(\.keyword), otherwise: "another"))
        return nil
    }

    /// A set of job types; a keyword that appears twice is a problem.
    mutating func jobTypes(_ node: YAMLNode) -> JobTypes? {
        guard let items = items(node, "job-types", example: "receipt") else { return nil }
        var all: JobTypes = []
        for item in items {
            guard let jobType = jobType(item, "the job type") else { continue }
            if all.contains(jobType) {
                report("the job type \(jobType) appears twice", at: item.position, instead: "it once")
            }
            all.insert(jobType)
        }
        return all
    }

    /// A ticket. Only the types of its values are checked here; `Ticket.problems` checks their limits.
    mutating func ticket(_ node: YAMLNode, path: String) -> Ticket? {
        guard let values = mapping(node, of: "a ticket", keys: Ticket.keys, path: path) else { return nil }
        var ticket = Ticket()
        ticket.copies = values["copies"].flatMap { integer($0, "copies") }
        ticket.sides = values["sides"].flatMap { keyword($0, "sides") }
        ticket.media = values["media"].flatMap { text($0, "media", instead: "a media name such as iso_a4_210x297mm") }
        ticket.pageRanges = values["page-ranges"].flatMap { pageRanges($0) }
        ticket.numberUp = values["number-up"].flatMap { integer($0, "number-up") }
        ticket.orientation = values["orientation-requested"].flatMap { keyword($0, "the orientation") }
        ticket.colorMode = values["print-color-mode"].flatMap { keyword($0, "the colour mode") }
        ticket.quality = values["print-quality"].flatMap { keyword($0, "the quality") }
        ticket.cut = values["cut"].flatMap { keyword($0, "the cut") }
        ticket.drawer = values["drawer"].flatMap { flag($0, "drawer") }
        ticket.priority = values["priority"].flatMap { integer($0, "priority") }
        ticket.expiresAfter = values["expires-after"].flatMap { seconds($0, "expires-after") }
        ticket.mediaSource = values["media-source"].flatMap {
            text($0, "media-source", instead: "a tray such as tray-1")
        }
        ticket.mediaType = values["media-type"].flatMap { text($0, "media-type", instead: "a kind such as stationery") }
        ticket.outputBin = values["output-bin"].flatMap { text($0, "output-bin", instead: "a bin such as face-down") }
        ticket.scaling = values["print-scaling"].flatMap { keyword($0, "the scaling") }
        ticket.documentHandling = values["multiple-document-handling"].flatMap { keyword($0, "the order of copies") }
        ticket.pageBorder = values["page-border"].flatMap { keyword($0, "the border") }
        ticket.contentOptimization = values["print-content-optimize"].flatMap { keyword($0, "the content") }
        ticket.resolution = values["printer-resolution"].flatMap { integer($0, "printer-resolution") }
        ticket.accountID = values["job-account-id"].flatMap { text($0, "job-account-id", instead: "an account") }
        ticket.accountingUserID = values["job-accounting-user-id"].flatMap {
            text($0, "job-accounting-user-id", instead: "a user")
        }
        ticket.fidelity = values["fidelity"].flatMap { flag($0, "fidelity") }
        return ticket
    }

    private mutating func pageRanges(_ node: YAMLNode) -> [PageRange]? {
        guard let items = items(node, "page-ranges", example: "1-3, 5") else { return nil }
        var ranges: [PageRange] = []
        for item in items {
            if let text = item.text, let range = PageRange(text) {
                ranges.append(range)
            } else {
                report(
                    "the page range is not readable\(quoted(item))", at: item.position,
                    instead: "a page such as 5, or a range such as 1-3")
            }
        }
        // Do not check incomplete ranges.
        return ranges.count == items.count ? ranges : nil
    }

    /// The retention of jobs. Only the types of its values are checked here; `RegistryRules` checks their limits.
    mutating func retention(_ node: YAMLNode, path: String) -> Retention? {
        guard let values = mapping(node, of: "keep", keys: Self.retentionKeys, path: path) else { return nil }
        return Retention(
            jobs: values["jobs"].flatMap { seconds($0, "jobs") },
            documents: values["documents"].flatMap { seconds($0, "documents") },
            size: values["size"].flatMap { bytes($0, "size") })
    }

    private static let retentionKeys = ["jobs", "documents", "size"]

    /// Whole bytes: `500000`, or with a unit `500kB`, `200MB`, `2GB`.
    private mutating func bytes(_ node: YAMLNode, _ what: String) -> Int64? {
        if let text = node.text, let bytes = ByteCounts.bytes(of: text) { return bytes }
        report(
            "\(what) is not a size\(quoted(node))", at: node.position,
            instead: "bytes, or a number with its unit such as 500kB, 200MB or 2GB")
        return nil
    }
}
