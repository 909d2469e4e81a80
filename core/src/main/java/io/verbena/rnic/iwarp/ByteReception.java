package io.verbena.rnic.iwarp;

import io.verbena.base.Slab;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.IwarpStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Receives from a byte stream: expected payload directly to its destination, everything else through the slab. */
final class ByteReception extends Reception {

    /** Minimum payload that is read directly to its destination; smaller payload is copied. */
    private static final int DIRECT_BYTES = 4096;

    private Optional<ShortChannel> messages = Optional.empty();

    ByteReception(RnicEngine engine, ConnectionStream channel, IwarpStream rdma) {
        super(engine, channel, rdma);
    }

    /** Messages in short form; they end reads, as they are taken whole. */
    @Override
    void messages(ShortChannel taken) {
        messages = Optional.of(taken);
    }

    /** Takes a message, or reads in one call. */
    @Override
    int receive(int byteBudget, long nowNs) {
        int length = messages.isPresent() ? messages.get().expand(engine().receiveSlab()) : 0;
        if (length > 0) {
            take(engine().receiveSlab(), 0, length, nowNs);
            return length;
        }
        ByteBuffer target = rdma().receiveTarget();
        int direct = target.remaining() >= DIRECT_BYTES ? target.remaining() : 0;
        Slab slab = engine().receiveSlab();
        int capacity = Math.clamp(byteBudget - direct, 0, slab.capacity());
        ByteBuffer rest =
                slab.range(0, channel().gathers() ? Math.min(capacity, rdma().receiveAhead(direct)) : capacity);
        int count = direct > 0
                ? channel().read(target, rdma().receiveTargetAddress(), rest, slab.address())
                : channel().read(rest, slab.address());
        int filled = Math.clamp(count, 0, direct);
        if (filled > 0) {
            rdma().onFilled(filled, nowNs);
        }
        if (count > filled) {
            take(slab, 0, count - filled, nowNs);
        }
        return count;
    }
}
