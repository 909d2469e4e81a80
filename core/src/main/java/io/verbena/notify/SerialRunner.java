package io.verbena.notify;

import io.verbena.base.Log;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the notices of one listener one after the other, in order, on a processor that may have any number of threads. A
 * listener has a runner of its own, so that one that blocks does not delay the others.
 */
public final class SerialRunner implements Runnable {

    private final HandlerProcessor processor;
    private final ConcurrentLinkedQueue<Runnable> notices = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** A runner on this processor. */
    public SerialRunner(HandlerProcessor processor) {
        this.processor = processor;
    }

    /** Has a notice given after those before it. */
    public void add(Runnable notice) {
        notices.add(notice);
        schedule();
    }

    @Override
    public void run() {
        while (true) {
            Runnable notice = notices.poll();
            if (notice == null) {
                break;
            }
            try {
                notice.run();
            } catch (Throwable e) {
                Log.callback("A listener", e);
            }
        }
        scheduled.set(false);
        if (!notices.isEmpty()) {
            schedule();
        }
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                processor.signal(CqHandlerId.NONE, this);
            } catch (IllegalStateException e) {
                scheduled.set(false); // the processor has ended with its RNIC: no notices follow
            } catch (Throwable e) {
                scheduled.set(false);
                Log.callback("The handler processor", e);
            }
        }
    }
}
