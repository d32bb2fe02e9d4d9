import Synchronization
import Testing

@testable import KioskDevicePrinting

/// What becomes of the bytes that callers send into a pipe.
@Suite struct SendQueueTests {
    /// A caller, and what it was told.
    private final class Caller: Sendable {
        let number = SendQueue.nextNumber()
        let sending = PendingSend {}
        private let count = Mutex(0)
        var accepted: Int { count.withLock(\.self) }

        func call(_ bytes: [UInt8]) -> SendQueue.Call {
            SendQueue.Call(number, bytes[...], sending) { part in self.count.withLock { $0 += part } }
        }

        /// How it ended.
        func end() async -> DevicePipeError? {
            do throws(DevicePipeError) {
                try await sending.wait()
                return nil
            } catch {
                return error
            }
        }
    }

    /// A queue with two callers, of 3 and of 30 bytes.
    private func makeQueue() -> (SendQueue, first: Caller, second: Caller) {
        var queue = SendQueue()
        let (first, second) = (Caller(), Caller())
        queue.append(first.call([1, 2, 3]))
        queue.append(second.call([UInt8](repeating: 4, count: 30)))
        return (queue, first, second)
    }

    @Test func `calls are written in their order, in parts, and end when all of them is accepted`() async {
        var (queue, first, second) = makeQueue()
        #expect(queue.next(maximum: 2) == [1, 2])
        queue.wrote(1)
        #expect(queue.next(maximum: 9) == [2, 3])
        queue.wrote(2)
        #expect(queue.next(maximum: 2) == [4, 4])
        queue.wrote(2)
        queue.accepted(4)
        #expect(first.accepted == 3 && second.accepted == 1)
        #expect(await first.end() == nil)
        #expect(!queue.contains(first.number) && queue.contains(second.number))
        queue.wrote(28)
        queue.accepted(29)
        #expect(await second.end() == nil)
        #expect(queue.next(maximum: 1).isEmpty)
    }

    @Test func `a cancelled call ends when what was written of it is accepted, and so do those behind it`() async {
        var (queue, first, second) = makeQueue()
        queue.wrote(2)
        queue.cancel(first.number)
        #expect(queue.next(maximum: 9).isEmpty)
        #expect(queue.contains(first.number) && queue.isFirstCancelled)
        queue.accepted(2)
        #expect(await first.end()?.kind == .cancelled)
        #expect(await first.end()?.accepted == 2)
        #expect(await second.end()?.accepted == 0)
    }

    @Test func `what a finished request has left in a discarded line is missing from no later call`() async {
        let (request, document, next) = (Caller(), Caller(), Caller())
        var requests = SendQueue()
        requests.append(request.call([1, 2, 3]))
        requests.wrote(3)
        requests.cancel(request.number)
        #expect(await request.end()?.kind == .cancelled)
        requests.append(document.call([UInt8](repeating: 4, count: 30)))
        requests.wrote(30)
        requests.cancel(document.number)
        requests.endCancelled(isDiscarded: true)
        requests.append(next.call([5, 6, 7]))
        requests.wrote(3)
        requests.accepted(3)
        #expect(!requests.contains(next.number) && next.accepted == 3)
    }

    @Test func `what is discarded may have been taken`() async {
        var (queue, first, second) = makeQueue()
        queue.wrote(2)
        queue.cancel(first.number)
        queue.endCancelled(isDiscarded: true)
        #expect(await first.end()?.accepted == 2)
        #expect(await second.end()?.accepted == 0)
    }

    @Test func `a cancelled call does not end those before it`() async {
        var (queue, first, second) = makeQueue()
        queue.wrote(3)
        queue.cancel(second.number)
        #expect(await second.end()?.accepted == 0)
        #expect(queue.contains(first.number) && !queue.isFirstCancelled)
        queue.accepted(3)
        #expect(await first.end() == nil)
    }

    @Test func `a request that was written completely ends at once, and its bytes are no other call's`() async {
        var queue = SendQueue()
        let (request, document) = (Caller(), Caller())
        queue.append(request.call([0x10, 4, 1]))
        queue.wrote(3)
        queue.cancel(request.number)
        #expect(await request.end()?.accepted == 3)
        queue.append(document.call([1, 2]))
        queue.wrote(2)
        queue.accepted(3)
        #expect(request.accepted == 0 && document.accepted == 0)
        queue.accepted(2)
        #expect(await document.end() == nil)
    }

    @Test func `the end of the pipe ends all, with what was written of each`() async {
        var (queue, first, second) = makeQueue()
        queue.wrote(3)
        queue.wrote(5)
        queue.accepted(1)
        queue.end(.disconnected("it was unplugged"))
        #expect(await first.end()?.accepted == 3)
        #expect(await second.end()?.kind == .disconnected)
        #expect(await second.end()?.accepted == 5)
    }
}
