package io.verbena.hardware.fake;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvRecvWr;
import io.verbena.hardware.abi.IbvSendWr;
import io.verbena.hardware.abi.IbvSge;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.fake.FakeQueues.Entry;
import io.verbena.hardware.fake.FakeQueues.Qp;
import io.verbena.hardware.fake.FakeQueues.Request;
import io.verbena.hardware.fake.FakeQueues.Waiting;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** How the fake adapter executes work: at once, in the call that posts it. */
final class FakeWork {

    private static final int SIGNALED = 2;
    private static final int INLINE = 8;
    static final int RTS = 3;

    private static final int SUCCESS = 0;
    private static final int LOCAL_LENGTH = 1;
    private static final int LOCAL_OPERATION = 2;
    private static final int LOCAL_PROTECTION = 4;
    private static final int BIND_FAILED = 6;
    private static final int REMOTE_INVALID_REQUEST = 9;
    private static final int WITH_IMMEDIATE = 2;
    private static final int FLUSHED = 5;
    private static final int ATOMIC = 8;
    private static final int QP_REQUEST_ERROR = 2;
    private static final int QP_ACCESS_ERROR = 3;
    private static final int REMOTE_ACCESS = 10;
    private static final int REMOTE_OPERATION = 11;
    private static final int RETRY_EXCEEDED = 12;
    private static final int RECEIVED = 128;
    private static final int GLOBAL_HEADER_BYTES = 40;
    private static final int GROUP = 0xff_ffff;

    private final FakeAdapter adapter;
    private final FakeCut cut;

    FakeWork(FakeAdapter adapter, FakeCut cut) {
        this.adapter = adapter;
        this.cut = cut;
    }

    long receive(Qp qp, long list, long bad) {
        for (long wr = list; wr != 0; wr = Native.longAt(wr + IbvRecvWr.NEXT)) {
            if (Native.intAt(wr + IbvRecvWr.NUM_SGE) == 0) {
                Native.putLong(bad, wr);
                return -Errno.EINVAL; // as siw does
            }
            qp.receives.addLast(request(wr));
            if (qp.state() == Qp.ERR) {
                qp.state(Qp.ERR);
            }
        }
        deliverWaiting(qp);
        return 0;
    }

    long receive(FakeQueues.Srq srq, long list, long bad) {
        for (long wr = list; wr != 0; wr = Native.longAt(wr + IbvRecvWr.NEXT)) {
            if (srq.receives.size() == srq.capacity) {
                Native.putLong(bad, wr);
                return Errno.ENOMEM;
            }
            srq.receives.addLast(request(wr));
        }
        adapter.users(srq).forEach(this::deliverWaiting);
        return 0;
    }

    private void deliverWaiting(Qp qp) {
        Qp sender = qp.peer;
        while (sender != null && !sender.waiting.isEmpty() && !qp.receives.isEmpty()) {
            deliver(sender, qp, sender.waiting.removeFirst());
        }
    }

    private static Request request(long wr) {
        int count = Native.intAt(wr + IbvSendWr.NUM_SGE);
        long[] addresses = new long[count];
        int[] lengths = new int[count];
        int[] keys = new int[count];
        for (int i = 0; i < count; i++) {
            long sge = Native.longAt(wr + IbvSendWr.SG_LIST) + (long) i * IbvSge.STRUCT.sizeBytes();
            addresses[i] = Native.longAt(sge + IbvSge.ADDR);
            lengths[i] = Native.intAt(sge + IbvSge.LENGTH);
            keys[i] = Native.intAt(sge + IbvSge.LKEY);
        }
        return new Request(Native.longAt(wr + IbvSendWr.WR_ID), count, addresses, lengths, keys);
    }

    long send(Qp qp, long list, long bad) {
        for (long wr = list; wr != 0; wr = Native.longAt(wr + IbvSendWr.NEXT)) {
            if (adapter.refusesSend()) {
                Native.putLong(bad, wr);
                return Errno.ENOMEM;
            }
            int opcode = Native.intAt(wr + IbvSendWr.OPCODE);
            if (adapter.devices().isSiw() && (opcode == 1 || opcode == 3 || opcode == 5 || opcode == 6)) {
                Native.putLong(bad, wr);
                return -Errno.EINVAL; // no immediate data, no atomics
            }
            if (qp.state() != Qp.ERR && qp.state() != RTS) {
                Native.putLong(bad, wr);
                return Errno.EINVAL;
            }
            execute(qp, wr);
        }
        return 0;
    }

