package io.verbena.iwarp;

import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.iwarp.early.UlpduSink;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.work.EarlyMemory;
import io.verbena.work.QueuePairContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Two streams in one thread, connected by a wire that the test controls: bytes move when the
 * test says so, in pieces of a given size, at a given time.
 */
public final class StreamPair {

    static final Set<AccessRight> ALL = Set.of(
            AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);

    /** Memory of each end for what arrives after holes. */
    public static final int EARLY_BYTES = 1 << 20;

    /** One end: a queue pair without an RNIC around it. */
    public static final class End {
        public final RegionTable regions;
        final WorkQueue send;
        final WorkQueue receive;
        public final CompletionRing ring;
        public final IwarpStream stream;
        public final EarlyMemory earlyMemory = new EarlyMemory(EARLY_BYTES);
        final TransmitList list = new TransmitList(160 * 1024);
        final Wqe wqe = new Wqe();
        final Cqe cqe = new Cqe();

        /** Bytes that have left and not arrived. */
        public byte[] wire = new byte[0];

        boolean finSent;
        boolean finSeen;

        End(StreamSettings settings, long seed, int completions, UnaryOperator<UlpduSink> around) {
            ring = new CompletionRing(completions);
            SplittableRandom generator = new SplittableRandom(seed);
            RandomSource random = generator::nextLong;
            regions = new RegionTable(random);
            int stride = Wqe.strideBytes(4, 64);
            send = new WorkQueue(64, stride);
            receive = new WorkQueue(64, stride);
            WorkQueues queues = new WorkQueues((int) seed, false, send, new ReceiveQueue(receive), ring, ring);
            stream =
                    new IwarpStream(settings, new QueuePairContext(queues, regions, 1, 0, earlyMemory), random, around);
        }

        public Region region(int bytes, Set<AccessRight> rights) {
            return regions.register(new OffHeapMemory().allocate(bytes), 1, rights);
        }

        public Region region(int bytes) {
            return region(bytes, ALL);
        }

        /** Posts to the send queue. */
        public void post(WorkOpcode opcode, WrFlags flags, Consumer<Wqe> details) {
            if (!send.claim(wqe)) {
                throw new AssertionError("send queue full");
            }
            details.accept(wqe.clear(opcode, flags));
            send.written();
            send.publish();
        }

        public void post(WorkOpcode opcode, Consumer<Wqe> details) {
            post(opcode, WrFlags.SIGNALLED, details);
        }

        public void postReceive(long id, Region region, long offset, int length) {
            if (!receive.claim(wqe)) {
                throw new AssertionError("receive queue full");
            }
            wqe.clear(WorkOpcode.RECEIVE, WrFlags.SIGNALLED).wrId(id).addElement(region.localKey(), offset, length);
            receive.written();
            receive.publish();
        }

        /** Takes a completion as text: {@code "7 RECEIVE SUCCESS 16"}; empty if there is none. */
        public String completion() {
            if (!ring.peek(cqe)) {
                return "";
            }
            String text = cqe.wrId() + " " + cqe.opcode() + " " + cqe.status() + " " + cqe.byteCount()
                    + (cqe.hasImmediate() ? " imm=" + cqe.immediate() : "")
                    + (cqe.hasInvalidatedKey() ? " invalidated" : "")
                    + (cqe.solicited() ? " solicited" : "");
            ring.release();
            return text;
        }

        public List<String> completions() {
            List<String> all = new ArrayList<>();
            for (String c = completion(); !c.isEmpty(); c = completion()) {
                all.add(c);
            }
            return all;
        }

        /** Lets the stream fill and takes all of it onto the wire. */
        public void transmit(long nowNs, int budget) {
            while (stream.hasTransmitWork(nowNs)) {
                list.reset();
                stream.fillTransmit(list, budget, nowNs);
                if (list.units() == 0) {
                    break;
                }
                Slab out = new Slab(list.bytes());
                list.copyOut(0, list.bytes(), out, 0);
                append(out.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
                stream.onTransmitted(list, list.units(), false, nowNs);
            }
            if (stream.shutdownDue()) {
                finSent = true;
                stream.onShutdown();
            }
        }

        void append(byte[] bytes) {
            byte[] joined = new byte[wire.length + bytes.length];
            System.arraycopy(wire, 0, joined, 0, wire.length);
            System.arraycopy(bytes, 0, joined, wire.length, bytes.length);
            wire = joined;
        }
    }

    public final End a;
    public final End b;
    long nowNs;

    public StreamPair(boolean crc, boolean markers, int maxPayload, Optional<RtrKind> rtr) {
        this(crc, markers, maxPayload, rtr, 256, UnaryOperator.identity());
    }

    /** With completion rings of this size, and a wrapper around both receiving halves. */
    public StreamPair(
            boolean crc,
            boolean markers,
            int maxPayload,
            Optional<RtrKind> rtr,
            int completions,
            UnaryOperator<UlpduSink> around) {
        a = new End(new StreamSettings(true, crc, markers, markers, 4, 4, rtr, maxPayload), 1, completions, around);
        b = new End(new StreamSettings(false, crc, markers, markers, 4, 4, rtr, maxPayload), 2, completions, around);
    }

    /** With checksums and without markers; both ends make guesses. */
    private StreamPair(int maxPayload, Optional<RtrKind> rtr, UnaryOperator<UlpduSink> around) {
        StreamSettings settings = new StreamSettings(true, true, false, false, 4, 4, rtr, maxPayload);
        a = new End(settings.withGuesses(true), 1, 256, around);
        b = new End(
                new StreamSettings(false, true, false, false, 4, 4, rtr, maxPayload).withGuesses(true), 2, 256, around);
    }

    public static StreamPair guessing(int maxPayload, Optional<RtrKind> rtr, UnaryOperator<UlpduSink> around) {
        return new StreamPair(maxPayload, rtr, around);
    }

    static StreamPair plain() {
        return new StreamPair(false, false, 1024, Optional.empty());
    }

    /** Moves bytes in both directions, in pieces of this size, until none are left. */
    void run(int pieceBytes) {
        boolean moved = true;
        while (moved) {
            a.transmit(nowNs, 64 * 1024);
            b.transmit(nowNs, 64 * 1024);
            moved = deliver(a, b, pieceBytes) | deliver(b, a, pieceBytes);
        }
    }

    void run() {
        run(Integer.MAX_VALUE);
    }

    /** All bytes on the wire of {@code from} arrive, in pieces, followed by its FIN. */
    public boolean deliver(End from, End to, int pieceBytes) {
        byte[] bytes = from.wire;
        from.wire = new byte[0];
        Slab slab = new Slab(Math.max(1, Math.min(pieceBytes, bytes.length)));
        for (int at = 0; at < bytes.length; ) {
            int count = Math.min(slab.capacity(), bytes.length - at);
            MemorySegment.copy(MemorySegment.ofArray(bytes), at, slab.segment(), 0, count);
            int end = to.stream.onBytes(slab, 0, count, nowNs);
            if (end != count) {
                throw new AssertionError("suspended");
            }
            at += count;
        }
        if (from.finSent && !from.finSeen) {
            from.finSeen = true;
            to.stream.onEndOfStream(nowNs);
            return true;
        }
        return bytes.length > 0;
    }

    public static void fill(Region region, int seed) {
        MemorySegment s = region.segment();
        for (long i = 0; i < s.byteSize(); i++) {
            s.set(java.lang.foreign.ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + seed + (i >> 8)));
        }
    }
}
