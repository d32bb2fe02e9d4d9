import FuzzLoop

@main enum FuzzDeviceID {
    static func main() { fuzz(DeviceIDProperties.check) }
}
