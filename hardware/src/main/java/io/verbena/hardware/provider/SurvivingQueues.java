package io.verbena.hardware.provider;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvSendWr;
import io.verbena.hardware.abi.IbvSge;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.provider.request.NativeOpcode;
import io.verbena.hardware.provider.request.RequestRing;
import io.verbena.hardware.provider.request.SendOperands;
import io.verbena.hardware.provider.request.SlotTable;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.hardware.provider.survival.LogWords;
import io.verbena.hardware.provider.survival.QueueProgress;
import io.verbena.hardware.provider.survival.RemoteWords;
import io.verbena.hardware.provider.survival.RequestFate;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a queue pair whose connection survives its transport. While there is a transport, its requests go to
 * the adapter; while there is none, they stay in their slots. When a new native queue pair takes over, it gets what the
 * one before has not completed, each request as {@link RequestFate} says.
 *
 * <p>Every request is signalled, so that entries tell how far the adapter came. With a log, a request takes two slots,
 * of which the second is the Write of the log.
 *
 * <p>The monitor is that of what was posted and of what entries have reported.
 */
final class SurvivingQueues {

    private static final long LOOK_NS = 200_000;

    private final HardwareQueuePair queuePair;

    private final SlotTable sendSlots;
    private final LogWords words;
    private final QueueProgress sends;
    private final QueueProgress receives;
    private Optional<RemoteWords> wordsOfPeer = Optional.empty();
    private volatile boolean logged;
    private boolean open = true;

    /**
     * Entries are for the program again: the connection has ended, or will because of a failure that is none of the
     * transport.
     */
    private boolean over;

    private boolean farewellSent;
    private boolean farewellDone;
    private long repeated;
    private long recovered;

    /** The smallest value that the peer's log word can have. */
    private long peerExecuted;

    /** Is called with a sentence when an entry reports the end of the transport. */
    private Consumer<String> ended = sentence -> {};

    SurvivingQueues(HardwareQueuePair queuePair) {
        this.queuePair = queuePair;
        sendSlots = queuePair.sends();
        words = new LogWords(queuePair.domain().libraries(), queuePair.domain().pd(), sendSlots.depth());
        sends = new QueueProgress(sendSlots);
        receives = new QueueProgress(queuePair.receives());
    }

    LogWords words() {
        return words;
    }

    /** Both sides have agreed, before the connection is established. */
    synchronized void agreed(RemoteWords ofPeer, boolean log, Consumer<String> onEnd) {
        wordsOfPeer = Optional.of(ofPeer);
        logged = log;
        ended = onEnd;
    }

    // Posting.

    /** How many slots a request takes. */
    static int slotsEach(@Nullable SurvivingQueues queues) {
        return queues != null && queues.logged ? 2 : 1;
    }

    /**
     * Refuses what would change the keys of a native queue pair.
     *
     * @throws UnsupportedOperationException if a request cannot outlive its native queue pair
     */
    static void check(@Nullable SurvivingQueues queues, WorkOpcode opcode) {
        if (queues == null) {
            return;
        }
        switch (opcode) {
            case SEND, SEND_WITH_IMMEDIATE, WRITE, WRITE_WITH_IMMEDIATE, READ, COMPARE_AND_SWAP, FETCH_AND_ADD -> {}
            default ->
                throw new UnsupportedOperationException("On a connection over an adapter that survives its transport, "
                        + opcode + " cannot be posted: its effect would be lost with the queue pair.");
        }
    }

    /** Whether each request is followed by a Write of the log. */
    boolean logged() {
        return logged;
    }

    /**
     * Ends the request in the next slot, and adds the Write by which the peer learns that its adapter has executed
     * both.
     */
    boolean commitWithLog(WorkOpcode opcode, long wrId, int length, WrFlags flags) {
        SendPoster poster = queuePair.sendPoster();
        poster.first(opcode, wrId, length, flags);
        int slot = sendSlots.next();
        RequestRing ring = poster.requests();
        long request = ring.begin(slot, WorkId.send(queuePair.id(), slot));
        RemoteWords to = wordsOfPeer.orElseThrow();
        Native.putInt(request + IbvSendWr.OPCODE, NativeOpcode.of(WorkOpcode.WRITE));
        ring.element(slot, words.value(slot, sendSlots.posted() + 1), Long.BYTES, words.valuesKey());
        SendOperands.remote(request, to.address(), to.key());
        return poster.second(opcode, wrId, length, flags.signalled() ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED);
    }

