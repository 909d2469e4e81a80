package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvQpAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The state of a queue pair, as this side has moved it. The adapter is not asked: on iWARP its answer is wrong.
 *
 * <p>The masks of ibv_modify_qp are those that the specification requires for each transition (InfiniBand architecture, volume 1,
 * section 11.2.5.2).
 */
final class QueuePairStates {

    private static final int RESET = 0;
    private static final int INIT = 1;
    private static final int RTR = 2;
    private static final int RTS = 3;
    private static final int SQD = 4;
    private static final int ERR = 6;

    private static final int MASK_STATE = 1;
    private static final int MASK_QKEY = 0x40;
    private static final int MASK_ACCESS = 8;
    private static final int MASK_INIT_CONNECTED = 0x39;
    private static final int MASK_INIT_DATAGRAM = 0x71;
    private static final int MASK_RTR_RC = 0x129181;
    private static final int MASK_RTR_UC = 0x101181;
    private static final int MASK_RTS_RC = 0x12e01;
    private static final int MASK_RTS_OTHER = 0x10001;

    /** Bits that rdma_init_qp_attr sets and ibv_modify_qp of newer libraries refuses. */
    private static final int MASK_KNOWN = 0x1fffff;

    private static final int MTU_256_SHIFT = 7;

    /** The Q_Key of librdmacm, RDMA_UDP_QKEY of the Linux kernel. */
    static final int DEFAULT_QKEY = 0x01234567;

    private static final double TIMEOUT_UNIT_NS = 4096;
    private static final int MOST_TIMEOUT = 31;
    private static final int RNR_TIMER_640_US = 12;

