package io.verbena.objects;

import io.verbena.base.Times;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.TransportService;
import java.time.Duration;

/** Rules for queues that a program makes. Each check fails with a sentence that names the limit. */
public final class QueuePairRules {

    private static final long MAX_MODERATION_NS = 60_000_000_000L;

    private QueuePairRules() {}

    /** Checks that a number chosen by the application is in range. */
    public static void range(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " must be " + min + " to " + max + ", not " + value);
        }
    }

    /** Checks the moderation of a CQ. */
    public static void moderation(int count, Duration period, int maxCount) {
        range("the number of entries per event", count, 1, maxCount);
        long periodNs = Times.nanos(period);
        if (periodNs <= 0 || periodNs > MAX_MODERATION_NS) {
            throw new IllegalArgumentException(
                    "the moderation period must be greater than 0 and at most 1 minute, not " + period);
        }
    }

    /**
     * Checks the options of a queue pair.
     *
     * @param whose what has these limits, with its name
     * @throws UnsupportedOperationException if there is no such service
     */
    public static void check(QueuePairOptions options, RnicAttributes limits, String whose) {
        if (!limits.services().contains(options.service())) {
            throw new UnsupportedOperationException(
                    "The " + whose + " has no service " + options.service() + "; it has " + limits.services() + ".");
        }
        if (options.datagramDomain().isPresent() != (options.service() == TransportService.RELIABLE_DATAGRAM)) {
            throw new IllegalArgumentException("the service RELIABLE_DATAGRAM requires a reliable datagram domain, and"
                    + " others have none; the service is " + options.service());
        }
        range("sendDepth", options.sendDepth(), 1, limits.maxWorkRequests());
        if (options.sharedReceiveQueue().isEmpty()) {
            range("receiveDepth", options.receiveDepth(), 1, limits.maxWorkRequests());
            range("maxScatter", options.maxScatter(), 0, limits.maxScatterGather());
        }
        range("maxGather", options.maxGather(), 0, limits.maxScatterGather());
        range("maxInlineBytes", options.maxInlineBytes(), 0, limits.maxInlineBytes());
    }

    /** Checks the numbers of Reads and atomics that may be outstanding. */
    public static void reads(QueuePairOptions options, int maxInbound, int maxOutbound) {
        range("inboundReads", options.inboundReads(), 0, maxInbound);
        range("outboundReads", options.outboundReads(), 0, maxOutbound);
    }
}
