import FuzzLoop

@main enum FuzzDevicePrinting {
    static func main() { fuzz(DevicePrintingProperties.check) }
}
