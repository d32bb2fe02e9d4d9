import FuzzLoop

@main enum FuzzSNMP {
    static func main() { fuzz(SNMPProperties.check) }
}
