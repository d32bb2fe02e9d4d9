/// A model by the numbers of its device descriptor.
package struct USBDeviceKind: Hashable, Sendable {
    package var vendor: UInt16
    package var product: UInt16

    package init(vendor: UInt16, product: UInt16) {
        self.vendor = vendor
        self.product = product
    }
}
