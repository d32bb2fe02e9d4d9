import FuzzLoop

@main enum FuzzDiscovery {
    static func main() { fuzz(DiscoveryProperties.check) }
}
