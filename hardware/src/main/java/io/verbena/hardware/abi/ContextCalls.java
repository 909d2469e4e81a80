package io.verbena.hardware.abi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.VerbsException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls of the data path, for one ibv_context. They allocate nothing, and report an errno as a value.
 *
 * <p>Only {@code poll_cq} may be called without the transition of the thread ({@link Linker.Option#critical}), because it neither waits
 * nor enters the kernel. That option ends the JVM if the function is Java itself, as in the fake library of the tests, so
 * that it is a choice of the caller.
 */
public final class ContextCalls {

    private static final Linker LINKER = Linker.nativeLinker();

    /** int poll_cq(cq, count, wc). */
    private static final FunctionDescriptor POLL = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);

    private static final MethodHandle POLL_CQ = LINKER.downcallHandle(POLL);
    private static final MethodHandle POLL_CQ_CRITICAL = LINKER.downcallHandle(POLL, Linker.Option.critical(false));

    /** int req_notify_cq(cq, solicited only), and modify_cq(cq, attributes) with a pointer. */
    private static final MethodHandle REQ_NOTIFY_CQ =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    private static final MethodHandle MODIFY_CQ =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    /** int post(queue, list, bad). */
    private static final MethodHandle POST =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /** int query_port(context, port, attributes, size). */
    private static final MethodHandle QUERY_PORT =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));

    /** ibv_mw *alloc_mw(domain, type), int bind_mw(queue pair, window, bind), int dealloc_mw(window). */
    private static final MethodHandle ALLOC_MW =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT));

    private static final MethodHandle DEALLOC_MW = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

    private final long context;
    private final boolean critical;
    private final MemorySegment pollCq;
    private final MemorySegment reqNotifyCq;
    private final MemorySegment postSend;
    private final MemorySegment postRecv;
    private final MemorySegment postSrqRecv;

    /**
     * Reads the pointers of a context.
     *
     * @param critical whether the functions are native code, so that polling may skip the transition of the thread
     * @throws VerbsException if the context has an unknown layout
     */
    public ContextCalls(long context, boolean critical) {
        this.context = context;
        this.critical = critical;
        pollCq = pointer(ContextOp.POLL_CQ);
        reqNotifyCq = pointer(ContextOp.REQ_NOTIFY_CQ);
        postSend = pointer(ContextOp.POST_SEND);
        postRecv = pointer(ContextOp.POST_RECV);
        postSrqRecv = pointer(ContextOp.POST_SRQ_RECV);
        pointer(ContextOp.QUERY_PORT);
    }

    private MemorySegment pointer(ContextOp op) {
        if (!op.present(context)) {
            throw new VerbsException("The layout of the open device is unknown: abi_compat is "
                    + Long.toHexString(Native.longAt(context + IbvContext.ABI_COMPAT))
                    + " and " + op.name().toLowerCase(java.util.Locale.ROOT)
                    + " is missing. Verbena knows rdma-core 44 to 65; install one of these versions.");
        }
        return MemorySegment.ofAddress(Native.longAt(context + op.distance()));
    }

    /** Moves up to {@code count} entries to memory; returns their number, negative for an error. */
    public int pollCq(long cq, int count, long entries) {
        try {
            return critical
                    ? (int) POLL_CQ_CRITICAL.invokeExact(pollCq, cq, count, entries)
                    : (int) POLL_CQ.invokeExact(pollCq, cq, count, entries);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Requests the next event of a CQ; returns 0 or an errno. */
    public int reqNotifyCq(long cq, boolean solicitedOnly) {
        try {
            return Math.abs((int) REQ_NOTIFY_CQ.invokeExact(reqNotifyCq, cq, solicitedOnly ? 1 : 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Posts a list of ibv_send_wr; returns 0 or an errno. {@code bad} receives the address of the first that was not posted. */
    public int postSend(long queuePair, long list, long bad) {
        return post(postSend, queuePair, list, bad);
    }

    /** Posts a list of ibv_recv_wr to a queue pair. */
    public int postRecv(long queuePair, long list, long bad) {
        return post(postRecv, queuePair, list, bad);
    }

    /** Posts a list of ibv_recv_wr to an SRQ. */
    public int postSrqRecv(long srq, long list, long bad) {
        return post(postSrqRecv, srq, list, bad);
    }

    /** Allocates a memory window; returns its ibv_mw, or 0 if the adapter has none. */
    public long allocMw(long domain, int type) {
        try {
            return (long) ALLOC_MW.invokeExact(pointer(ContextOp.ALLOC_MW), domain, type);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Posts a bind of a window of type 1 by an ibv_mw_bind; returns 0 or an errno. */
    public int bindMw(long queuePair, long window, long bind) {
        return post(pointer(ContextOp.BIND_MW), queuePair, window, bind);
    }

    /** Frees a window, bound or not; returns 0 or an errno. */
    public int deallocMw(long window) {
        try {
            return Math.abs((int) DEALLOC_MW.invokeExact(pointer(ContextOp.DEALLOC_MW), window));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static int post(MemorySegment function, long queue, long list, long bad) {
        try {
            return Math.abs((int) POST.invokeExact(function, queue, list, bad));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Fills an ibv_port_attr of {@link IbvPortAttr#STRUCT}; returns 0 or an errno. Older libraries fill less. */
    public int queryPort(int port, long attributes) {
        Native.clear(attributes, IbvPortAttr.STRUCT.sizeBytes());
        try {
            return Math.abs((int) QUERY_PORT.invokeExact(
                    pointer(ContextOp.QUERY_PORT), context, port, attributes, (long) IbvPortAttr.STRUCT.sizeBytes()));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Changes the moderation of a CQ by an ibv_modify_cq_attr; returns 0 or an errno. */
    public int modifyCq(long cq, long attributes) {
        if (!ContextOp.MODIFY_CQ.present(context)) {
            return Errno.EOPNOTSUPP;
        }
        try {
            return Math.abs((int) MODIFY_CQ.invokeExact(pointer(ContextOp.MODIFY_CQ), cq, attributes));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof RuntimeException runtime) {
            throw runtime;
        }
        if (e instanceof Error error) {
            throw error;
        }
        throw new AssertionError("a downcall throws no checked exception", e);
    }
}