    private void execute(Qp qp, long wr) {
        Request request = request(wr);
        int opcode = Native.intAt(wr + IbvSendWr.OPCODE);
        Qp peer = qp.datagrams && (opcode == 2 || opcode == 3)
                ? adapter.find(Native.intAt(wr + IbvSendWr.UD_REMOTE_QPN))
                : qp.peer;
        int flags = Native.intAt(wr + IbvSendWr.SEND_FLAGS);
        int forced = adapter.takeStatusOfNext();
        boolean group = qp.datagrams && Native.intAt(wr + IbvSendWr.UD_REMOTE_QPN) == GROUP;
        if (qp.state() == Qp.ERR) {
            FakeAdapter.completed(qp, request.wrId(), FLUSHED, 0, 0);
        } else if (forced != SUCCESS) {
            fail(qp, request, forced);
        } else if ((flags & INLINE) == 0 && !local(request)) {
            fail(qp, request, LOCAL_PROTECTION);
        } else if (group) {
            multicast(qp, wr, request, flags);
        } else if (peer == null) {
            fail(qp, request, RETRY_EXCEEDED);
        } else {
            FakeCut.Step step = qp.datagrams ? FakeCut.Step.ANSWERED : cut.next();
            if (step == FakeCut.Step.BROKEN) {
                cut.unanswered(qp, request.wrId());
                cut.breakPath(qp);
                return;
            }
            qp.losesAnswers = step == FakeCut.Step.EXECUTED;
            switch (opcode) {
                case 0 -> remote(qp, peer, wr, request, flags, 2, () -> Native.put(remote(wr), gather(request)));
                case 4 ->
                    remote(
                            qp,
                            peer,
                            wr,
                            request,
                            flags,
                            4,
                            () -> scatter(request, Native.bytes(remote(wr), request.total())));
                case 7 -> invalidate(qp, request, wr, flags);
                case 8 -> bound(qp, request.wrId(), flags, adapter.windows().bind(qp, wr));
                case 5, 6 -> remote(qp, peer, wr, request, flags, 8, () -> atomic(wr, request));
                default -> message(qp, peer, wr, request, flags);
            }
        }
    }

    private void invalidate(Qp qp, Request request, long wr, int flags) {
        if (adapter.windows().invalidate(Native.intAt(wr + IbvSendWr.INVALIDATE_RKEY))) {
            done(qp, request, flags, 6, 0);
        } else {
            fail(qp, request, LOCAL_OPERATION);
        }
    }

    /** The entry of a bind. */
    static void bound(Qp qp, long wrId, int flags, boolean done) {
        if (!done) {
            FakeAdapter.completed(qp, wrId, BIND_FAILED, 0, 0);
            qp.state(Qp.ERR);
        } else if ((flags & SIGNALED) != 0) {
            FakeAdapter.completed(qp, wrId, SUCCESS, 5, 0);
        }
    }

    private void message(Qp qp, Qp peer, long wr, Request request, int flags) {
        int opcode = Native.intAt(wr + IbvSendWr.OPCODE);
        if (opcode == 1) {
            Native.put(remote(wr), gather(request));
        }
        Waiting message = new Waiting(
                request,
                opcode == 1 ? new byte[0] : gather(request),
                opcode,
                flags,
                Native.intAt(wr + IbvSendWr.IMM_DATA));
        if (peer.receives.isEmpty()) {
            qp.waiting.addLast(message);
        } else {
            deliver(qp, peer, message);
        }
    }

    /** Members without a receive lose the datagram. */
    private void multicast(Qp qp, long wr, Request request, int flags) {
        for (Qp member : adapter.groups().members(Native.longAt(wr + IbvSendWr.UD_AH))) {
            if (!member.receives.isEmpty()) {
                byte[] data = arriving(member, gather(request));
                Request into = member.receives.removeFirst();
                scatter(into, data);
                member.receiveCq.add(
                        new Entry(into.wrId(), SUCCESS, RECEIVED, data.length, 0, 0, member.number, qp.number));
            }
        }
        done(qp, request, flags, 0, request.total());
    }

    /** Bytes of a global routing header are before each datagram. */
    private static byte[] arriving(Qp receiver, byte[] data) {
        if (!receiver.datagrams) {
            return data;
        }
        byte[] all = new byte[GLOBAL_HEADER_BYTES + data.length];
        System.arraycopy(data, 0, all, GLOBAL_HEADER_BYTES, data.length);
        return all;
    }

