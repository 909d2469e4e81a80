package io.verbena.rnic.completion;

import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.CompletionGroup;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.Spread;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A CQ and a handler for each of several processors, and the choice of the CQ for a new queue pair. */
public final class SoftCompletionGroup implements CompletionGroup {

    private final RnicContext context;
    private final Spread spread;
    private final List<CqHandlerId> handlers = new ArrayList<>();
    private final List<SoftCompletionQueue> queues = new ArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final Closing closing = new Closing();

    /** Creates the whole group, or nothing if a step fails. */
    public SoftCompletionGroup(
            RnicContext context,
            int capacity,
            CqHandler handler,
            List<? extends HandlerProcessor> processors,
            Spread spread) {
        if (processors.isEmpty()) {
            throw new IllegalArgumentException("a completion group needs at least one processor");
        }
        this.context = context;
        Rnic rnic = context.rnic();
        this.spread = spread;
        try {
            for (HandlerProcessor processor : processors) {
                CqHandlerId id = rnic.setCompletionHandler(handler, processor);
                handlers.add(id);
                CompletionQueue cq = rnic.createCompletionQueue(
                        CompletionQueueOptions.capacity(capacity).withHandler(id));
                SoftCompletionQueue softCompletionQueue = (SoftCompletionQueue) cq;
                softCompletionQueue.liveOn(context.engines()
                        .cores()
                        .beside(processor.cores(), queues.size())
                        .orElse(queues.size() % context.engines().size()));
                queues.add(softCompletionQueue);
                cq.requestNotification(Notification.NEXT);
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    @Override
    public List<CompletionQueue> queues() {
        return List.copyOf(queues);
    }

    @Override
    public CompletionQueue choose(SocketAddress peer) {
        return switch (spread) {
            case ROUND_ROBIN -> queues.get(Math.floorMod(turn.getAndIncrement(), queues.size()));
            case LEAST_LOADED -> leastLoaded();
            case PEER_HASH -> queues.get(Math.floorMod(hash(peer), queues.size()));
        };
    }

    private SoftCompletionQueue leastLoaded() {
        SoftCompletionQueue best = queues.getFirst();
        for (SoftCompletionQueue each : queues) {
            if (each.users() < best.users()) {
                best = each;
            }
        }
        return best;
    }

    private static int hash(SocketAddress peer) {
        int hash = peer instanceof InetSocketAddress inet
                ? inet.isUnresolved()
                        ? inet.getHostString().hashCode()
                        : inet.getAddress().hashCode()
                : peer.hashCode();
        // Neighbouring addresses differ in the low bits only; multiplication spreads them.
        return hash * 0x9e3779b9 >>> 8;
    }

    @Override
    public void close() {
        closing.close(context, () -> !context.handlers().anyRunsHere(), this::refuseIfUsed, this::end);
    }

    private void refuseIfUsed() {
        for (SoftCompletionQueue cq : queues) {
            cq.refuseIfUsed(); // either all CQs are closed or none
        }
    }

    private void end() {
        for (SoftCompletionQueue cq : queues) {
            cq.close();
        }
        for (CqHandlerId id : handlers) {
            if (context.handlers().knows(id)) {
                context.rnic().removeCompletionHandler(id);
            }
        }
    }
}
