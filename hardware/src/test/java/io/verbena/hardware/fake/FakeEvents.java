package io.verbena.hardware.fake;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvAsyncEvent;
import io.verbena.hardware.abi.IbvContext;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.SystemCalls;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The asynchronous events of each open context. */
final class FakeEvents {

    private final FakeMemory memory;
    private final Map<Long, ArrayDeque<long[]>> byContext = new HashMap<>();

    FakeEvents(FakeMemory memory) {
        this.memory = memory;
    }

    void open(long context) {
        Native.putInt(context + IbvContext.ASYNC_FD, SystemCalls.eventfd());
        byContext.put(context, new ArrayDeque<>());
    }

    void close(long context) {
        byContext.remove(context);
        SystemCalls.close(fd(context));
    }

    private static int fd(long context) {
        return Native.intAt(context + IbvContext.ASYNC_FD);
    }

    /** Raises an event about an object of this context, or, for 0, one that all contexts see. */
    void raise(int type, long element, long context) {
        byContext.forEach((each, events) -> {
            if (context == 0 || context == each) {
                events.addLast(new long[] {type, element});
                memory.signal(fd(each));
            }
        });
    }

    /** The function ibv_get_async_event. */
    long take(long context, long to) {
        long[] event = Objects.requireNonNull(byContext.get(context)).pollFirst();
        if (event == null) {
            memory.quiet(fd(context));
            throw new FakeFailure(Errno.EAGAIN);
        }
        Native.putLong(to + IbvAsyncEvent.ELEMENT, event[1]);
        Native.putInt(to + IbvAsyncEvent.EVENT_TYPE, (int) event[0]);
        return 0;
    }
}
