import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

@Suite struct WaitingQueueTests {
    /// The order in which jobs of one kind leave.
    private func drained(_ queue: WaitingQueue) -> [Int64] {
        var queue = queue
        var order: [Int64] = []
        while let first = queue.firsts.min(by: { $0.precedes($1) }) {
            order.append(first.id)
            queue.remove(first.id)
        }
        return order
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `keeps priority and order through coming back, leaving and standing twice`(seed: UInt64) {
        var numbers = SeededRandom(seed)
        var queue = WaitingQueue()
        var model: [Int64: WaitingJob] = [:]
        for _ in 0..<2000 {
            let id = Int64.random(in: 1...200, using: &numbers)
            if Int.random(in: 0..<3, using: &numbers) == 0 {
                queue.remove(id)
                model[id] = nil
            } else {
                var job = WaitingJob.test(
                    id, format: id.isMultiple(of: 2) ? .pdf : .plainText, priority: id.isMultiple(of: 7) ? 80 : 50)
                if id.isMultiple(of: 3), Bool.random(using: &numbers) { job.refusedBy = [.test("till-1")] }
                queue.insert(job)
                model[id] = job
            }
            #expect(queue.count == model.count)
        }
        #expect(Set(queue.jobs) == Set(model.values))
        let probe = WaitingJob.test(100)
        #expect(queue.count(before: probe) == model.values.count { $0.precedes(probe) })
        #expect(drained(queue) == model.values.sorted { $0.precedes($1) }.map(\.id))
    }

    @Test func `forgets the kinds of jobs that left`() {
        var queue = WaitingQueue()
        queue.insert(.test(1))
        queue.insert(.test(2, format: .pdf))
        #expect(queue.firsts.count == 2)
        queue.remove(1)
        #expect(queue.firsts.map(\.id) == [2])
        queue.remove(1)
        queue.remove(2)
        #expect(queue.isEmpty && queue.firsts.isEmpty)
    }
}
