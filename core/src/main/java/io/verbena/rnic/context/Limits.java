package io.verbena.rnic.context;

import io.verbena.memory.RegionTable;
import io.verbena.memory.RemoteKeys;
import io.verbena.objects.QueuePairRules;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import java.util.List;

/** The limits of an RNIC. Each check fails with a sentence that names the limit. */
public final class Limits {

    static final int QUEUE_PAIRS = 1 << 16;
    public static final int WORK_REQUESTS = 1 << 16;
    public static final int ELEMENTS = 64;
    public static final int INLINE_BYTES = 4096;
    public static final int COMPLETION_QUEUES = 1 << 16;
    public static final int COMPLETION_ENTRIES = 1 << 20;
    public static final int HANDLERS = 1024;

    private static final DeviceAttributes DEVICE = new DeviceAttributes(
            "", 0, "0.1", List.of(), ELEMENTS, Long.MAX_VALUE, Integer.MAX_VALUE, RemoteKeys.MOST, Integer.MAX_VALUE);

    private Limits() {}

    /**
     * Number of CQ handlers that an RNIC with these options supports: the setting {@code handlers}, which may be 1 as
     * in the basic notification design, or the maximum.
     */
    public static int handlers(RnicOptions options) {
        String setting = options.settings().get("handlers");
        if (setting == null) {
            return HANDLERS;
        }
        try {
            int max = Integer.parseInt(setting);
            range("the setting 'handlers'", max, 1, HANDLERS);
            return max;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "the setting 'handlers' must be a number of CQ handlers, not '" + setting + "'", e);
        }
    }

    public static RnicAttributes attributes(TransportLimits transport, int handlers, int handlersInUse) {
        return new RnicAttributes(
                transport.provider(),
                transport.type(),
                transport.services(),
                transport.operations(),
                transport.adapter().queuePairs(),
                WORK_REQUESTS,
                ELEMENTS,
                INLINE_BYTES,
                Integer.MAX_VALUE,
                RegionTable.MAX_REGIONS,
                COMPLETION_QUEUES,
                COMPLETION_ENTRIES,
                Integer.MAX_VALUE, // SRQs: memory is their limit
                transport.adapter().incomingRdma() ? transport.connection().reads() : 0,
                transport.connection().reads(),
                transport.connection().privateDataBytes(),
                handlers,
                handlersInUse,
                transport.connection().immediateBits(),
                DEVICE);
    }

    /** Checks that a number chosen by the application is in range. */
    public static void range(String what, int value, int min, int max) {
        QueuePairRules.range(what, value, min, max);
    }

    /** Checks that another object can be created without exceeding the limit. */
    public static void available(String what, int used, int max) {
        if (used >= max) {
            throw new IllegalStateException("all " + max + " " + what + " of this RNIC are in use; close some first");
        }
    }
}
