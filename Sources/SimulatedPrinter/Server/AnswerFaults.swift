/// The answers that are to be spoilt, in the order in which that was asked for.
struct AnswerFaults {
    private var waiting: [(fault: AnswerFault, count: Int, documentsOnly: Bool)] = []

    mutating func add(_ fault: AnswerFault, count: Int, documentsOnly: Bool) {
        if count > 0 { waiting.append((fault, count, documentsOnly)) }
    }

    /// The fault of the answer at hand, if any.
    mutating func next(hasDocument: Bool) -> AnswerFault? {
        guard let index = waiting.firstIndex(where: { hasDocument || !$0.documentsOnly }) else { return nil }
        let fault = waiting[index].fault
        waiting[index].count -= 1
        if waiting[index].count == 0 { waiting.remove(at: index) }
        return fault
    }
}
