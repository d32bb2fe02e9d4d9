import FuzzLoop

@main enum FuzzKnownHosts {
    static func main() { fuzz(KnownHostsProperties.check) }
}
