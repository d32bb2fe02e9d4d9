/// The places of waiting jobs, in order. Most come at the end and leave from the front, and both cost the same however
/// many wait.
struct WaitingLane {
    /// A slice forgets its first without moving the rest.
    private var places: ArraySlice<WaitingJob.Place> = []

    var first: WaitingJob.Place? { places.first }

    mutating func insert(_ place: WaitingJob.Place) {
        let index = index(of: place)
        if index == places.endIndex { places.append(place) } else { places.insert(place, at: index) }
    }

    mutating func remove(_ place: WaitingJob.Place) {
        let index = index(of: place)
        guard index < places.endIndex, places[index] == place else { return }
        if index == places.startIndex { places.removeFirst() } else { places.remove(at: index) }
    }

    func count(before place: WaitingJob.Place) -> Int { index(of: place) - places.startIndex }

    /// Of the first that does not come before this one.
    private func index(of place: WaitingJob.Place) -> Int {
        var (low, high) = (places.startIndex, places.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
