/// All steps of one job, oldest first.
public struct JobTimeline: Hashable, Sendable, Codable {
    public var job: Job.ID
    public var steps: [JobStep]
    /// Steps in the middle of a very eventful life that are no longer kept; nil for none.
    public var omitted: Int?

    public init(job: Job.ID, steps: [JobStep], omitted: Int? = nil) {
        self.job = job
        self.steps = steps
        self.omitted = omitted
    }

    /// The timeline as other users see it: the steps, without messages.
    public var withheld: JobTimeline {
        var timeline = self
        for index in timeline.steps.indices { (timeline.steps[index].message, timeline.steps[index].job) = (nil, nil) }
        return timeline
    }
}
