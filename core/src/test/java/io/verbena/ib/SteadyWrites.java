package io.verbena.ib;

import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.nio.ByteBuffer;

/** A connection whose side {@code a} always has Writes to send, over the paths that its engine chooses. */
final class SteadyWrites {

    /** Takes a packet that the engine has built. */
    interface Taker {
        /**
         * A packet.
         *
         * @param path the entropy of its path
         */
        void take(int path, byte[] bytes);
    }

    final RcPair pair;
    private final int bytes;
    private final Region source;
    private final Region target;
    private long posted;

    SteadyWrites(RcPair pair, int bytes) {
        this.pair = pair;
        this.bytes = bytes;
        source = pair.a.region(bytes);
        target = pair.b.region(bytes);
    }

    /** Posts Writes until this many have not completed, or {@code limit} have been posted in all. */
    void post(int outstanding, long limit) {
        while (posted < limit && pair.a.send.posted() - pair.a.send.retired() < outstanding) {
            long id = posted++;
            pair.a.post(
                    WorkOpcode.WRITE,
                    WrFlags.SIGNALLED,
                    w -> w.wrId(id)
                            .remoteAddress(target.baseAddress())
                            .rkey(target.rkey())
                            .addElement(source.localKey(), 0, bytes));
        }
    }

    /** Lets the engine build its next packets. Returns their number; 0 if it has none to send now. */
    int build(Taker taker) {
        if (!pair.a.engine.hasTransmitWork(pair.nowNs)) {
            return 0;
        }
        pair.a.list.reset(64, 65_507);
        pair.a.engine.fillTransmit(pair.a.builder, 1, pair.nowNs);
        for (int i = 0; i < pair.a.list.packets(); i++) {
            ByteBuffer copy = ByteBuffer.allocate(pair.a.list.length(i));
            pair.a.list.copyOut(i, copy);
            taker.take(pair.a.list.path(i).entropy(), copy.array());
        }
        return pair.a.list.packets();
    }
}
