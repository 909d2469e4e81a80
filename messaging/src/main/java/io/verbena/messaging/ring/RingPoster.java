package io.verbena.messaging.ring;

import io.verbena.messaging.protocol.SlotLayout;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * Posts the work of one channel: Writes into the rings and the control block of the peer, and words. A word is immediate data, or a Send of
 * four bytes if the RNIC of one side has no immediate data: a Send after a Write arrives after the Write has been placed (RFC 5040 section
 * 5.5).
 */
public final class RingPoster {

    /** Maximum number of words that wait for space in the send queue. More are needed by a misbehaving peer only. */
    private static final int MAX_PENDING = 1024;

    private final RingEnvironment environment;
    private final RingOwner owner;
    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final ControlMemory control;
    private final Counters counters;
    private final WorkRequest work;
    private RemoteRegion peerControl = new RemoteRegion(0, 0, 0);
    private boolean open;
    private boolean sends;
    private boolean batched;
    private boolean batches = true;
    private int pendingReplies; // those of the pending words that are no announcements, which credit limits
    private final ArrayDeque<Long> pending = new ArrayDeque<>(); // words for which the send queue had no space

    public RingPoster(
            RingEnvironment environment,
            RingOwner owner,
            ProtectionDomain domain,
            QueuePair queuePair,
            ControlMemory control,
            Counters counters) {
        this.environment = environment;
        this.owner = owner;
        this.domain = domain;
        this.queuePair = queuePair;
        this.control = control;
        this.counters = counters;
        work = queuePair.newWorkRequest();
    }

    ProtectionDomain domain() {
        return domain;
    }

    Counters counters() {
        return counters;
    }

