import KioskIPPCodec

/// What must hold for whatever octets a peer sends.
enum IPPDecoderProperties {
    static func check(_ bytes: [UInt8]) {
        checkStrict(bytes)
        checkTolerant(bytes)
    }

    /// What decodes strictly is encoded to the same octets; feeding gives what decoding as a whole gives.
    private static func checkStrict(_ bytes: [UInt8]) {
        let fed = feed(bytes, tolerances: [])
        do {
            let (message, documentIndex) = try IPPDecoder.decode(bytes)
            guard let again = try? message.encoded(), again == Array(bytes[..<documentIndex]) else {
                fatalError("not encoded to the same octets")
            }
            guard case .success(let other) = fed, other.message == message, other.documentIndex == documentIndex else {
                fatalError("fed and whole differ")
            }
        } catch {
            guard case .failure(error) = fed else { fatalError("fed and whole fail differently") }
        }
    }

    /// What decodes with tolerances encodes to a message that decodes strictly to the same.
    private static func checkTolerant(_ bytes: [UInt8]) {
        let fed = feed(bytes, tolerances: .all)
        do {
            let (message, documentIndex) = try IPPDecoder.decode(bytes, tolerances: .all)
            guard case .success(let other) = fed, other.message == message, other.documentIndex == documentIndex else {
                fatalError("fed and whole differ under tolerances")
            }
            guard let again = try? message.encoded(), try! IPPDecoder.decode(again).message == message else {
                fatalError("what was tolerated is not encoded without its breach")
            }
        } catch {
            guard case .failure(error) = fed else { fatalError("fed and whole fail differently under tolerances") }
        }
    }

    /// Feeds in chunks whose sizes the input itself decides.
    private static func feed(
        _ bytes: [UInt8], tolerances: IPPTolerances
    ) -> Result<(message: IPPMessage, documentIndex: Int), IPPDecodingError> {
        var decoder = IPPDecoder(tolerances: tolerances)
        var size = Int(bytes.last ?? 0) % 17 + 1
        var start = 0
        do throws(IPPDecodingError) {
            while start < bytes.count {
                let end = min(bytes.count, start + size)
                if case .complete(let message, let index) = try decoder.feed(bytes[start..<end]) {
                    return .success((message, start + index))
                }
                size = size % 31 + 1
                start = end
            }
            return .success((try decoder.finish(), bytes.count))
        } catch {
            return .failure(error)
        }
    }
}
