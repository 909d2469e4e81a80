package io.verbena.bench.netty;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * One measurement. A client begins with it, so that the server does the same.
 *
 * @param polls whether both event loops poll instead of waiting
 * @param echoes whether each message is answered; the end of a stream is
 * @param messageBytes size of a message
 * @param messages number of messages, of which the first fifth is not measured
 */
record NettyPlan(boolean polls, boolean echoes, int messageBytes, int messages) {

    static final int BYTES = 10;

    private static final int ECHO_BYTES = 64;
    private static final int ECHOES = 30_000;
    private static final int STREAM_BYTES = 64 << 10;
    private static final int STREAM_MESSAGES = 12_000;

    /** The rows of the table. */
    static List<NettyPlan> all() {
        List<NettyPlan> plans = new ArrayList<>();
        for (boolean polls : new boolean[] {true, false}) {
            plans.add(new NettyPlan(polls, true, ECHO_BYTES, ECHOES));
            plans.add(new NettyPlan(polls, false, STREAM_BYTES, STREAM_MESSAGES));
        }
        return plans;
    }

    String title() {
        return (echoes ? "echo 64 B, " : "stream 64 KiB, ") + (polls ? "polling" : "blocking");
    }

    int unmeasured() {
        return messages / 5;
    }

    ByteBuf put(ByteBuf into) {
        return into.writeBoolean(polls)
                .writeBoolean(echoes)
                .writeInt(messageBytes)
                .writeInt(messages);
    }

    static NettyPlan take(ByteBuf from) {
        return new NettyPlan(from.readBoolean(), from.readBoolean(), from.readInt(), from.readInt());
    }
}
