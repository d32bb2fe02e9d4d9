/// A printer came or went.
package enum USBBusChange: Hashable, Sendable {
    case appeared(USBPrinter)
    /// As it was when it was there.
    case left(USBPrinter)
}
