import FuzzLoop

@main enum FuzzDeviceStatus {
    static func main() { fuzz(DeviceStatusProperties.check) }
}
