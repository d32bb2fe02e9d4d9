import PrintModel

extension PrintEngine {
    /// Takes in what transports learn of printers unasked, until the surrounding task is cancelled.
    func followNews() async {
        await withDiscardingTaskGroup { group in
            for stream in everyTransport.compactMap({ $0.news() }) {
                group.addTask {
                    for await news in stream { await self.heard(news) }
                }
            }
        }
    }

    /// A printer that came back is contacted at once, and what waits for it goes on. What is said of a printer that is
    /// saved otherwise by now concerns nobody.
    private func heard(_ news: PrinterNews) {
        for (id, printer) in board.printers where printer.saved.target == news.printer {
            switch news.kind {
            case .appeared: contactAfresh(id)
            case .disappeared(let why): learn(of: id, Availability(.unreachable, message: why))
            case .changed(let availability):
                if contacts[id] != nil { heardMeanwhile.insert(id) }
                learn(of: id, availability)
            }
        }
    }
}
