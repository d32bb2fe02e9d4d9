import DevicePrinting
import PrintModel

extension USBTransport {
    /// What a printer said by itself.
    func tell(_ news: DeviceConversation.News, of url: PrinterURL) async {
        guard let printer = await shelf.printer(at: url) else { return }
        switch news {
        case .changed(let condition):
            guard let settings = await printer.deviceSettings else { return }
            await tell(.changed(condition.availabilityHere(settings)), await shelf.targets(of: url))
        case .ended:
            await printer.releaseBroken()
            await tell(
                .disappeared(TransportError(USBOpenError.gone, printer: url).message), await shelf.targets(of: url))
        }
    }

    /// A printer came or went.
    func tell(_ change: USBBusChange) async {
        switch change {
        case .appeared(let printer): await tell(.appeared, await shelf.targets(of: printer))
        case .left(let printer):
            // Its conversation tells of its end, where it had one.
            for owned in await shelf.all { await owned.left(printer) }
            await tellByIPP(printer)
        }
    }

    func tell(_ kind: PrinterNews.Kind, _ targets: Set<PrinterTarget>) async {
        for target in targets { newsOut.yield(PrinterNews(kind, of: target)) }
    }
}
