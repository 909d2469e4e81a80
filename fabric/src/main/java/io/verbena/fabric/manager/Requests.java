package io.verbena.fabric.manager;

import io.verbena.base.Times;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/** Requests by directed routes: a limited number at a time, repeated when no response arrives. */
final class Requests {

    private static final int WINDOW = 32;
    private static final int TRIES = 3;
    /** Time after which a request is repeated, unless another one is set. */
    static final long RESPONSE_NS = 200_000_000;

    /** What to do with a response. */
    interface Reply {
        /**
         * The request was answered.
         *
         * @param status 0 for success
         * @param data the attribute, 64 bytes; valid during the call
         */
        void answered(int status, MemorySegment data);

        /** There was no response. */
        void silent();
    }

    private record Request(int attribute, int modifier, int[] route, Optional<MemorySegment> data, Reply reply) {}

    private static final class Pending {
        final Request request;
        int tries;
        boolean waits;
        long deadlineNs;

        Pending(Request request) {
            this.request = request;
        }
    }

    private final Queue<Request> queue = new ArrayDeque<>();
    private final Map<Long, Pending> pending = new LinkedHashMap<>();
    private final MadHeader header = new MadHeader();
    private final SmpHeader smp = new SmpHeader();
    private final long responseNs;
    private long nextTransaction = 1;
    private long sent;
    private long unanswered;

    /** @param responseNs time after which a request is repeated */
    Requests(long responseNs) {
        this.responseNs = responseNs;
    }

    void get(int attribute, int modifier, int[] route, Reply reply) {
        queue.add(new Request(attribute, modifier, route, Optional.empty(), reply));
    }

    /** Keeps a copy of the data. */
    void set(int attribute, int modifier, int[] route, MemorySegment data, Reply reply) {
        MemorySegment copy = MemorySegment.ofArray(new byte[SmpHeader.DATA_LENGTH]);
        copy.copyFrom(data);
        queue.add(new Request(attribute, modifier, route, Optional.of(copy), reply));
    }

    boolean idle() {
        return queue.isEmpty() && pending.isEmpty();
    }

    long sent() {
        return sent;
    }

    long unanswered() {
        return unanswered;
    }

    /** Forgets everything; late responses are ignored. */
    void clear() {
        queue.clear();
        pending.clear();
    }

    /** Writes the next datagram to send; false if there is none now. */
    boolean poll(MemorySegment mad, long nowNs) {
        for (Map.Entry<Long, Pending> entry : pending.entrySet()) {
            Pending known = entry.getValue();
            if (!known.waits) {
                write(mad, entry.getKey(), known, nowNs);
                return true;
            }
        }
        if (queue.isEmpty() || pending.size() >= WINDOW) {
            return false;
        }
        Pending fresh = new Pending(queue.remove());
        pending.put(nextTransaction, fresh);
        write(mad, nextTransaction++, fresh, nowNs);
        return true;
    }

    private void write(MemorySegment mad, long transaction, Pending one, long nowNs) {
        Request request = one.request;
        one.tries++;
        one.waits = true;
        one.deadlineNs = Times.after(nowNs, responseNs);
        sent++;
        mad.fill((byte) 0);
        header.wrap(mad, 0)
                .baseVersion(1)
                .mgmtClass(Smp.CLASS_DIRECTED)
                .classVersion(1)
                .method(request.data().isEmpty() ? Smp.GET : Smp.SET)
                .transactionId(transaction)
                .attributeId(request.attribute())
                .attributeModifier(request.modifier());
        smp.wrap(mad, 0)
                .hopCount(request.route().length)
                .drSlid(SmpHeader.PERMISSIVE)
                .drDlid(SmpHeader.PERMISSIVE);
        for (int i = 0; i < request.route().length; i++) {
            smp.initialPath(i + 1, request.route()[i]);
        }
        request.data()
                .ifPresent(data ->
                        mad.asSlice(SmpHeader.DATA, SmpHeader.DATA_LENGTH).copyFrom(data));
    }

    /** Returns whether the datagram is the response to a request. */
    boolean onResponse(MemorySegment mad) {
        header.wrap(mad, 0);
        boolean response = header.response() && header.mgmtClass() == Smp.CLASS_DIRECTED;
        Pending known = response ? pending.get(header.transactionId()) : null;
        if (known == null || known.request.attribute() != header.attributeId()) {
            return false;
        }
        pending.remove(header.transactionId());
        known.request.reply().answered(header.status() & 0x7fff, mad.asSlice(SmpHeader.DATA, SmpHeader.DATA_LENGTH));
        return true;
    }

    /** Repeats requests whose time is over, or gives them up. */
    void onTime(long nowNs) {
        List<Pending> given = new ArrayList<>();
        pending.values().removeIf(one -> {
            boolean over = one.waits && one.deadlineNs - nowNs <= 0;
            if (over && one.tries < TRIES) {
                one.waits = false;
            } else if (over) {
                given.add(one);
            }
            return over && one.tries >= TRIES;
        });
        for (Pending one : given) {
            unanswered++;
            one.request.reply().silent();
        }
    }

    long nextDeadlineNs() {
        long earliest = Times.NEVER;
        for (Pending one : pending.values()) {
            earliest = one.waits ? Times.earlier(earliest, one.deadlineNs) : earliest;
        }
        return earliest;
    }
}
