package io.verbena.hardware.fake;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.hardware.abi.ContextOp;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvCompChannel;
import io.verbena.hardware.abi.IbvContext;
import io.verbena.hardware.abi.IbvCq;
import io.verbena.hardware.abi.IbvMr;
import io.verbena.hardware.abi.IbvPd;
import io.verbena.hardware.abi.IbvQp;
import io.verbena.hardware.abi.IbvQpAttr;
import io.verbena.hardware.abi.IbvQpCap;
import io.verbena.hardware.abi.IbvQpInitAttr;
import io.verbena.hardware.abi.IbvSrq;
import io.verbena.hardware.abi.IbvSrqAttr;
import io.verbena.hardware.abi.IbvSrqInitAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.SystemCalls;
import io.verbena.hardware.fake.FakeQueues.Channel;
import io.verbena.hardware.fake.FakeQueues.Cq;
import io.verbena.hardware.fake.FakeQueues.Entry;
import io.verbena.hardware.fake.FakeQueues.Qp;
import io.verbena.hardware.fake.FakeQueues.Srq;
import java.lang.foreign.FunctionDescriptor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An adapter in memory, with one port of RoCE: the structures are native, what happens between them is Java. */
public final class FakeAdapter {

    /** Bytes before the ibv_context: those of version 44. */
    private static final int AROUND = 320;

    private static final int INLINE_BYTES = 32;
    private static final int LARGEST_INLINE = 512;
    private static final int SRQ_LIMIT_REACHED = 15;
    private static final int LAST_WQE_REACHED = 16;
    private static final int ACCESS = 8;
    private static final int DATAGRAMS = 4;
    private static final int DEST_QPN = 0x100000;

    private final FakeLibrary library;
    private final FakeMemory memory;
    private final FakeDevices devices;
    private final long device;
    private final FakeEvents events;
    private final Map<Long, Cq> cqs = new HashMap<>();
    private final Map<Long, Channel> channels = new HashMap<>();
    private final Map<Long, Qp> qps = new HashMap<>();
    private final Map<Long, Srq> srqs = new HashMap<>();
    private final FakeWindows windows = new FakeWindows(this);
    private final FakeGroups groups = new FakeGroups();
    private final Map<Integer, long[]> regions = new HashMap<>();
    private final Map<Long, Integer> objects = new HashMap<>();
    private final Map<Long, Long> domains = new HashMap<>();
    private int lastKey = 0x100;
    private int sendsUntilRefusal = Integer.MAX_VALUE;
    private int statusOfNext;
    private int lastNumber = 16;
    private boolean nativeDataPath;
    private int knownBytes = AROUND + IbvContext.STRUCT.sizeBytes();

    FakeAdapter(FakeLibrary library, FakeMemory memory) {
        this.library = library;
        this.memory = memory;
        devices = new FakeDevices(memory);
        events = new FakeEvents(memory);
        device = devices.add("fake0", true);
    }

    /** Another device is in the machine. */
    public void add(String name, boolean active) {
        devices.add(name, active);
    }

    /** The device is siw. */
    void siw() {
        devices.siw(device);
    }

    /** The device is rxe. */
    void rxe() {
        devices.rxe();
    }

    FakeDevices devices() {
        return devices;
    }

    /** The adapter is not in the machine. */
    public void remove() {
        devices.remove();
    }

    /** The library is of another version, whose structure around a context has this size. */
    public void knownBytes(int value) {
        knownBytes = value;
    }

    /** Objects that were made and not destroyed. */
    public int objects() {
        synchronized (library) {
            return objects.size();
        }
    }

    /** Has a function of libc post and poll. {@code atoi} of a queue is 0, because its memory does not begin with a digit. */
    private static void dataPathOf(long context, String function) {
        long address = java.lang.foreign.Linker.nativeLinker()
                .defaultLookup()
                .findOrThrow(function)
                .address();
        for (ContextOp op : new ContextOp[] {ContextOp.POLL_CQ, ContextOp.POST_SEND, ContextOp.POST_RECV}) {
            Native.putLong(context + op.distance(), address);
        }
    }

    /** Contexts that are opened later have native functions on the data path, which do nothing and allocate nothing. */
    public void nativeDataPath() {
        nativeDataPath = true;
    }

    /** Raises an asynchronous event about an object, or a port. */
    public void raise(int type, long element) {
        synchronized (library) {
            Long domain = cqs.containsKey(element) ? Long.valueOf(element) : domains.get(element);
            events.raise(type, element, domain == null ? 0 : Native.longAt(domain));
        }
    }

    /** The ibv_qp with a number. */
    public long queuePair(int number) {
        synchronized (library) {
            return byNumber(number).address;
        }
    }

