package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.messaging.protocol.RefusalReason;
import io.verbena.messaging.protocol.SlotLayout;
import io.verbena.messaging.ring.ChannelGreeting;
import io.verbena.messaging.ring.ControlBlock;
import io.verbena.messaging.ring.Immediate;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.function.BooleanSupplier;

/** A peer of an endpoint that a test plays byte by byte, over the verbs alone. It has one virtual channel. */
public final class ScriptedPeer implements AutoCloseable {

    private static final long PATIENCE_NS = 30_000_000_000L;
    private static final int RECEIVES = 64;
    private static final int PAYLOAD = 700;

    private final Rnic rnic = Rnic.open(RnicOptions.defaults());
    private final ProtectionDomain domain = rnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(1024);
    private final CompletionCursor cursor = cq.cursor();
    private final QueuePair queuePair = domain.createQueuePair(
            QueuePairOptions.of(cq).withDepths(256, RECEIVES).withElements(1, 1));
    private final MemoryRegion control = domain.allocate(ControlBlock.BYTES, AccessRight.REMOTE_WRITE);
    private final MemoryRegion staging = domain.allocate(1 << 20);
    private final MemoryRegion ring = domain.allocate(4L * SlotLayout.strideBytes(PAYLOAD), AccessRight.REMOTE_WRITE);
    private final WorkRequest work = queuePair.newWorkRequest();
    private final Runnable otherSide;
    private final Connection connection;
    private int answers;
    private int at; // in staging: nothing is written twice

    /** Connects; {@code otherSide} lets the endpoint make progress. */
    public ScriptedPeer(SocketAddress endpoint, Runnable otherSide) {
        this.otherSide = otherSide;
        for (int i = 0; i < RECEIVES; i++) {
            queuePair.postReceive(0, control, 0, 0);
        }
        byte[] greeting = new ChannelGreeting(control.remote(), 1, new byte[] {1}).toBytes();
        connection = rnic.startConnect(
                queuePair, endpoint, ConnectionOptions.defaults().withPrivateData(greeting));
        until(() -> connection.state() == ConnectionState.ESTABLISHED);
    }

    public void until(BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            otherSide.run();
            assertTrue(System.nanoTime() - startNs < PATIENCE_NS, "the condition did not hold in time");
        }
    }

    /** Grants the endpoint a ring, as it has asked for by connecting. */
    public void grant() {
        grant(1, PAYLOAD, 4, RefusalReason.NONE);
    }

    /** Answers a request by a ring of this shape, in the memory of the first one. */
    public void grant(int request, int payload, int slots, RefusalReason refusal) {
        Acknowledgement granted = new Acknowledgement(
                request,
                payload,
                slots,
                refusal,
                new Acknowledgement.Ring(ring.address(), ring.length(), ring.rkey(), 5));
        granted.write(staging.segment(), at);
        RemoteRegion theirs =
                ChannelGreeting.of(connection.privateData()).orElseThrow().control();
        work.write(theirs.address() + ControlBlock.acknowledgementAt(0), theirs.rkey());
        assertTrue(
                queuePair.post(work.gather(staging, at, Acknowledgement.BYTES).flags(WrFlags.UNSIGNALLED)));
        at += Acknowledgement.BYTES;
        sync();
    }

    /** The endpoint's acknowledgement of a request. */
    public Acknowledgement acknowledgement(int request) {
        MemorySegment memory = control.segment();
        until(() -> Acknowledgement.complete(memory, ControlBlock.acknowledgementAt(0), request));
        return Acknowledgement.read(memory, ControlBlock.acknowledgementAt(0), request);
    }

    public void forgetAcknowledgement() {
        control.segment().fill((byte) 0);
    }

    /** Slots that the endpoint has given back by a Write of its own. */
    public int returned() {
        return (int) SlotLayout.flag(control.segment(), ControlBlock.returnedAt(0));
    }

    /** A message as it belongs into a slot of this ring, tail and all. */
    public static MemorySegment message(
            Acknowledgement ring, int number, int kind, int flags, int returned, long word, int length) {
        MemorySegment message = Payloads.segment(SlotLayout.messageBytes(length), 0);
        SlotLayout.putFlag(message, 0, SlotLayout.head(number, length));
        SlotLayout.putHeader(message, 0, kind, flags, returned, 0, 0, word);
        MemorySegment.copy(Payloads.segment(length, number), 0, message, SlotLayout.HEADER_BYTES, length);
        SlotLayout.putFlag(
                message,
                SlotLayout.tailOffset(length),
                SlotLayout.tail(ring.ring().nonce(), number));
        return message;
    }

    /** Writes some bytes of a message into its slot; returns when they are there. */
    public void write(Acknowledgement ring, int slot, MemorySegment message, long from, long to) {
        post(ring, slot, message, from, to, false);
        sync();
    }

    /** The last one: it ends the channel. */
    public void writeLast(Acknowledgement ring, int slot, MemorySegment message) {
        post(ring, slot, message, 0, message.byteSize(), false);
    }

    /** The same with an announcement. */
    public void announce(Acknowledgement ring, int slot, MemorySegment message, long from, long to) {
        post(ring, slot, message, from, to, true);
        sync();
    }

    private void post(Acknowledgement ring, int slot, MemorySegment message, long from, long to, boolean announced) {
        long address = ring.ring().address() + (long) slot * SlotLayout.strideBytes(ring.payloadBytes()) + from;
        MemorySegment.copy(message, from, staging.segment(), at, to - from);
        if (announced) {
            work.writeWithImmediate(address, ring.ring().rkey(), Immediate.MESSAGE.with(0, 0));
        } else {
            work.write(address, ring.ring().rkey());
        }
        assertTrue(queuePair.post(work.gather(staging, at, (int) (to - from)).flags(WrFlags.UNSIGNALLED)));
        at += (int) (to - from);
    }

    public void say(long immediate) {
        assertTrue(queuePair.post(work.sendWithImmediate(immediate).flags(WrFlags.UNSIGNALLED)));
    }

    /** Returns when the endpoint has seen all that was written and said before: it answers ANNOUNCE. */
    public void sync() {
        int before = answers;
        say(Immediate.ANNOUNCE.with(0, 0));
        until(() -> {
            while (cursor.next()) {
                if (cursor.ok() && cursor.hasImmediate() && Immediate.of(cursor.immediate()) == Immediate.ANNOUNCING) {
                    answers++;
                }
                if (cursor.ok() && cursor.hasImmediate()) {
                    queuePair.postReceive(0, control, 0, 0);
                }
            }
            return answers > before;
        });
        for (int i = 0; i < 20; i++) {
            otherSide.run();
        }
    }

    @Override
    public void close() {
        rnic.close();
    }
}
