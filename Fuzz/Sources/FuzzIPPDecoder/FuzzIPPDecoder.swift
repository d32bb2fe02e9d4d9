import FuzzLoop

@main enum FuzzIPPDecoder {
    static func main() { fuzz(IPPDecoderProperties.check) }
}
