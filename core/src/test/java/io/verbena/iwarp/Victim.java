package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.Region;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * One end whose peer is {@link HandMade}, and memory in which every byte is watched.
 *
 * <pre>
 *   | guard | inbox: local | guard | open: all rights | guard | readable | guard | foreign: other domain | guard |
 * </pre>
 */
public final class Victim {

    /** Bytes of each region, and of each guard: a page. */
    static final int BYTES = 4096;

    private static final int DOMAIN = 1;
    private static final int OTHER_DOMAIN = 2;
    private static final byte JUNK = 0x5a;

    /** What is in the memory at first: made once for the thousands of victims of a test. */
    private static final byte[] CONTENT = new byte[9 * BYTES];

    static {
        for (int i = 0; i < CONTENT.length; i++) {
            CONTENT[i] = (byte) (128 + i % 127);
        }
    }

    public final Framing framing;
    public final StreamPair.End end;
    public final HandMade peer;
    final MemorySegment memory = Arena.ofAuto().allocate(CONTENT.length, BYTES);
    final Region inbox;
    public final Region open;
    public final Region readable;
    final Region foreign;

    long nowNs;
    private int given;
    private int seen;
    private final byte[] expected;

    Victim(Framing framing, boolean initiator, int inboundReads, int outboundReads, Optional<RtrKind> rtr) {
        this.framing = framing;
        StreamSettings settings = new StreamSettings(
                initiator, framing.crc, framing.markers, framing.markers, inboundReads, outboundReads, rtr, 1024);
        end = new StreamPair.End(settings, 77, 256, UnaryOperator.identity());
        peer = new HandMade(framing);
        memory.copyFrom(MemorySegment.ofArray(CONTENT));
        inbox = register(1, DOMAIN, Set.of(AccessRight.LOCAL_WRITE));
        open = register(3, DOMAIN, StreamPair.ALL);
        readable = register(5, DOMAIN, Set.of(AccessRight.REMOTE_READ));
        foreign = register(7, OTHER_DOMAIN, StreamPair.ALL);
        expected = CONTENT.clone();
    }

    /** An initiator, with 4 Reads in each direction. */
    public static Victim initiator(Framing framing) {
        return new Victim(framing, true, 4, 4, Optional.empty());
    }

    /** A responder, which must not send before it has received an FPDU. */
    static Victim responder(Framing framing) {
        return new Victim(framing, false, 4, 4, Optional.empty());
    }

    private Region register(int page, int domain, Set<AccessRight> rights) {
        return end.regions.register(memory.asSlice((long) page * BYTES, BYTES), domain, rights);
    }

    // The wire.

    /** Bytes that the peer has built and that have not arrived. */
    int left() {
        return peer.bytes().length - given;
    }

    /** All remaining bytes of the peer arrive, in pieces of this size. */
    Victim give(int pieceBytes) {
        return give(Integer.MAX_VALUE, pieceBytes);
    }

    /** The next bytes arrive, at most this many. */
    Victim give(int mostBytes, int pieceBytes) {
        byte[] bytes = peer.bytes();
        int to = Math.min(bytes.length - given, mostBytes) + given;
        Slab slab = new Slab(Math.max(1, Math.min(pieceBytes, to - given)));
        while (given < to) {
            int count = Math.min(slab.capacity(), to - given);
            MemorySegment.copy(bytes, given, slab.segment(), JAVA_BYTE, 0, count);
            assertEquals(count, end.stream.onBytes(slab, 0, count, nowNs));
            // Bytes that were taken must not be needed any more.
            slab.segment().fill(JUNK);
            given += count;
        }
        return this;
    }

    Victim give() {
        return give(Integer.MAX_VALUE);
    }

    /** The ULPDUs that it has sent since the previous call. */
    List<byte[]> sentUlpdus() {
        end.transmit(nowNs, 64 * 1024);
        // RFC 5040 section 6.1 [1]: nothing but FPDUs leaves.
        List<byte[]> all = HandMade.ulpdus(framing, end.wire);
        List<byte[]> fresh = new ArrayList<>(all.subList(seen, all.size()));
        seen = all.size();
        return fresh;
    }

    /** The same as lines. */
    List<String> sent() {
        return sentUlpdus().stream().map(HandMade::line).toList();
    }

