package io.verbena.hardware.fake;

import io.verbena.hardware.abi.IbvCq;
import io.verbena.hardware.abi.IbvQp;
import io.verbena.hardware.abi.IbvWc;
import io.verbena.hardware.abi.Native;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The queues of the fake adapter. */
final class FakeQueues {

    private FakeQueues() {}

    /** A work completion. */
    record Entry(long wrId, int status, int opcode, int bytes, int immediate, int flags, int qp, int source) {

        Entry(long wrId, int status, int opcode, int bytes, int immediate, int flags, int qp) {
            this(wrId, status, opcode, bytes, immediate, flags, qp, 0);
        }

        void write(long to) {
            Native.clear(to, IbvWc.STRUCT.sizeBytes());
            Native.putLong(to + IbvWc.WR_ID, wrId);
            Native.putInt(to + IbvWc.STATUS, status);
            Native.putInt(to + IbvWc.OPCODE, opcode);
            Native.putInt(to + IbvWc.BYTE_LEN, bytes);
            Native.putInt(to + IbvWc.IMM_DATA, immediate);
            Native.putInt(to + IbvWc.QP_NUM, qp);
            Native.putInt(to + IbvWc.SRC_QP, source);
            Native.putInt(to + IbvWc.WC_FLAGS, flags);
        }
    }

    /** Where events of CQs arrive. */
    static final class Channel {
        final long address;
        final int fd;
        final ArrayDeque<Long> events = new ArrayDeque<>();

        Channel(long address, int fd) {
            this.address = address;
            this.fd = fd;
        }
    }

    /** A completion queue. */
    static final class Cq {
        final long address;
        final @Nullable Channel channel;
        final FakeMemory memory;
        final ArrayDeque<Entry> entries = new ArrayDeque<>();
        boolean armed;
        int unacknowledged;

        Cq(long address, int capacity, @Nullable Channel channel, FakeMemory memory) {
            this.address = address;
            this.channel = channel;
            this.memory = memory;
            Native.putInt(address + IbvCq.CQE, capacity);
        }

        void add(Entry entry) {
            entries.addLast(entry);
            if (armed && channel != null) {
                armed = false;
                channel.events.addLast(address);
                memory.signal(channel.fd);
            }
        }
    }

    /** Memory that a receive provides, or a Send gathers: the list of a request. */
    record Request(long wrId, int count, long[] addresses, int[] lengths, int[] keys) {

        int total() {
            int sum = 0;
            for (int length : lengths) {
                sum += length;
            }
            return sum;
        }
    }

    /** A Send, or a Write with immediate data, that found no receive. */
    record Waiting(Request request, byte[] data, int opcode, int flags, int immediate) {}

    /** A shared receive queue. */
    static final class Srq {
        final long address;
        final int capacity;
        final ArrayDeque<Request> receives = new ArrayDeque<>();
        int limit;

        Srq(long address, int capacity) {
            this.address = address;
            this.capacity = capacity;
        }
    }

    /** A queue pair. */
    static final class Qp {
        static final int ERR = 6;

        final long address;
        final int number;
        final Cq sendCq;
        final Cq receiveCq;
        final @Nullable Srq srq;
        final ArrayDeque<Request> receives;
        final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

        @Nullable
        Qp peer;

        /** Requests that were executed and whose answers are lost. */
        final ArrayDeque<Long> unanswered = new ArrayDeque<>();

        boolean losesAnswers;
        boolean datagrams;
        long domain;
        int access;

        Qp(long address, int number, Cq sendCq, Cq receiveCq, @Nullable Srq srq) {
            this.srq = srq;
            receives = srq == null ? new ArrayDeque<>() : srq.receives;
            this.address = address;
            this.number = number;
            this.sendCq = sendCq;
            this.receiveCq = receiveCq;
            Native.putInt(address + IbvQp.QP_NUM, number);
        }

        int state() {
            return Native.intAt(address + IbvQp.STATE);
        }

        void state(int value) {
            Native.putInt(address + IbvQp.STATE, value);
            if (value == ERR) {
                waiting.forEach(each -> sendCq.add(new Entry(each.request().wrId(), 5, 0, 0, 0, 0, number)));
                waiting.clear();
                if (srq == null) {
                    receives.forEach(each -> receiveCq.add(new Entry(each.wrId(), 5, 0, 0, 0, 0, number)));
                    receives.clear();
                }
            }
        }
    }
}
