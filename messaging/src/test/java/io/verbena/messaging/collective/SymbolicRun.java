package io.verbena.messaging.collective;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.LongBinaryOperator;

/**
 * Executes the schedules of all ranks on symbols: a cell for each byte has a number that identifies which contributions it is made of, and in
 * which order. Sends end when their receives take them (no message is kept), so that a schedule that needs buffers is detected.
 */
final class SymbolicRun {

    /** One rank. */
    private static final class Rank {
        final Schedule schedule;
        final long[][] buffers = new long[Schedule.BUFFERS][];
        int at;
        int pending;

        Rank(Schedule schedule) {
            this.schedule = schedule;
        }
    }

    private record Message(int step) {}

    private final int size;
    private final Rank[] ranks;
    private final ArrayDeque<Message>[][] sends;
    private final ArrayDeque<Message>[][] receives;
    private final LongBinaryOperator operator;

    SymbolicRun(int size, LongBinaryOperator operator, IntFunction<Schedule> schedules) {
        this.size = size;
        this.operator = operator;
        ranks = new Rank[size];
        sends = queues(size);
        receives = queues(size);
        for (int i = 0; i < size; i++) {
            ranks[i] = new Rank(schedules.apply(i));
            long[] scratch = new long[Math.toIntExact(ranks[i].schedule.scratchBytes())];
            Arrays.fill(scratch, -1);
            ranks[i].buffers[Schedule.SCRATCH] = scratch;
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static ArrayDeque<Message>[][] queues(int size) {
        ArrayDeque[][] queues = new ArrayDeque[size][size];
        return queues;
    }

    private static ArrayDeque<Message> queue(ArrayDeque<Message>[][] queues, int from, int to) {
        if (queues[from][to] == null) {
            queues[from][to] = new ArrayDeque<>();
        }
        return queues[from][to];
    }

    long[] sendBuffer(int rank, int bytes) {
        ranks[rank].buffers[Schedule.SEND_BUFFER] = new long[bytes];
        return ranks[rank].buffers[Schedule.SEND_BUFFER];
    }

    long[] receiveBuffer(int rank, int bytes) {
        ranks[rank].buffers[Schedule.RECEIVE_BUFFER] = new long[bytes];
        return ranks[rank].buffers[Schedule.RECEIVE_BUFFER];
    }

    long[] result(int rank) {
        return ranks[rank].buffers[Schedule.RECEIVE_BUFFER];
    }

    /** Executes until every rank has ended. */
    void run() {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int i = 0; i < size; i++) {
                moved |= advance(i);
            }
        }
        for (int i = 0; i < size; i++) {
            if (ranks[i].at < ranks[i].schedule.size()) {
                throw new AssertionError("rank " + i + " of " + size + " waits forever in step " + ranks[i].at);
            }
        }
    }

    private boolean advance(int number) {
        Rank rank = ranks[number];
        Schedule schedule = rank.schedule;
        boolean moved = false;
        while (rank.at < schedule.size()) {
            int step = rank.at;
            int code = schedule.code(step);
            if (code == Schedule.AWAIT && rank.pending > 0) {
                return moved;
            }
            if (code != Schedule.AWAIT) {
                execute(number, rank, step, code);
            }
            rank.at++;
            moved = true;
        }
        return moved;
    }

    private void execute(int number, Rank rank, int step, int code) {
        Schedule schedule = rank.schedule;
        if (code == Schedule.SEND) {
            rank.pending++;
            queue(sends, number, schedule.peer(step)).add(new Message(step));
            match(number, schedule.peer(step));
        } else if (code == Schedule.RECEIVE) {
            checkWritable(schedule.firstBuffer(step));
            rank.pending++;
            queue(receives, schedule.peer(step), number).add(new Message(step));
            match(schedule.peer(step), number);
        } else {
            checkWritable(schedule.secondBuffer(step));
            local(rank, step, code);
        }
    }

    private static void checkWritable(int buffer) {
        if (buffer == Schedule.SEND_BUFFER) {
            throw new AssertionError("the buffer of the send is written");
        }
    }

    private void local(Rank rank, int step, int code) {
        Schedule schedule = rank.schedule;
        long[] from = rank.buffers[schedule.firstBuffer(step)];
        long[] to = rank.buffers[schedule.secondBuffer(step)];
        int source = (int) schedule.firstOffset(step);
        int target = (int) schedule.secondOffset(step);
        int bytes = (int) schedule.bytes(step);
        if (code == Schedule.COPY) {
            System.arraycopy(from, source, to, target, bytes);
            return;
        }
        for (int i = 0; i < bytes; i++) {
            to[target + i] = operator.applyAsLong(from[source + i], to[target + i]);
        }
    }

    private void match(int from, int to) {
        ArrayDeque<Message> sent = queue(sends, from, to);
        ArrayDeque<Message> wanted = queue(receives, from, to);
        if (from == to || sent.isEmpty() || wanted.isEmpty()) {
            return;
        }
        int send = sent.remove().step();
        int receive = wanted.remove().step();
        Schedule source = ranks[from].schedule;
        Schedule target = ranks[to].schedule;
        if (source.bytes(send) != target.bytes(receive)) {
            throw new AssertionError("rank " + from + " sends " + source.bytes(send) + " bytes where rank " + to
                    + " expects " + target.bytes(receive));
        }
        if (source.bytes(send) > 0) {
            System.arraycopy(
                    ranks[from].buffers[source.firstBuffer(send)],
                    (int) source.firstOffset(send),
                    ranks[to].buffers[target.firstBuffer(receive)],
                    (int) target.firstOffset(receive),
                    (int) source.bytes(send));
        }
        ranks[from].pending--;
        ranks[to].pending--;
    }
}
