import FuzzLoop

@main enum FuzzFleet {
    static func main() { fuzz(FleetProperties.check) }
}
