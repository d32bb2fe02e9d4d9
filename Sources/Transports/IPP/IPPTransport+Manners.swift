import IPPCodec
import PrintModel

extension IPPTransport {
    /// The manners for a printer that has said what it is; the registry's profile still comes first.
    func manners(of printer: PrinterTarget, _ attributes: IPPGroup) -> Manners {
        let said = PrinterDescription(attributes)
        let identity = PrinterIdentity(
            profile: printer.profile, makeAndModel: said.makeAndModel, deviceID: said.deviceID)
        return Manners(quirks(identity))
    }
}