    /** The control block that the peer writes. */
    public MemorySegment control() {
        return control.segment();
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    /**
     * The connection is established: work can be posted.
     *
     * @param wordsAreSends whether words are Sends instead of immediate data
     * @param direct whether posts access memory of the peer: then work that waits for the end of a batch would gain
     *     nothing, and would need a turn of the RNIC
     */
    public void open(RemoteRegion controlOfPeer, boolean wordsAreSends, boolean direct) {
        peerControl = controlOfPeer;
        sends = wordsAreSends;
        batches = !direct;
        open = true;
    }

    /** The connection has ended: nothing is posted any more. */
    public void end() {
        open = false;
    }

    /** Posts the receive with this number for a word. */
    public void postReceive(int number) {
        queuePair.postReceive(number, control.region(), control.wordAt(number), ControlMemory.WORD_BYTES);
    }

    /** Whether words are Sends. */
    public boolean sends() {
        return sends;
    }

    private void joinBatch() {
        if (batches && !batched && environment.batch().join(this)) {
            batched = true;
            queuePair.startBatch();
        }
    }

    /** Makes what was posted in a batch visible to the RNIC. */
    public void endBatch() {
        batched = false;
        if (open) {
            queuePair.ringDoorbell();
        }
    }

    /** Posts a Read of the peer's memory; returns false if it cannot be posted now. */
    public boolean read(long id, MemoryRegion to, long offset, int length, long remoteAddress, int rkey) {
        if (!open) {
            return false;
        }
        joinBatch();
        return awaited(queuePair.postRead(id, to, offset, length, remoteAddress, rkey, WrFlags.SIGNALLED));
    }

    /** Posts a Write of the peer's memory; returns false if it cannot be posted now. */
    public boolean write(long id, MemoryRegion from, long offset, int length, long remoteAddress, int rkey) {
        if (!open) {
            return false;
        }
        joinBatch();
        return awaited(queuePair.postWrite(id, from, offset, length, remoteAddress, rkey, WrFlags.SIGNALLED));
    }

    /** Posts a Write of no bytes; returns false if it cannot be posted now. */
    public boolean fence(long id) {
        if (!open) {
            return false;
        }
        joinBatch();
        work.write(peerControl.address(), peerControl.rkey()).id(id).flags(WrFlags.SIGNALLED);
        return awaited(queuePair.post(work));
    }

    private boolean awaited(boolean posted) {
        if (posted) {
            environment.onPosted();
        }
        return posted;
    }

    /** Posts a fetch-and-add on a word of the peer; returns false if it cannot be posted now. */
    public boolean fetchAndAdd(long id, MemoryRegion into, long offset, long remoteAddress, int rkey, long addend) {
        if (!open) {
            return false;
        }
        joinBatch();
        return awaited(queuePair.postFetchAndAdd(id, into, offset, remoteAddress, rkey, addend, WrFlags.SIGNALLED));
    }

    /** Posts a compare-and-swap on a word of the peer; returns false if it cannot be posted now. */
    public boolean compareAndSwap(
            long id, MemoryRegion into, long offset, long remoteAddress, int rkey, long expected, long replacement) {
        if (!open) {
            return false;
        }
        joinBatch();
        return awaited(queuePair.postCompareAndSwap(
                id, into, offset, remoteAddress, rkey, expected, replacement, WrFlags.SIGNALLED));
    }

    /** Posts the Write of an element into a ring of the peer. */
    boolean writeElement(MemoryRegion from, long offset, int length, long address, int rkey) {
        joinBatch();
        return queuePair.postWrite(0, from, offset, length, address, rkey, WrFlags.UNSIGNALLED);
    }

    /** Posts the Write of an element whose completion at the peer names the virtual channel. */
    boolean announceElement(MemoryRegion from, long offset, int length, long address, int rkey, int virtualChannel) {
        announcedWrite(address, rkey, virtualChannel)
                .gather(from, offset, length)
                .flags(WrFlags.UNSIGNALLED);
        return announce(virtualChannel);
    }

    /** The same for a request, whose completion has the number {@link #requestId}. */
    boolean announceRequest(MemoryRegion from, long offset, int length, long address, int rkey, int virtualChannel) {
        announcedWrite(address, rkey, virtualChannel)
                .id(requestId(virtualChannel))
                .gather(from, offset, length)
                .flags(WrFlags.SIGNALLED);
        return awaited(announce(virtualChannel));
    }

    /** Number of the Write of a request; those of other Reads and Writes are not negative. */
    private static long requestId(int virtualChannel) {
        return -1L - virtualChannel;
    }

    /** Whether a completed Write is that of a request. */
    public static boolean isRequest(long id) {
        return id < 0;
    }

    /** The virtual channel of the request. */
    public static int virtualChannelOf(long requestId) {
        return (int) (-1 - requestId);
    }

    private WorkRequest announcedWrite(long address, int rkey, int virtualChannel) {
        joinBatch();
        return sends
                ? work.write(address, rkey)
                : work.writeWithImmediate(address, rkey, Immediate.MESSAGE.with(virtualChannel, 0));
    }

    private boolean announce(int virtualChannel) {
        if (!queuePair.post(work)) {
            return false;
        }
        counters.announced++;
        if (sends) {
            send(Immediate.MESSAGE.with(virtualChannel, 0));
        }
        return true;
    }

    /** Reports the number of returned slots to the peer. */
    boolean writeReturned(int virtualChannel, int total) {
        MemorySegment scratch = environment.scratch();
        SlotLayout.putFlag(scratch, 0, total & 0xffff_ffffL);
        return writeControl(ControlBlock.returnedAt(virtualChannel), scratch, 0, Long.BYTES);
    }

    /** Posts a Write of bytes into the control block of the peer; returns false if the send queue is full. */
    public boolean writeControl(long at, MemorySegment bytes, long offset, int length) {
        if (!open) {
            return true; // the peer does not read its control block any more
        }
        joinBatch();
        work.write(peerControl.address() + at, peerControl.rkey())
                .inlineData(bytes, offset, length)
                .flags(WrFlags.UNSIGNALLED);
        return queuePair.post(work);
    }

    /** Sends a word, now or, in order, as soon as the send queue has space. */
    public void sendImmediate(long data) {
        if (open && pendingReplies == MAX_PENDING) {
            owner.fail("The peer requested more replies than it accepts: " + MAX_PENDING + " are waiting.");
        } else if (open) {
            send(data);
        }
    }

    private void send(long data) {
        if (!pending.isEmpty() || !postImmediate(data)) {
            pending.addLast(data);
            pendingReplies += reply(data);
            owner.activate();
        }
    }

    private static int reply(long data) {
        return Immediate.of(data) == Immediate.MESSAGE ? 0 : 1;
    }

    private boolean postImmediate(long data) {
        joinBatch();
        if (sends) {
            MemorySegment scratch = environment.scratch();
            scratch.set(ControlMemory.WORD, 0, (int) data);
            work.send().inlineData(scratch, 0, ControlMemory.WORD_BYTES);
        } else {
            work.sendWithImmediate(data);
        }
        work.flags(WrFlags.UNSIGNALLED);
        return queuePair.post(work);
    }

    /** Sends waiting words; returns whether some is still waiting. */
    public boolean sendPending() {
        while (open && !pending.isEmpty() && postImmediate(pending.getFirst())) {
            pendingReplies -= reply(pending.removeFirst());
        }
        return open && !pending.isEmpty();
    }
}