    @Nullable
    Qp find(int number) {
        return qps.values().stream()
                .filter(each -> each.number == number)
                .findFirst()
                .orElse(null);
    }

    Qp byNumber(int number) {
        return qps.values().stream()
                .filter(each -> each.number == number)
                .findFirst()
                .orElseThrow();
    }

    /** Connects two queue pairs by their numbers. */
    void connect(int number, int other) {
        Qp one = byNumber(number);
        Qp two = byNumber(other);
        one.peer = two;
        two.peer = one;
        one.state(FakeWork.RTS);
        two.state(FakeWork.RTS);
    }

    long device() {
        return device;
    }

    FakeWindows windows() {
        return windows;
    }

    FakeGroups groups() {
        return groups;
    }

    /** The queue pairs with this SRQ. */
    List<Qp> users(Srq srq) {
        return qps.values().stream().filter(each -> each.srq == srq).toList();
    }

    /** A queue pair fails by itself; its program sees that of one with an SRQ by an event. */
    void failed(Qp qp) {
        qp.state(Qp.ERR);
        if (qp.srq != null) {
            raise(LAST_WQE_REACHED, qp.address);
        }
    }

    /** A receive of an SRQ was used. */
    void used(@Nullable Srq srq) {
        if (srq != null && srq.receives.size() < srq.limit) {
            srq.limit = 0;
            raise(SRQ_LIMIT_REACHED, srq.address);
        }
    }

    Map<Integer, long[]> regions() {
        return regions;
    }

    FakeMemory memory() {
        return memory;
    }

    void install(Map<NativeFunction, FakeLibrary.Behaviour> table) {
        installDevices(table);
        installObjects(table);
        installSharedQueues(table);
        installQueuePairs(table);
    }

    private void installDevices(Map<NativeFunction, FakeLibrary.Behaviour> table) {
        table.put(NativeFunction.GET_DEVICE_LIST, it -> devices.list(it[0]));
        table.put(NativeFunction.FREE_DEVICE_LIST, _ -> 0);
        table.put(NativeFunction.OPEN_DEVICE, it -> register(newContext(it[0])));
        table.put(NativeFunction.CLOSE_DEVICE, it -> {
            events.close(it[0]);
            return gone(it[0]);
        });
        table.put(NativeFunction.QUERY_DEVICE, it -> {
            devices.writeLimits(it[1]);
            return 0;
        });
        table.put(NativeFunction.QUERY_PKEY, it -> {
            Native.putShort(it[3], 0xffff);
            return 0;
        });
        table.put(NativeFunction.QUERY_GID_TABLE, it -> FakeDevices.gids(it[1]));
        table.put(NativeFunction.GET_ASYNC_EVENT, it -> events.take(it[0], it[1]));
        table.put(NativeFunction.ACK_ASYNC_EVENT, _ -> 0);
    }

    long newContext() {
        return newContext(device);
    }