    private void deliver(Qp sender, Qp receiver, Waiting message) {
        boolean invalidate = message.opcode() == 9;
        if (invalidate && !adapter.windows().invalidate(message.immediate())) {
            adapter.failed(receiver);
            fail(sender, message.request(), REMOTE_INVALID_REQUEST);
            return;
        }
        Request into = receiver.receives.removeFirst();
        adapter.used(receiver.srq);
        byte[] arriving = arriving(receiver, message.data());
        if (into.total() < arriving.length) {
            receiver.receiveCq.add(new Entry(into.wrId(), LOCAL_LENGTH, 0, 0, 0, 0, receiver.number));
            adapter.failed(receiver);
            fail(sender, message.request(), REMOTE_INVALID_REQUEST);
            return;
        }
        if (!local(into)) {
            receiver.receiveCq.add(new Entry(into.wrId(), LOCAL_PROTECTION, 0, 0, 0, 0, receiver.number));
            adapter.failed(receiver);
            fail(sender, message.request(), REMOTE_OPERATION);
            return;
        }
        scatter(into, arriving);
        boolean immediate = message.opcode() == 1 || message.opcode() == 3 || invalidate;
        int bytes = message.opcode() == 1 ? message.request().total() : message.data().length;
        receiver.receiveCq.add(new Entry(
                into.wrId(),
                SUCCESS,
                message.opcode() == 1 ? RECEIVED + 1 : RECEIVED,
                message.opcode() == 1 ? bytes : arriving.length,
                immediate ? message.immediate() : 0,
                invalidate ? adapter.devices().invalidateFlag() : immediate ? WITH_IMMEDIATE : 0,
                receiver.number,
                sender.number));
        done(sender, message.request(), message.flags(), 0, bytes);
    }

    /** Access by a key of the peer. */
    private void remote(Qp qp, Qp peer, long wr, Request request, int flags, int right, Runnable access) {
        boolean atomic = right == ATOMIC;
        int key = Native.intAt(wr + (atomic ? IbvSendWr.ATOMIC_RKEY : IbvSendWr.RDMA_RKEY));
        int status = refusal(peer, key, remote(wr), request.total(), right);
        if (status != SUCCESS) {
            fail(qp, request, status);
            adapter.failed(peer);
            adapter.raise(status == REMOTE_ACCESS ? QP_ACCESS_ERROR : QP_REQUEST_ERROR, peer.address);
            return;
        }
        access.run();
        done(qp, request, flags, atomic ? 3 : right == 4 ? 2 : 1, request.total());
    }

    /** Why a queue pair refuses an access to its memory. No bytes need no key. */
    private int refusal(Qp at, int key, long address, long length, int right) {
        if ((at.access & right) != right || right == ATOMIC && address % Long.BYTES != 0) {
            return REMOTE_INVALID_REQUEST;
        }
        long[] region = adapter.regions().get(key);
        boolean permitted = length == 0
                || region != null && region[3] == at.domain && granted(key, address, length, right)
                || adapter.windows().granted(key, address, length, right, at);
        return permitted ? SUCCESS : REMOTE_ACCESS;
    }

    private static void atomic(long wr, Request request) {
        long address = remote(wr);
        long old = Native.longAt(address);
        long operand = Native.longAt(wr + IbvSendWr.ATOMIC_COMPARE_ADD);
        if (Native.intAt(wr + IbvSendWr.OPCODE) == 6) {
            Native.putLong(address, old + operand);
        } else if (old == operand) {
            Native.putLong(address, Native.longAt(wr + IbvSendWr.ATOMIC_SWAP));
        }
        scatter(
                request,
                ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.nativeOrder())
                        .putLong(old)
                        .array());
    }

    private void done(Qp qp, Request request, int flags, int opcode, int bytes) {
        if (qp.losesAnswers) {
            cut.unanswered(qp, request.wrId());
        } else if ((flags & SIGNALED) != 0) {
            FakeAdapter.completed(qp, request.wrId(), SUCCESS, opcode, bytes);
        }
    }

    private static void fail(Qp qp, Request request, int status) {
        FakeAdapter.completed(qp, request.wrId(), status, 0, 0);
        qp.state(Qp.ERR);
    }

    private boolean local(Request request) {
        for (int i = 0; i < request.count(); i++) {
            if (!granted(request.keys()[i], request.addresses()[i], request.lengths()[i], 0)) {
                return false;
            }
        }
        return true;
    }

    private boolean granted(int key, long address, long length, int right) {
        long[] region = adapter.regions().get(key);
        return region != null
                && address >= region[0]
                && address + length <= region[0] + region[1]
                && (region[2] & right) == right;
    }

    private static long remote(long wr) {
        return Native.longAt(wr + IbvSendWr.RDMA_REMOTE_ADDR);
    }

    private static byte[] gather(Request request) {
        ByteBuffer all = ByteBuffer.allocate(request.total());
        for (int i = 0; i < request.count(); i++) {
            all.put(Native.bytes(request.addresses()[i], request.lengths()[i]));
        }
        return all.array();
    }

    private static void scatter(Request request, byte[] data) {
        int at = 0;
        for (int i = 0; i < request.count() && at < data.length; i++) {
            int part = Math.min(request.lengths()[i], data.length - at);
            Native.put(request.addresses()[i], java.util.Arrays.copyOfRange(data, at, at + part));
            at += part;
        }
    }
}
