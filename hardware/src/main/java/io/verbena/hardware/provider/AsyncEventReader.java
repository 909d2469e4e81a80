package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvAsyncEvent;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.device.Adapter;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import java.lang.foreign.Arena;
import java.util.Optional;
import java.util.OptionalInt;

/** Translates the asynchronous events of an adapter. */
final class AsyncEventReader {

    private static final AsyncEventType[] TYPES = {
        AsyncEventType.CQ_OVERFLOW,
        AsyncEventType.QP_FATAL,
        AsyncEventType.QP_REQUEST_ERROR,
        AsyncEventType.QP_ACCESS_ERROR,
        AsyncEventType.COMMUNICATION_ESTABLISHED,
        AsyncEventType.SEND_QUEUE_DRAINED,
        AsyncEventType.PATH_MIGRATED,
        AsyncEventType.PATH_MIGRATION_FAILED,
        AsyncEventType.RNIC_FATAL,
        AsyncEventType.PORT_CHANGED,
        AsyncEventType.PORT_CHANGED,
        AsyncEventType.LID_CHANGED,
        AsyncEventType.PKEY_CHANGED,
        AsyncEventType.PORT_CHANGED,
        AsyncEventType.SRQ_FATAL,
        AsyncEventType.SRQ_LIMIT_REACHED,
        AsyncEventType.LAST_WQE_REACHED,
        AsyncEventType.PORT_CHANGED,
        AsyncEventType.ADDRESS_CHANGED
    };

    private final HardwareRnic rnic;
    private final Adapter adapter;

    AsyncEventReader(HardwareRnic rnic, Adapter adapter) {
        this.rnic = rnic;
        this.adapter = adapter;
    }

    /** Takes all events that wait. */
    void read() {
        try (Arena arena = Arena.ofConfined()) {
            long event = arena.allocate(IbvAsyncEvent.STRUCT.sizeBytes(), 8).address();
            while (adapter.libraries().attempt(NativeFunction.GET_ASYNC_EVENT, adapter.context(), event) == 0) {
                int type = Native.intAt(event + IbvAsyncEvent.EVENT_TYPE);
                long element = Native.longAt(event + IbvAsyncEvent.ELEMENT);
                Object subject = subject(element);
                adapter.libraries().call(NativeFunction.ACK_ASYNC_EVENT, event);
                if (type >= 0 && type < TYPES.length) {
                    raise(TYPES[type], subject, element);
                }
            }
        }
    }

    /** The object of an event by its pointer: a CQ, an SRQ, a queue pair, or the adapter. */
    private Object subject(long element) {
        for (HardwareCompletionQueue cq : rnic.completionQueues()) {
            if (cq.cq() == element) {
                return cq;
            }
        }
        for (SharedReceives srq : rnic.sharedQueues().all()) {
            if (srq.srq() == element) {
                return srq;
            }
        }
        PostedWork queuePair = rnic.queuePairs().withNative(element);
        return queuePair == null ? rnic : queuePair;
    }

    private void raise(AsyncEventType type, Object subject, long element) {
        if (subject instanceof PostedWork queuePair && failure(type)) {
            queuePair.fail("The adapter reports " + type + ".");
        }
        if (subject instanceof HardwareCompletionQueue cq && type == AsyncEventType.CQ_OVERFLOW) {
            cq.markOverflowed();
            rnic.overflowed(cq);
        }
        if (subject == rnic && type == AsyncEventType.RNIC_FATAL) {
            rnic.failed();
        }
        boolean ofPort = subject == rnic && type != AsyncEventType.RNIC_FATAL;
        rnic.raise(new AsyncEvent(
                type,
                subject,
                ofPort ? OptionalInt.of((int) element) : OptionalInt.empty(),
                Optional.empty(),
                "The adapter " + rnic.facts().name() + " reports " + type + "."));
    }

    private static boolean failure(AsyncEventType type) {
        return type == AsyncEventType.QP_FATAL
                || type == AsyncEventType.QP_REQUEST_ERROR
                || type == AsyncEventType.QP_ACCESS_ERROR;
    }
}
