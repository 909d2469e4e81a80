package io.verbena.tools.perftest;

import io.verbena.tools.base.CompletionWaiter;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/**
 * The exchange over Sends, in which addresses are structures. It has a queue pair of its own, which rdma_cm connects (option -R of
 * perftest). Each side has one receive posted; the order of a swap guarantees that no message arrives before the next one is.
 */
final class MessageChannel implements PerftestChannel {

    private static final Duration STOP_GRACE = Duration.ofSeconds(1);
    private static final Duration SLICE = Duration.ofMillis(100);
    private static final int MOST_BYTES = 64;

    private final boolean client;
    private final CompletionWaiter completions;
    private final QueuePair queuePair;

    /** What is received, then what is sent. */
    private final MemoryRegion messages;

    private int sending;
    private int received = -1;

    /**
     * Creates the queue pair, which the caller connects, and posts a receive.
     *
     * @param client whether this side connects
     */
    MessageChannel(Rnic rnic, boolean client, Duration timeout, StopSignal stop) {
        this.client = client;
        CompletionQueue cq = rnic.createCompletionQueue(4);
        completions = new CompletionWaiter(cq, timeout, STOP_GRACE, stop);
        var pd = rnic.allocateProtectionDomain();
        queuePair = pd.createQueuePair(
                QueuePairOptions.of(cq).withDepths(2, 2).withElements(1, 1).withReads(1, 1));
        messages = pd.allocate(2L * MOST_BYTES, AccessRight.LOCAL_WRITE);
        postReceive();
    }

    QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public boolean client() {
        return client;
    }

    @Override
    public byte[] swap(byte[] own) throws Failure {
        if (client) {
            send(own);
            return receive(own.length);
        }
        byte[] theirs = receive(own.length);
        send(own);
        return theirs;
    }

    @Override
    public PerftestAddress swap(PerftestAddress own) throws Failure {
        return PerftestAddress.ofBytes(swap(own.bytes()));
    }

    @Override
    public void await(Runnable check) throws Failure {
        while (received < 0) {
            check.run();
            if (completions.ready(SLICE)) {
                take("the peer");
            }
        }
    }

    /** There is no last word: the connection ends. */
    @Override
    public void end() {}

    private void send(byte[] message) throws Failure {
        while (sending > 0) {
            take("its last message to leave");
        }
        MemorySegment.copy(message, 0, messages.segment(), ValueLayout.JAVA_BYTE, MOST_BYTES, message.length);
        queuePair.postSend(0, messages, MOST_BYTES, message.length, WrFlags.SIGNALLED);
        sending++;
    }

    private byte[] receive(int bytes) throws Failure {
        while (received < 0) {
            take("the peer's part of the exchange");
        }
        if (received != bytes) {
            throw new Failure("The peer sent " + received + " bytes where this side expected " + bytes
                    + "; both sides must run the same program of perftest with the same options");
        }
        byte[] message = messages.segment().asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        received = -1;
        postReceive();
        return message;
    }

    private void postReceive() {
        queuePair.postReceive(0, messages, 0, MOST_BYTES);
    }

    private void take(String what) throws Failure {
        CompletionCursor completion = completions.next(what);
        if (completion.opcode() == CompletionOpcode.RECEIVE) {
            received = (int) completion.byteCount();
        } else {
            sending--;
        }
    }
}