    /** Gives the adapter a chain of requests, or keeps it. Returns an errno; what was refused is not given. */
    int postSends(long first, int count) {
        synchronized (this) {
            boolean kept = !over || open;
            sends.give(count, open);
            if (kept) {
                int errno = open ? nativePostSend(first) : 0;
                if (errno != 0) {
                    sends.takeBack(queuePair.sendPoster().refused(first, count));
                }
                return errno;
            }
        }
        flush(new Lost(sendSlots, sends, sends.given() - count, sends.given()));
        return 0;
    }

    private int nativePostSend(long first) {
        return queuePair
                .domain()
                .rnic()
                .adapter()
                .calls()
                .postSend(
                        queuePair.qp(), first, queuePair.sendPoster().requests().bad());
    }

    /** Gives the adapter the receive in a slot, or keeps it. Returns an errno. */
    int postReceive(int slot) {
        synchronized (this) {
            boolean kept = !over || open;
            receives.give(1, open);
            if (kept) {
                int errno = open ? nativePostReceive(slot) : 0;
                if (errno != 0) {
                    receives.takeBack(1);
                }
                return errno;
            }
        }
        flush(new Lost(queuePair.receives(), receives, receives.given() - 1, receives.given()));
        return 0;
    }

    private int nativePostReceive(int slot) {
        RequestRing ring = queuePair.receivePoster().requests();
        return queuePair.domain().rnic().adapter().calls().postRecv(queuePair.qp(), ring.request(slot), ring.bad());
    }

    // Entries.

    /** An entry was fetched. Returns whether the program does not see it. */
    synchronized boolean onEntry(boolean receive, int slot, CompletionStatus status) {
        if (!receive && slot == sendSlots.depth()) {
            farewellDone = true;
            return true;
        }
        if (over) {
            return false;
        }
        if (!ofTransport(status)) {
            over = true;
            return false;
        }
        boolean success = status == CompletionStatus.SUCCESS;
        (receive ? receives : sends).onEntry(slot, success);
        if (!success && open) {
            ended.accept("Work of the queue pair failed: " + status.sentence() + ".");
        }
        return !success;
    }

    /** Whether a request with this status would have succeeded over another transport, or has succeeded. */
    private static boolean ofTransport(CompletionStatus status) {
        return switch (status) {
            case SUCCESS, FLUSHED, RETRY_EXCEEDED, CONNECTION_LOST -> true;
            default -> false;
        };
    }

    // The end of a transport, and the next one.

    /** Gives the adapter nothing more. */
    synchronized void hold() {
        open = false;
    }

    /** Whether the native queue pair has reported everything that it was given. */
    synchronized boolean drained() {
        return over || sends.drained() && receives.drained();
    }

    /** Waits until the native queue pair has reported everything, or another failure. */
    void drain(long mostNs) {
        await(this::drained, mostNs);
    }

    /** Fetches entries until a condition holds or the time is over. */
    private void await(BooleanSupplier condition, long mostNs) {
        AdapterContext rnic = queuePair.domain().rnic();
        long beganNs = rnic.nowNs();
        while (!condition.getAsBoolean() && rnic.nowNs() - beganNs < mostNs) {
            queuePair.fetchAll();
            if (!condition.getAsBoolean()) {
                LockSupport.parkNanos(LOOK_NS);
            }
        }
    }

    /** Whether a failure that is none of the transport has ended the queue pair. */
    synchronized boolean over() {
        return over;
    }

    /** There is another native queue pair, in INIT: it gets the receives. */
    synchronized void onReplaced() {
        sends.restart();
        receives.restart();
        giveReceives();
    }

    private void giveReceives() {
        for (long each = receives.posted(); each < receives.given(); each++) {
            check(nativePostReceive(receives.slot(each)), "a receive");
        }
        receives.postAll();
    }

    private static void check(int errno, String what) {
        if (errno != 0) {
            throw new VerbsException("The adapter refused " + what + ": " + Errno.text(errno) + ".");
        }
    }

    /** Whether the peer can have executed this many slots. */
    synchronized boolean agrees(long executed) {
        return !logged || executed >= peerExecuted && executed <= sends.everPosted();
    }