    private final HardwareQueuePair queuePair;
    private final boolean iwarp;
    private final TransportService service;
    private volatile QueuePairState state;
    private volatile Set<AccessRight> rights =
            Set.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);

    /** By hand: what the changes so far have stated; the adapter needs parts of the path at two transitions. */
    private volatile Optional<PathAttributes> path = Optional.empty();

    private volatile int remoteNumber;
    private volatile int qkey = DEFAULT_QKEY;
    private volatile int inboundReads;
    private volatile int outboundReads;

    QueuePairStates(HardwareQueuePair queuePair) {
        this.queuePair = queuePair;
        AdapterFacts facts = queuePair.domain().rnic().facts();
        iwarp = facts.iwarp();
        service = queuePair.options().service();
        state = iwarp ? IwarpQueuePairState.IDLE : InfinibandQueuePairState.RESET;
        inboundReads = Math.min(queuePair.options().inboundReads(), facts.limit(AdapterFacts.Limit.MAX_QP_RD_ATOM));
        outboundReads =
                Math.min(queuePair.options().outboundReads(), facts.limit(AdapterFacts.Limit.MAX_QP_INIT_RD_ATOM));
    }

    QueuePairState state() {
        return state;
    }

    Set<AccessRight> rights() {
        return rights;
    }

    /** Reads and atomics that the peer may have outstanding, at most what the adapter can serve. */
    int inboundReads() {
        return inboundReads;
    }

    int outboundReads() {
        return outboundReads;
    }

    /** The path that the program has stated; empty if a connection manager has. */
    Optional<PathAttributes> path() {
        return path;
    }

    /** The Q_Key that datagrams for this queue pair must have; empty while it receives none. */
    OptionalInt qkey() {
        boolean receives = state == InfinibandQueuePairState.RTR || state.maySend();
        return receives ? OptionalInt.of(qkey) : OptionalInt.empty();
    }

    /** Number of the queue pair of the peer, if the program has stated it. */
    int remoteNumber() {
        return remoteNumber;
    }

    /** The smaller numbers of both sides: each serves what the other can have outstanding. */
    void agree(CmEvent.Terms ofPeer) {
        if (iwarp) {
            return; // the kernel agrees on them
        }
        inboundReads = Math.min(inboundReads, ofPeer.outboundReads());
        outboundReads = Math.min(outboundReads, ofPeer.inboundReads());
    }

    private RdmaLibraries libraries() {
        return queuePair.domain().libraries();
    }

    /** From RESET to INIT, where receives can be posted. */
    void begin() {
        begin(DEFAULT_QKEY);
    }

    private void begin(int wanted) {
        initialize(wanted);
        qkey = wanted;
        if (!iwarp) {
            state = InfinibandQueuePairState.INIT;
        }
    }

    private void initialize(int wanted) {
        try (Arena arena = Arena.ofConfined()) {
            long attributes = attributes(arena, INIT);
            Native.putInt(attributes + IbvQpAttr.QP_ACCESS_FLAGS, access());
            Native.putByte(
                    attributes + IbvQpAttr.PORT_NUM,
                    queuePair.domain().rnic().facts().port());
            Native.putInt(attributes + IbvQpAttr.QKEY, wanted);
            modify(
                    attributes,
                    iwarp
                            ? MASK_STATE | MASK_ACCESS
                            : queuePair.datagrams() ? MASK_INIT_DATAGRAM : MASK_INIT_CONNECTED);
        }
    }

    private int access() {
        return HardwareRegion.bits(rights, false);
    }

    private static long attributes(Arena arena, int nativeState) {
        long attributes = arena.allocate(IbvQpAttr.STRUCT.sizeBytes(), 8).address();
        Native.putInt(attributes + IbvQpAttr.QP_STATE, nativeState);
        return attributes;
    }

    private void modify(long attributes, int mask) {
        libraries().call(NativeFunction.MODIFY_QP, queuePair.qp(), attributes, mask);
    }

    // Connections.

    /**
     * The attributes that the connection manager knows bring the queue pair to RTR, where the peer's messages arrive.
     *
     * @throws VerbsException if the queue pair has failed or is closed. The thread of a connection may come here while another one
     *     closes the queue pair, and the kernel refuses to destroy a queue pair that is being modified: so both are under the lock
     */
    synchronized void readyToReceive(long id) {
        checkUsable();
        if (!iwarp) {
            transition(id, RTR);
            state = InfinibandQueuePairState.RTR;
        }
    }

    /** The same, to RTS. On iWARP the kernel makes this transition. */
    synchronized void readyToSend(long id) {
        checkUsable();
        if (!iwarp) {
            transition(id, RTS);
        }
        state = iwarp ? IwarpQueuePairState.RTS : InfinibandQueuePairState.RTS;
    }

    // The native queue pairs of a connection that survives its transport; what the program sees remains.

    /** The native queue pair executes nothing more. */
    synchronized void fence() {
        endNative();
    }

    private void endNative() {
        if (queuePair.nativeQueuePair().exists()) {
            try (Arena arena = Arena.ofConfined()) {
                int _ = libraries()
                        .attempt(NativeFunction.MODIFY_QP, queuePair.qp(), attributes(arena, ERR), MASK_STATE);
            }
        }
    }

    /**
     * Another native queue pair can receive.
     *
     * @throws VerbsException if the queue pair has failed or is closed
     */
    synchronized void beginAgain() {
        checkUsable();
        initialize(qkey);
    }

    /** It is connected, by what the connection manager knows; on iWARP the kernel does that. */
    synchronized void connectAgain(long id) {
        checkUsable();
        if (!iwarp) {
            transition(id, RTR);
            transition(id, RTS);
        }
    }

    private void checkUsable() {
        if (state.failed()) {
            throw new VerbsException("the queue pair has failed or was closed");
        }
    }

    /** For a test without a peer. */
    void assumeConnected() {
        state = InfinibandQueuePairState.RTS;
    }

    private void transition(long id, int nativeState) {
        try (Arena arena = Arena.ofConfined()) {
            long attributes = attributes(arena, nativeState);
            long mask = arena.allocate(Integer.BYTES, 8).address();
            libraries().call(NativeFunction.INIT_QP_ATTR, id, attributes, mask);
            if (nativeState == RTR) {
                Native.putByte(attributes + IbvQpAttr.MAX_DEST_RD_ATOMIC, inboundReads);
                Native.putByte(attributes + IbvQpAttr.MIN_RNR_TIMER, RNR_TIMER_640_US);
            }
            modify(attributes, Native.intAt(mask) & MASK_KNOWN);
        }
    }

    /** Work of the queue pair has failed, or its connection has ended: the adapter flushes what is left. */
    void failed() {
        if (fail()) {
            queuePair.ended();
        }
    }

    /** Returns whether it was usable before. */
    private synchronized boolean fail() {
        if (state.failed()) {
            return false;
        }
        boolean idle = !iwarp && state == InfinibandQueuePairState.RESET;
        state = iwarp ? IwarpQueuePairState.ERROR : InfinibandQueuePairState.ERR;
        if (!idle) {
            endNative();
        }
        return true;
    }

    // By hand.

    synchronized void modify(QueuePairChange change) {
        queuePair.checkOpen(); // again: it is closed under the lock
        change.remoteRights().ifPresent(this::rights);
        change.path().ifPresent(given -> path = Optional.of(given));
        change.remoteNumber().ifPresent(given -> remoteNumber = given);
        if (change.state().isEmpty()) {
            return;
        }
        QueuePairState to = change.state().get();
        if (to.failed()) {
            failed();
            return;
        }
        if (iwarp == to instanceof InfinibandQueuePairState) {
            throw new IllegalArgumentException(
                    "a queue pair of " + queuePair.domain().rnic().facts().transport() + " has no state " + to);
        }
        if (!(to instanceof InfinibandQueuePairState wanted)) {
            throw new IllegalStateException("A queue pair in state " + state + " cannot be moved to " + to
                    + "; on this adapter connections do that.");
        }
        switch (wanted) {
            case RESET -> simple(RESET);
            case INIT -> begin(change.path().map(PathAttributes::qkey).orElse(DEFAULT_QKEY));
            case RTR -> byHand(change, RTR);
            case RTS -> byHand(change, RTS);
            case SQD -> simple(SQD);
            default -> throw new IllegalStateException("no program moves a queue pair to " + wanted);
        }
        state = wanted;
    }

    private void rights(Set<AccessRight> wanted) {
        rights = Set.copyOf(wanted);
        try (Arena arena = Arena.ofConfined()) {
            long attributes = attributes(arena, INIT);
            Native.putInt(attributes + IbvQpAttr.QP_ACCESS_FLAGS, access());
            modify(attributes, MASK_ACCESS);
        }
    }

    private void simple(int nativeState) {
        try (Arena arena = Arena.ofConfined()) {
            modify(attributes(arena, nativeState), MASK_STATE);
        }
    }

    private void byHand(QueuePairChange change, int nativeState) {
        try (Arena arena = Arena.ofConfined()) {
            long attributes = attributes(arena, nativeState);
            Native.putInt(attributes + IbvQpAttr.DEST_QP_NUM, remoteNumber);
            Native.putByte(
                    attributes + IbvQpAttr.MAX_DEST_RD_ATOMIC,
                    change.inboundReads().orElse(inboundReads));
            Native.putByte(
                    attributes + IbvQpAttr.MAX_RD_ATOMIC, change.outboundReads().orElse(outboundReads));
            path.ifPresent(known -> path(attributes, known));
            int mask = mask(nativeState);
            modify(attributes, mask);
            if ((mask & MASK_QKEY) != 0) {
                qkey = path.map(PathAttributes::qkey).orElse(qkey);
            }
        }
    }

    private int mask(int nativeState) {
        return switch (service) {
            case RELIABLE_CONNECTION -> nativeState == RTR ? MASK_RTR_RC : MASK_RTS_RC;
            case UNRELIABLE_CONNECTION -> nativeState == RTR ? MASK_RTR_UC : MASK_RTS_OTHER;
            default -> nativeState == RTR ? MASK_STATE | (path.isPresent() ? MASK_QKEY : 0) : MASK_RTS_OTHER;
        };
    }

    private void path(long attributes, PathAttributes path) {
        Native.putInt(attributes + IbvQpAttr.PATH_MTU, Integer.numberOfTrailingZeros(path.mtuBytes()) - MTU_256_SHIFT);
        Native.putInt(attributes + IbvQpAttr.QKEY, path.qkey());
        Native.putInt(attributes + IbvQpAttr.RQ_PSN, path.receiveSequence());
        Native.putInt(attributes + IbvQpAttr.SQ_PSN, path.sendSequence());
        Native.putByte(attributes + IbvQpAttr.RETRY_CNT, path.retryCount());
        Native.putByte(attributes + IbvQpAttr.RNR_RETRY, path.receiverNotReadyRetries());
        Native.putByte(attributes + IbvQpAttr.MIN_RNR_TIMER, RNR_TIMER_640_US);
        Native.putByte(attributes + IbvQpAttr.TIMEOUT, timeout(path.ackTimeout()));
        HardwareAddressHandle.write(
                attributes + IbvQpAttr.AH_ATTR,
                path.primary(),
                queuePair.domain().rnic().facts());
    }

    /** A time as 4.096 us times a power of two, rounded up; 0 is unlimited. */
    static int timeout(Duration time) {
        if (time.isZero()) {
            return 0;
        }
        double units = io.verbena.base.Times.nanos(time) / TIMEOUT_UNIT_NS;
        return Math.clamp((long) Math.ceil(Math.log(units) / Math.log(2)), 1, MOST_TIMEOUT);
    }
}
