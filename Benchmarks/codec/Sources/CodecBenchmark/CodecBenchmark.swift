import Foundation
import KioskIPPCodec

/// Prints, for the message in the file it is given, nanoseconds for each decoding and encoding.
@main enum CodecBenchmark {
    static func main() throws {
        guard CommandLine.arguments.count == 3, let milliseconds = Int(CommandLine.arguments[2]) else {
            print("usage: CodecBenchmark MESSAGE MILLISECONDS")
            exit(64)
        }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
        let (message, end) = try IPPDecoder.decode(bytes)
        guard try message.encoded() == Array(bytes[..<end]) else { throw CocoaError(.coderInvalidValue) }
        let duration = milliseconds * 1_000_000
        print("decode", try nanoseconds(for: duration) { try IPPDecoder.decode(bytes).message.groups.count })
        print("encode", try nanoseconds(for: duration) { try message.encoded().count })
    }

    /// Of one call, over as many as fit into `duration` nanoseconds, a warm-up before.
    private static func nanoseconds(for duration: Int, _ call: () throws -> Int) throws -> Int {
        var sum = 0
        for _ in 0..<100 { sum &+= try call() }
        var count = 0
        let start = processorTime()
        while processorTime() - start < duration {
            for _ in 0..<100 { sum &+= try call() }
            count += 100
        }
        guard sum != 0 else { throw CocoaError(.coderInvalidValue) }
        return (processorTime() - start) / count
    }

    /// Nanoseconds of this process: what else the machine does matters less than with a clock on the wall.
    private static func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
