package io.verbena.rnic;

import io.verbena.engine.RnicEngine;
import io.verbena.objects.PostingRules;
import io.verbena.objects.Template;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.rnic.context.Limits;
import io.verbena.rnic.memory.DomainObjects;
import io.verbena.rnic.memory.SoftMemoryRegion;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.util.concurrent.atomic.AtomicInteger;

/** Receives shared by queue pairs of one engine. Posting rings no doorbell, since receives wait for messages. */
final class SoftSharedReceiveQueue implements SharedReceiveQueue {

    private final DomainObjects domain;
    private final RnicEngine engine;
    private final SharedReceiveQueueOptions options;
    private final WorkQueue queue;
    private final Wqe wqe = new Wqe();
    private final PosterMark poster = new PosterMark();
    private final AtomicInteger limit = new AtomicInteger();
    private final AtomicInteger users = new AtomicInteger();
    private volatile boolean closed;

    SoftSharedReceiveQueue(DomainObjects domain, RnicEngine engine, SharedReceiveQueueOptions options) {
        Limits.range("the depth of an SRQ", options.depth(), 1, Limits.WORK_REQUESTS);
        Limits.range("maxScatter", options.maxScatter(), 1, Limits.ELEMENTS);
        this.domain = domain;
        this.engine = engine;
        this.options = options;
        this.queue = new WorkQueue(options.depth(), Wqe.strideBytes(options.maxScatter(), 0));
    }

    RnicEngine engine() {
        return engine;
    }

    DomainObjects domain() {
        return domain;
    }

    WorkQueue queue() {
        return queue;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain.domain();
    }

    @Override
    public boolean postReceive(long wrId, MemoryRegion region, long offset, int length) {
        SoftMemoryRegion softMemoryRegion = SoftMemoryRegion.of(region, domain);
        PostingRules.range(softMemoryRegion.length(), offset, length);
        checkOpen();
        assert poster.begin();
        try {
            if (!queue.claim(wqe)) {
                return false;
            }
            wqe.clear(WorkOpcode.RECEIVE, WrFlags.SIGNALLED).wrId(wrId);
            if (length > 0) {
                wqe.addElement(softMemoryRegion.localKey(), offset, length);
            }
            queue.written();
            queue.publish();
            return true;
        } finally {
            assert poster.end();
        }
    }

    @Override
    public boolean post(WorkRequest receive) {
        Template template = Template.receiveOf(receive, domain, options.maxScatter());
        checkOpen();
        assert poster.begin();
        try {
            if (!queue.claim(wqe)) {
                return false;
            }
            template.copyTo(wqe);
            queue.written();
            queue.publish();
            return true;
        } finally {
            assert poster.end();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the shared receive queue is closed");
        }
    }

    @Override
    public WorkRequest newWorkRequest() {
        return Template.receive(domain, options.maxScatter());
    }

    @Override
    public int capacity() {
        return options.depth();
    }

    @Override
    public int available() {
        return (int) (queue.posted() - queue.retired());
    }

    @Override
    public void armLimit(int newLimit) {
        Limits.range("the limit", newLimit, 0, options.depth());
        limit.set(newLimit);
        checkLimit();
    }

    /** Raises the limit event, once, when fewer receives than the limit are left. */
    void checkLimit() {
        int armed = limit.get();
        if (armed > 0 && available() < armed && limit.compareAndSet(armed, 0)) {
            domain.context()
                    .events()
                    .raise(
                            AsyncEventType.SRQ_LIMIT_REACHED,
                            this,
                            "Fewer than " + armed + " receives are left in the shared receive queue.");
        }
    }

    synchronized void use() {
        checkOpen();
        users.incrementAndGet();
    }

    void leave() {
        users.decrementAndGet();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (users.get() > 0 && !domain.context().closed()) {
                throw new IllegalStateException("queue pairs take receives from this SRQ; close them first");
            }
            closed = true;
        }
        domain.queueClosed();
    }
}
