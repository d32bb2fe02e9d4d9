import Testing

@testable import KioskSSH

@Suite("ChannelQueue")
struct ChannelQueueTests {
    private func taken(_ queue: inout ChannelQueue<Int>) -> [Int] {
        var all: [Int] = []
        while let (number, _) = queue.next() { all.append(number) }
        return all
    }

    @Test("Deliveries leave two channels to queries")
    func keepsPlaces() {
        var queue = ChannelQueue<Int>()
        for number in 0..<10 { queue.add(number, as: .delivery) }
        #expect(taken(&queue) == [0, 1, 2, 3, 4, 5])
        for number in 10..<14 { queue.add(number, as: .query) }
        #expect(taken(&queue) == [10, 11])
        queue.release(.query)
        #expect(taken(&queue) == [12])
        queue.release(.delivery)
        #expect(taken(&queue) == [6])
    }

    @Test("Who comes first is first, whatever its kind")
    func isFair() {
        var queue = ChannelQueue<Int>()
        queue.lowerLimit(to: 1)
        for number in 0..<4 { queue.add(number, as: number.isMultiple(of: 2) ? .delivery : .query) }
        for number in 0..<4 {
            #expect(taken(&queue) == [number])
            queue.release(number.isMultiple(of: 2) ? .delivery : .query)
        }
    }

    @Test("Who was refused stands in front again, and a server that allows less is asked for less")
    func putsBack() {
        var queue = ChannelQueue<Int>()
        for number in 0..<4 { queue.add(number, as: .query) }
        #expect(taken(&queue) == [0, 1, 2, 3])
        queue.release(.query)
        queue.lowerLimit(to: 3)
        queue.putBack(3, as: .query)
        queue.add(4, as: .query)
        #expect(taken(&queue).isEmpty)
        queue.release(.query)
        #expect(taken(&queue) == [3])
        queue.liftLimit()
        #expect(taken(&queue) == [4])
    }

    @Test("A limit is never less than one")
    func hasFloor() {
        var queue = ChannelQueue<Int>()
        queue.lowerLimit(to: 0)
        #expect(queue.limit == 1)
    }
}