    /**
     * The native queue pair is connected: it gets what is outstanding.
     *
     * @param executed the log word of the peer
     * @throws VerbsException if the adapter refuses it
     */
    synchronized void resume(long executed) {
        peerExecuted = executed;
        for (long each = sends.done(); each < sends.everPosted(); each++) {
            decide(each, executed);
        }
        RequestRing ring = queuePair.sendPoster().requests();
        long last = sends.given() - 1;
        for (long each = sends.done(); each < last; each++) {
            ring.link(sends.slot(each), sends.slot(each + 1));
        }
        if (last >= sends.done()) {
            ring.unlink(sends.slot(last));
            check(nativePostSend(ring.request(sends.slot(sends.done()))), "a request");
        }
        sends.postAll();
        giveReceives();
        open = true;
    }

    private void decide(long number, long executed) {
        if (logged && (number & 1) != 0) {
            return; // the Write of the log
        }
        int slot = sends.slot(number);
        RequestRing ring = queuePair.sendPoster().requests();
        RequestFate fate = RequestFate.of(RequestFate.Kind.of(ring.opcode(slot)), evidence(number, executed));
        if (fate == RequestFate.SENT_AGAIN) {
            repeated++;
            return;
        }
        recovered += fate == RequestFate.COMPLETE ? 1 : 0;
        ring.empty(slot, SendPoster.SIGNALED);
        if (fate == RequestFate.UNKNOWN) {
            sendSlots.markUnknown(logged ? sends.slot(number + 1) : slot);
        }
    }

    private RequestFate.Evidence evidence(long number, long executed) {
        if (!logged || number == executed) {
            return RequestFate.Evidence.NONE;
        }
        return number < executed ? RequestFate.Evidence.EXECUTED : RequestFate.Evidence.NOT_EXECUTED;
    }

    /** Requests and receives that succeeded. */
    synchronized long done() {
        return sends.done() + receives.done();
    }

    synchronized long repeated() {
        return repeated;
    }

    synchronized long recovered() {
        return recovered;
    }

    // The end.

    /** Says to the peer that the connection is closed, and waits until its adapter has that. */
    void farewell(long mostNs) {
        if (sayFarewell()) {
            await(this::farewellDone, mostNs);
        }
    }

    private synchronized boolean sayFarewell() {
        if (farewellSent || !open || over || wordsOfPeer.isEmpty()) {
            return farewellSent;
        }
        RemoteWords to = wordsOfPeer.get();
        try (Arena arena = Arena.ofConfined()) {
            long request = arena.allocate(IbvSendWr.STRUCT.sizeBytes(), 8).address();
            long element = arena.allocate(IbvSge.STRUCT.sizeBytes(), 8).address();
            Native.putLong(request + IbvSendWr.WR_ID, WorkId.send(queuePair.id(), sendSlots.depth()));
            Native.putLong(request + IbvSendWr.SG_LIST, element);
            Native.putInt(request + IbvSendWr.NUM_SGE, 1);
            Native.putInt(request + IbvSendWr.SEND_FLAGS, SendPoster.SIGNALED);
            Native.putLong(element + IbvSge.ADDR, words.farewell());
            Native.putInt(element + IbvSge.LENGTH, Long.BYTES);
            Native.putInt(element + IbvSge.LKEY, words.valuesKey());
            SendOperands.remote(request, to.address() + Long.BYTES, to.key());
            farewellSent = nativePostSend(request) == 0;
        }
        return farewellSent;
    }

    private synchronized boolean farewellDone() {
        return farewellDone;
    }

    /** Slots of a queue whose requests no native queue reports. */
    private record Lost(SlotTable slots, QueueProgress progress, long from, long to) {}

    /** The connection has ended: what the adapter does not report completes here, as flushed. */
    void end() {
        List<Lost> lost = new ArrayList<>();
        synchronized (this) {
            over = true;
            open = false;
            addLost(queuePair.sends(), sends, lost);
            addLost(queuePair.receives(), receives, lost);
        }
        lost.forEach(this::flush); // without the monitor: a completion queue has its own, and takes this one inside
    }

    /** What was reported and hidden, and what no native queue has. */
    private static void addLost(SlotTable slots, QueueProgress progress, List<Lost> lost) {
        lost.add(new Lost(slots, progress, progress.done(), progress.reported()));
        lost.add(new Lost(slots, progress, progress.posted(), progress.given()));
        progress.finish();
    }

    private void flush(Lost lost) {
        for (long each = lost.from(); each < lost.to() && !queuePair.closed(); each++) {
            int slot = lost.progress().slot(each);
            if (!lost.slots().isFirst(slot)) {
                queuePair.flush(lost.slots().wrId(slot), lost.slots().opcode(slot));
            }
        }
    }

    /** Frees the memory that the peer writes; the native queue pair is destroyed, or does not survive. */
    void free() {
        words.close();
    }
}