    private long newContext(long of) {
        long context = memory.allocate(AROUND + (long) IbvContext.STRUCT.sizeBytes()) + AROUND;
        Native.putLong(context + IbvContext.DEVICE, of);
        events.open(context);
        Native.putInt(context + IbvContext.NUM_COMP_VECTORS, 2);
        Native.putLong(context + IbvContext.ABI_COMPAT, -1);
        Native.putLong(context - 8, knownBytes);
        FunctionDescriptor post = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        FakeWork work = new FakeWork(this, library.cut());
        op(
                context,
                ContextOp.POLL_CQ,
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG),
                it -> poll(Objects.requireNonNull(cqs.get(it[0])), (int) it[1], it[2]));
        op(context, ContextOp.REQ_NOTIFY_CQ, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT), it -> {
            Objects.requireNonNull(cqs.get(it[0])).armed = true;
            return 0;
        });
        op(context, ContextOp.POST_SEND, post, it -> work.send(Objects.requireNonNull(qps.get(it[0])), it[1], it[2]));
        op(
                context,
                ContextOp.POST_RECV,
                post,
                it -> work.receive(Objects.requireNonNull(qps.get(it[0])), it[1], it[2]));
        op(
                context,
                ContextOp.POST_SRQ_RECV,
                post,
                it -> work.receive(Objects.requireNonNull(srqs.get(it[0])), it[1], it[2]));
        op(
                context,
                ContextOp.ALLOC_MW,
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT),
                it -> inDomain(windows.allocate((int) it[1]), it[0]));
        op(context, ContextOp.DEALLOC_MW, FunctionDescriptor.of(JAVA_INT, JAVA_LONG), it -> windows.free(it[0]));
        op(
                context,
                ContextOp.BIND_MW,
                post,
                it -> windows.bindType1(Objects.requireNonNull(qps.get(it[0])), it[1], it[2]));
        op(
                context,
                ContextOp.QUERY_PORT,
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG),
                it -> devices.queryPort(of, it[2]));
        if (nativeDataPath) {
            dataPathOf(context, "atoi");
        }
        return context;
    }

    private void op(long context, ContextOp op, FunctionDescriptor type, FakeLibrary.Behaviour behaviour) {
        Native.putLong(
                context + op.distance(),
                library.stub(type, it -> {
                            synchronized (library) {
                                return behaviour.call(it);
                            }
                        })
                        .address());
    }

    private static long poll(Cq cq, int most, long to) {
        int count = 0;
        while (count < most && !cq.entries.isEmpty()) {
            cq.entries.removeFirst().write(to + (long) count++ * 48);
        }
        return count;
    }

    private void installObjects(Map<NativeFunction, FakeLibrary.Behaviour> table) {
        table.put(NativeFunction.ALLOC_PD, it -> register(withContext(memory.allocate(IbvPd.STRUCT), it[0])));
        table.put(NativeFunction.DEALLOC_PD, it -> {
            if (domains.containsValue(it[0])) {
                throw new FakeFailure(Errno.EBUSY);
            }
            return gone(it[0]);
        });
        table.put(NativeFunction.REG_MR, it -> {
            long mr = memory.allocate(IbvMr.STRUCT);
            int key = ++lastKey;
            regions.put(key, new long[] {it[1], it[2], it[4], it[0]});
            Native.putInt(mr + IbvMr.LKEY, key);
            Native.putInt(mr + IbvMr.RKEY, key);
            return inDomain(register(mr), it[0]);
        });
        table.put(NativeFunction.DEREG_MR, it -> {
            if (windows.holds(it[0])) {
                throw new FakeFailure(Errno.EINVAL);
            }
            regions.remove(Native.intAt(it[0] + IbvMr.LKEY));
            return gone(it[0]);
        });
        table.put(NativeFunction.CREATE_COMP_CHANNEL, _ -> {
            long channel = memory.allocate(IbvCompChannel.STRUCT);
            int fd = SystemCalls.eventfd();
            Native.putInt(channel + IbvCompChannel.FD, fd);
            channels.put(channel, new Channel(channel, fd));
            return register(channel);
        });
        table.put(NativeFunction.DESTROY_COMP_CHANNEL, it -> {
            SystemCalls.close(Objects.requireNonNull(channels.remove(it[0])).fd);
            return gone(it[0]);
        });
        table.put(NativeFunction.CREATE_CQ, it -> {
            long cq = withContext(memory.allocate(IbvCq.STRUCT), it[0]);
            cqs.put(cq, new Cq(cq, (int) it[1], channels.get(it[3]), memory));
            return register(cq);
        });
        table.put(NativeFunction.RESIZE_CQ, it -> {
            Native.putInt(it[0] + IbvCq.CQE, (int) it[1]);
            return 0;
        });
        table.put(NativeFunction.DESTROY_CQ, it -> {
            Cq cq = Objects.requireNonNull(cqs.remove(it[0]));
            if (cq.channel != null) {
                cq.channel.events.remove(it[0]); // those that no program has taken are gone
            }
            if (cq.unacknowledged != 0) {
                throw new AssertionError(
                        "ibv_destroy_cq would wait indefinitely for events that were not acknowledged");
            }
            return gone(it[0]);
        });
        table.put(NativeFunction.GET_CQ_EVENT, it -> {
            Channel channel = Objects.requireNonNull(channels.get(it[0]));
            Long cq = channel.events.pollFirst();
            if (cq == null) {
                memory.quiet(channel.fd);
                throw new FakeFailure(Errno.EAGAIN);
            }
            Native.putLong(it[1], cq);
            Objects.requireNonNull(cqs.get(cq)).unacknowledged++;
            return 0;
        });
        table.put(NativeFunction.ACK_CQ_EVENTS, it -> {
            Objects.requireNonNull(cqs.get(it[0])).unacknowledged -= (int) it[1];
            return 0;
        });
        table.put(NativeFunction.CREATE_AH, it -> {
            FakeDevices.checkAddress(it[1]);
            return inDomain(register(groups.newHandle(memory.allocate(24), it[1])), it[0]);
        });
        table.put(NativeFunction.DESTROY_AH, it -> gone(it[0]));
    }

    private void installSharedQueues(Map<NativeFunction, FakeLibrary.Behaviour> table) {
        table.put(NativeFunction.CREATE_SRQ, it -> {
            long srq = memory.allocate(IbvSrq.STRUCT);
            srqs.put(srq, new Srq(srq, Native.intAt(it[1] + IbvSrqInitAttr.ATTR + IbvSrqAttr.MAX_WR)));
            return inDomain(register(srq), it[0]);
        });
        table.put(NativeFunction.MODIFY_SRQ, it -> {
            Srq srq = Objects.requireNonNull(srqs.get(it[0]));
            srq.limit = Native.intAt(it[1] + IbvSrqAttr.SRQ_LIMIT);
            return 0;
        });
        table.put(NativeFunction.DESTROY_SRQ, it -> {
            if (!users(Objects.requireNonNull(srqs.get(it[0]))).isEmpty()) {
                throw new FakeFailure(Errno.EBUSY);
            }
            srqs.remove(it[0]);
            return gone(it[0]);
        });
    }

    private void installQueuePairs(Map<NativeFunction, FakeLibrary.Behaviour> table) {
        table.put(NativeFunction.CREATE_QP, it -> {
            long inline = it[1] + IbvQpInitAttr.CAP + IbvQpCap.MAX_INLINE_DATA;
            if (Native.intAt(inline) > LARGEST_INLINE) {
                throw new FakeFailure(Errno.EINVAL);
            }
            Native.putInt(inline, Math.min(INLINE_BYTES, Native.intAt(inline)));
            long qp = memory.allocate(IbvQp.STRUCT);
            Cq send = Objects.requireNonNull(cqs.get(Native.longAt(it[1] + IbvQpInitAttr.SEND_CQ)));
            Cq receive = Objects.requireNonNull(cqs.get(Native.longAt(it[1] + IbvQpInitAttr.RECV_CQ)));
            Srq srq = srqs.get(Native.longAt(it[1] + IbvQpInitAttr.SRQ));
            Qp created = new Qp(qp, ++lastNumber, send, receive, srq);
            created.domain = it[0];
            created.datagrams = Native.intAt(it[1] + IbvQpInitAttr.QP_TYPE) == DATAGRAMS;
            qps.put(qp, created);
            return inDomain(register(qp), it[0]);
        });
        table.put(NativeFunction.MODIFY_QP, it -> {
            Qp qp = Objects.requireNonNull(qps.get(it[0]));
            if ((it[2] & DEST_QPN) != 0) {
                qp.peer = byNumber(Native.intAt(it[1] + IbvQpAttr.DEST_QP_NUM));
            }
            if ((it[2] & ACCESS) != 0) {
                qp.access = Native.intAt(it[1] + IbvQpAttr.QP_ACCESS_FLAGS);
            }
            if ((it[2] & 1) != 0) {
                qp.state(Native.intAt(it[1] + IbvQpAttr.QP_STATE));
            }
            return 0;
        });
        table.put(NativeFunction.ATTACH_MCAST, it -> groups.attach(Objects.requireNonNull(qps.get(it[0])), it[1]));
        table.put(NativeFunction.DETACH_MCAST, it -> groups.detach(Objects.requireNonNull(qps.get(it[0])), it[1]));
        table.put(NativeFunction.DESTROY_QP, it -> {
            groups.checkNone(Objects.requireNonNull(qps.get(it[0])));
            Qp qp = Objects.requireNonNull(qps.remove(it[0]));
            if (windows.boundAt(qp)) {
                throw new AssertionError("rxe would take 50 s to destroy a queue pair with a bound window of type 2");
            }
            qps.values().stream().filter(each -> each.peer == qp).forEach(each -> each.peer = null);
            return gone(it[0]);
        });
    }

    private static long withContext(long object, long context) {
        Native.putLong(object, context);
        return object;
    }

    long register(long object) {
        objects.put(object, 1);
        return object;
    }

    private long inDomain(long object, long pd) {
        domains.put(object, pd);
        return object;
    }

    long gone(long object) {
        domains.remove(object);
        if (objects.remove(object) == null) {
            throw new AssertionError("an object was destroyed twice");
        }
        return 0;
    }

    /** Send requests are refused after this many more. */
    public void refuseSendsAfter(int accepted) {
        sendsUntilRefusal = accepted;
    }

    /** The next request completes with this status, as the peer or the network would cause it. */
    public void failNextRequest(int status) {
        statusOfNext = status;
    }

    int takeStatusOfNext() {
        int status = statusOfNext;
        statusOfNext = 0;
        return status;
    }

    boolean refusesSend() {
        return sendsUntilRefusal-- <= 0;
    }

    /** A completion of the send queue. */
    static void completed(Qp qp, long wrId, int status, int opcode, int bytes) {
        qp.sendCq.add(new Entry(wrId, status, opcode, bytes, 0, 0, qp.number));
    }
}
