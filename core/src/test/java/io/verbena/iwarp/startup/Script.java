package io.verbena.iwarp.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;

/** What the packet scripts of start-up have in common: bytes as hexadecimal, a time in whole milliseconds. */
final class Script {
    static final String REQ = "4d504120494420526571204672616d65";
    static final String REP = "4d504120494420526570204672616d65";
    static final long MS = 1_000_000L;

    private Script() {}

    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** Private data of the given length, counting up. */
    static PrivateData data(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return PrivateData.of(bytes);
    }

    /** Passes bytes and returns how many were taken. Other bytes precede them, as in a socket's buffer. */
    static int feed(StartUp side, byte[] bytes, long nowNs) {
        byte[] padded = new byte[bytes.length + 3];
        System.arraycopy(bytes, 0, padded, 3, bytes.length);
        return side.onBytes(MemorySegment.ofArray(padded), 3, bytes.length, nowNs);
    }

    static int feed(StartUp side, String text, long nowNs) {
        return feed(side, hex(text), nowNs);
    }

    /** Everything that waits to be sent, fetched in pieces of at most {@code piece} bytes. */
    static byte[] drain(StartUp side, int piece) {
        byte[] all = new byte[side.transmitPendingBytes()];
        MemorySegment segment = MemorySegment.ofArray(all);
        int filled = 0;
        while (filled < all.length) {
            filled += side.fillTransmit(segment, filled, Math.min(piece, all.length - filled));
        }
        return Arrays.copyOf(all, filled);
    }

    static String sent(StartUp side) {
        return hex(drain(side, Integer.MAX_VALUE));
    }

    /** An initiator whose Request is out. */
    static InitiatorStartUp waiting(StartUpOptions options) {
        InitiatorStartUp side = new InitiatorStartUp(options);
        side.start(0);
        sent(side);
        assertEquals(InitiatorTable.State.AWAITING_REPLY, side.state());
        return side;
    }

    /** A responder that waits for a Request, with one second for each wait. */
    static ResponderStartUp listening() {
        ResponderStartUp side = new ResponderStartUp(ResponderOptions.withTimeoutNs(1000 * MS));
        side.start(0);
        return side;
    }

    /** A responder that has taken the Request. */
    static ResponderStartUp deciding(String request) {
        ResponderStartUp side = listening();
        assertEquals(hex(request).length, feed(side, request, 0));
        assertInstanceOf(StartUpOutcome.RequestArrived.class, side.outcome());
        return side;
    }

    static Negotiated established(StartUp side) {
        return assertInstanceOf(StartUpOutcome.Established.class, side.outcome(), side.outcome()::toString)
                .negotiated();
    }

    static StartUpOutcome.Rejected rejected(StartUp side) {
        return assertInstanceOf(StartUpOutcome.Rejected.class, side.outcome(), side.outcome()::toString);
    }

    static StartUpFailure failed(StartUp side) {
        return assertInstanceOf(StartUpOutcome.Failed.class, side.outcome(), side.outcome()::toString)
                .failure();
    }

    static StartUpFault fault(StartUp side) {
        StartUpFailure failure = failed(side);
        assertEquals(failure.terminate().isPresent(), failure.framing().isPresent());
        assertEquals(StartUp.NO_DEADLINE, side.nextDeadlineNs(), "a dead start-up has no timer");
        assertEquals(0, side.transmitPendingBytes(), "a dead start-up sends nothing");
        return failure.fault();
    }

    /** No CRC, no markers, enhanced, IRD = ORD = 1: what Linux's siw does by default. */
    static StartUpOptions siwLike() {
        return StartUpOptions.defaults().withCrc(false).withDepths(1, 1);
    }
}
