import Testing

@testable import SSH

@Suite("ChannelLine")
struct ChannelLineTests {
    private func taken(_ line: inout ChannelLine<Int>) -> [Int] {
        var all: [Int] = []
        while let (number, _) = line.next() { all.append(number) }
        return all
    }

    @Test("Deliveries leave two channels to questions")
    func keepsPlaces() {
        var line = ChannelLine<Int>()
        for number in 0..<10 { line.add(number, to: .delivery) }
        #expect(taken(&line) == [0, 1, 2, 3, 4, 5])
        for number in 10..<14 { line.add(number, to: .question) }
        #expect(taken(&line) == [10, 11])
        line.release(.question)
        #expect(taken(&line) == [12])
        line.release(.delivery)
        #expect(taken(&line) == [6])
    }

    @Test("Who comes first is first, whatever the lane")
    func isFair() {
        var line = ChannelLine<Int>()
        line.lowerLimit(to: 1)
        for number in 0..<4 { line.add(number, to: number.isMultiple(of: 2) ? .delivery : .question) }
        for number in 0..<4 {
            #expect(taken(&line) == [number])
            line.release(number.isMultiple(of: 2) ? .delivery : .question)
        }
    }

    @Test("Who was refused stands in front again, and a server that allows less is asked for less")
    func putsBack() {
        var line = ChannelLine<Int>()
        for number in 0..<4 { line.add(number, to: .question) }
        #expect(taken(&line) == [0, 1, 2, 3])
        line.release(.question)
        line.lowerLimit(to: 3)
        line.putBack(3, to: .question)
        line.add(4, to: .question)
        #expect(taken(&line).isEmpty)
        line.release(.question)
        #expect(taken(&line) == [3])
        line.liftLimit()
        #expect(taken(&line) == [4])
    }

    @Test("A limit is never less than one")
    func hasFloor() {
        var line = ChannelLine<Int>()
        line.lowerLimit(to: 0)
        #expect(line.limit == 1)
    }
}