    /** A TCP segment with these bytes of the peer's stream, at its place. */
    public void segment(int from, int to) {
        Slab slab = new Slab(to - from);
        MemorySegment.copy(peer.bytes(), from, slab.segment(), JAVA_BYTE, 0, to - from);
        end.stream.onSegment(from, slab, 0, to - from, nowNs);
        slab.segment().fill(JUNK);
        given = Math.max(given, to);
    }

    /** What it sends now, without what it sent before: for a stream from which the test has taken bytes itself. */
    List<String> sentNow() {
        end.wire = new byte[0];
        end.transmit(nowNs, 64 * 1024);
        return HandMade.lines(framing, end.wire);
    }

    // Work.

    public void postReceive(long id, int offset, int length) {
        end.postReceive(id, inbox, offset, length);
    }

    /** Posts a Read at 0x1000, key 0x77, and lets the request leave. Returns the sink of the response. */
    Sink read(long id, int offset, int length) {
        postRead(id, offset, length);
        return Sink.of(sentUlpdus().getLast());
    }

    void postRead(long id, int offset, int length) {
        end.post(
                WorkOpcode.READ,
                w -> w.wrId(id).rkey(0x77).remoteAddress(0x1000).addElement(inbox.localKey(), offset, length));
    }

    /** Posts a Send of bytes of {@link #open}. */
    void postSend(long id, WrFlags flags, int length) {
        end.post(WorkOpcode.SEND, flags, w -> w.wrId(id).addElement(open.localKey(), 0, length));
    }

    // Memory.

    /** Sets the bytes that are expected at an address. */
    void expect(Region region, long offset, byte... bytes) {
        long at = region.segment().address() - memory.address() + offset;
        System.arraycopy(bytes, 0, expected, (int) at, bytes.length);
    }

    /** Checks that every byte is unchanged or has its expected value. */
    void assertMemory() {
        int difference = Arrays.mismatch(expected, memory.toArray(JAVA_BYTE));
        assertEquals(-1, difference, () -> "page " + difference / BYTES + ", byte " + difference % BYTES);
    }

    // The end.

    public Ending ending() {
        return end.stream.ending().orElseThrow();
    }

    /**
     * It has detected a fault: one Terminate message is sent, then its direction ends; later input changes nothing,
     * and the first fault remains the reason.
     *
     * @return the Terminate message
     */
    byte[] assertTerminates(TerminateCode code) {
        List<byte[]> sent = lastWords(code);
        // RFC 5040 sections 5.4 [8] and 7 [2]: one Terminate message, and nothing after it.
        assertEquals(
                1, sent.size(), () -> sent.stream().map(HandMade::line).toList().toString());
        assertEquals(code, HandMade.terminateOf(sent.getFirst()).code());
        assertDeaf();
        return sent.getFirst();
    }

    /** It has found a fault and must not send: its direction ends without a Terminate message. */
    void assertEndsSilently(TerminateCode code) {
        // RFC 5044 section 7.1.2 [8]: nothing is sent before a valid FPDU has arrived.
        assertEquals(List.of(), lastWords(code));
        assertDeaf();
    }

    private List<byte[]> lastWords(TerminateCode code) {
        assertEquals(Ending.Kind.TERMINATED_BY_US, ending().kind());
        assertEquals(code, ending().code().orElseThrow());
        assertFalse(ending().sentence().isEmpty());
        assertFalse(end.finSent);
        List<byte[]> sent = sentUlpdus();
        assertTrue(end.finSent);
        return sent;
    }

    private void assertDeaf() {
        Ending first = ending();
        byte[] during = memory.toArray(JAVA_BYTE);
        byte[] late = HandMade.payload(8);
        peer.add(HandMade.write(true, open.rkey(), open.baseAddress(), late), HandMade.send(true, 1, 0, late));
        peer.add(HandMade.write(true, 0, 0, late));
        give();
        // RFC 5041 sections 3 [9] and 7.1 [12], RFC 5044 section 8 [6]: bytes after an error are dropped
        // silently.
        assertEquals(-1, Arrays.mismatch(during, memory.toArray(JAVA_BYTE)));
        assertEquals(List.of(), sent());
        // RFC 5040 section 7.1 [5]: the first of several errors is the one that is reported.
        assertEquals(first, ending());
    }

    /** Flushes the queues and returns all completions. */
    List<String> flushed() {
        assertTrue(end.stream.flush());
        return end.completions();
    }
}
