package io.verbena.rnic;

import io.verbena.memory.RegionTable;
import io.verbena.memory.RemoteKeys;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import java.util.List;

/** What an RNIC has at most; each method refuses what is above, with a sentence. */
final class Limits {

    static final int QUEUE_PAIRS = 1 << 16;
    static final int WORK_REQUESTS = 1 << 16;
    static final int ELEMENTS = 64;
    static final int INLINE_BYTES = 4096;
    static final int COMPLETION_QUEUES = 1 << 16;
    static final int COMPLETION_ENTRIES = 1 << 20;
    static final int SHARED_RECEIVE_QUEUES = 1 << 12;
    static final int HANDLERS = 1024;

    private static final DeviceAttributes DEVICE = new DeviceAttributes(
            "", 0, "0.1", List.of(), ELEMENTS, Long.MAX_VALUE, Integer.MAX_VALUE, RemoteKeys.MOST, Integer.MAX_VALUE);

    private Limits() {}

    /** How many CQ handlers an RNIC of these options supports: one, as the notification seed has it ([0031]), or many. */
    static int handlers(RnicOptions options) {
        String wanted = options.settings().get("handlers");
        if (wanted == null) {
            return HANDLERS;
        }
        try {
            int most = Integer.parseInt(wanted);
            range("the setting 'handlers'", most, 1, HANDLERS);
            return most;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "the setting 'handlers' must be a number of CQ handlers, not '" + wanted + "'", e);
        }
    }

    static RnicAttributes attributes(TransportLimits transport, int handlers, int handlersInUse) {
        return new RnicAttributes(
                transport.provider(),
                transport.type(),
                transport.services(),
                transport.operations(),
                QUEUE_PAIRS,
                WORK_REQUESTS,
                ELEMENTS,
                INLINE_BYTES,
                Integer.MAX_VALUE,
                RegionTable.MAX_REGIONS,
                COMPLETION_QUEUES,
                COMPLETION_ENTRIES,
                SHARED_RECEIVE_QUEUES,
                transport.reads(),
                transport.reads(),
                transport.privateDataBytes(),
                handlers,
                handlersInUse,
                transport.immediateBits(),
                DEVICE);
    }

    /** A number that the application chose must lie in a range. */
    static void range(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " must be " + least + " to " + most + ", not " + value);
        }
    }

    /** One more of something that there are {@code most} of. */
    static void room(String what, int now, int most) {
        if (now >= most) {
            throw new IllegalStateException("all " + most + " " + what + " of this RNIC are in use; close some first");
        }
    }
}
