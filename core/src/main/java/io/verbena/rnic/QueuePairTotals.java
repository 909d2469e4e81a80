package io.verbena.rnic;

import io.verbena.queue.WorkTally;
import io.verbena.rnic.context.NumberedQueuePair;
import io.verbena.rnic.context.QueuePairNumbers;
import java.util.ArrayList;
import java.util.List;

/** The work of all queue pairs of an RNIC, those that were closed included: sums that never decrease. */
final class QueuePairTotals {

    private final QueuePairNumbers numbers;

    /** The work of closed queue pairs. Under the lock of the numbers: each queue pair is either in them or in this. */
    private final WorkTally closed = new WorkTally();

    /**
     * The queue pairs at one moment.
     *
     * @param created number of queue pairs that were ever created
     * @param work of these and all earlier ones
     */
    record Moment(List<SoftQueuePair> queuePairs, long created, WorkTally work) {}

    QueuePairTotals(QueuePairNumbers numbers) {
        this.numbers = numbers;
    }

    /** Removes a closed queue pair, which no engine serves any more. */
    void remove(SoftQueuePair queuePair) {
        synchronized (numbers) {
            numbers.remove(queuePair);
            closed.addAll(queuePair.queues().tally());
        }
    }

    Moment now() {
        List<SoftQueuePair> queuePairs = new ArrayList<>();
        WorkTally work = new WorkTally();
        synchronized (numbers) {
            work.addAll(closed);
            for (NumberedQueuePair each : numbers.all()) {
                SoftQueuePair queuePair = (SoftQueuePair) each;
                queuePairs.add(queuePair);
                work.addAll(queuePair.queues().tally());
            }
            return new Moment(queuePairs, numbers.added(), work);
        }
    }
}
