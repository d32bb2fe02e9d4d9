import PrintModel

extension ProblemList {
    mutating func jobType(_ node: YAMLNode, _ what: String) -> JobTypes? {
        if let text = node.text, let jobType = JobTypes(keyword: text) { return jobType }
        add(
            "\(what) is not known\(quoted(node))", at: node.position,
            instead: Suggestion.instead(
                of: node.text ?? "", among: JobTypes.keywords.map(\.keyword), otherwise: "another"))
        return nil
    }

    mutating func jobTypes(_ node: YAMLNode) -> JobTypes? {
        guard let items = items(node, "job-types", example: "receipt") else { return nil }
        var all: JobTypes = []
        for item in items {
            guard let jobType = jobType(item, "the job type") else { continue }
            if all.contains(jobType) {
                add("the job type \(jobType) stands twice", at: item.position, instead: "it once")
            }
            all.insert(jobType)
        }
        return all
    }

    /// A ticket of the kinds of values that its keys take; their bounds are `Ticket.problems`' matter.
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
        return ticket
    }

    private mutating func pageRanges(_ node: YAMLNode) -> [PageRange]? {
        guard let items = items(node, "page-ranges", example: "1-3, 5") else { return nil }
        var ranges: [PageRange] = []
        for item in items {
            if let text = item.text, let range = PageRange(text) {
                ranges.append(range)
            } else {
                add(
                    "the page range is not readable\(quoted(item))", at: item.position,
                    instead: "a page such as 5, or a range such as 1-3")
            }
        }
        // Ranges that lack one are not to be judged.
        return ranges.count == items.count ? ranges : nil
    }
}
