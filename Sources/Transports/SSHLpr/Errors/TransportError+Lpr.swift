import PrintModel
import SSH

extension LprDelivery {
    /// What `lpr` and the script around it said, in words for people. `queue`: where `lpq` was asked in addition.
    func failure(_ failure: LprFailure, _ result: RemoteResult, queue: QueueListing?) -> TransportError {
        if let queue, !queue.isMissing {
            return error(
                .failed, "the host could not take the job (lpq on the host said\(queue.saying)); mend that on the host",
                result)
        }
        let (printer, said) = (
            client.printer, "\(result.hasReachedLpr ? "lpr on the host" : "the host") said: \(result.words)"
        )
        switch failure {
        case .programMissing:
            client.host.doubtFacts()
            return client.missing("lpr", package: "cups-bsd")
        case .queueUnknown:
            return error(
                failure,
                "the host has no queue \(client.queue) (\(said)); correct the printer's URL, or set up the queue there",
                result)
        case .notAccepting:
            return error(failure, "the queue takes no jobs (\(said)); let it accept jobs on the host", result)
        case .formatRefused:
            return error(
                failure,
                "the queue does not take \(delivery.document.format) (\(said)); send the document in another format",
                result)
        case .refused:
            return error(
                failure,
                "the host refused the job (\(said)); ask whoever looks after the host, or print on another queue",
                result)
        case .denied:
            return error(
                failure,
                "the host does not let \(printer.user ?? "this user") print there (\(said)); allow it on the host",
                result)
        case .failed: return error(failure, "the host could not take the job (\(said)); mend that on the host", result)
        case .cutOff:
            return error(
                failure,
                "the document did not reach the host whole, and nothing was printed; check the network, and send it again",
                result)
        case .takenInPart:
            let words = result.words.isEmpty ? "" : " (\(said))"
            return error(
                failure,
                "lpr on the host took a part of the document only\(words), and that may print; look at the printer, and mend lpr on the host",
                result)
        case .unclear:
            // Perhaps another's lpr than it was when the host was asked.
            client.host.doubtFacts()
            let words = result.words.isEmpty ? "lpr said nothing" : said
            return error(
                failure,
                "lpr on the host failed (\(result.exit); \(words)); look on the host whether the job is in the queue",
                result)
        }
    }

    private func error(_ failure: LprFailure, _ words: String, _ result: RemoteResult) -> TransportError {
        TransportError(
            failure.code, operation: "lpr", message: "\(client.printer): \(words)",
            bytesAccepted: failure.mayPrint ? length : 0,
            underlying: result.exit.native
        )
    }
}

extension TransportError {
    /// What of a ticket a queue cannot do, and what to do about it.
    init(_ error: UnfulfilledTicket, printer: PrinterURL) {
        let key = error.wish.key
        let words =
            switch error.reason {
            case .noSuchOption:
                "the host's lpr cannot be told \(key) as this job wants it; print without it, or have documents arranged on the host (profile generic-lpr-postscript)"
            case .printerLanguage:
                "a document in a printer's own language cannot be printed with \(key); print it without"
            case .notConverted: "the conversion on the host does not do this \(key); print without it"
            case .formatNotConverted(let format):
                "\(key) needs a PDF or PostScript document on this queue, and this one is \(format); send a PDF, or print without \(key)"
            }
        self.init(.jobRefused, operation: "lpr", message: "\(printer): \(words)")
    }
}
