package io.verbena.iwarp.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Arbitrary bytes, split anywhere: a declared outcome, never an exception, never more than a frame consumed. */
class StartUpFuzzTest {
    private static final int MAX_FRAME = 532;

    @FuzzTest(maxDuration = "60s")
    void initiator_anyBytes_declaredOutcome(byte[] input) {
        runInitiator(input);
    }

    @FuzzTest(maxDuration = "60s")
    void responder_anyBytes_declaredOutcome(byte[] input) {
        runResponder(input);
    }

    @Test
    void bothRoles_spoiltFrames_declaredOutcome() {
        Random random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            runInitiator(spoilt(random, Script.REP));
            runResponder(spoilt(random, Script.REQ));
        }
    }

    /** Four bytes that steer, then a frame that is mostly right, then anything. */
    private static byte[] spoilt(Random random, String key) {
        byte[] bytes = new byte[4 + 20 + random.nextInt(600)];
        random.nextBytes(bytes);
        System.arraycopy(Script.hex(key), 0, bytes, 4, 16);
        bytes[21] = (byte) (1 + random.nextInt(2));
        bytes[22] = 0;
        if (random.nextInt(4) == 0) {
            bytes[4 + random.nextInt(20)] ^= (byte) (1 << random.nextInt(8));
        }
        if (random.nextInt(3) == 0) {
            // End exactly after the frame.
            int length = Math.min(bytes.length, 24 + (bytes[23] & 0xff));
            bytes = Arrays.copyOf(bytes, length);
        }
        return bytes;
    }

    private static void runInitiator(byte[] input) {
        int steer = at(input, 0);
        StartUpOptions options = options(steer);
        InitiatorStartUp side = new InitiatorStartUp(options);
        side.start(0);
        if ((at(input, 1) & 1) == 0) {
            drain(side);
        }
        pour(side, input);
        finish(side);
    }

    private static void runResponder(byte[] input) {
        int steer = at(input, 0);
        ResponderStartUp side = new ResponderStartUp(new ResponderOptions((steer & 0x40) == 0, 100, 100, 100));
        side.start(0);
        pour(side, input);
        if (side.outcome() instanceof StartUpOutcome.RequestArrived) {
            switch (at(input, 1) & 3) {
                case 0, 1 -> assertTrue(side.accept(options(steer), 1));
                case 2 -> assertTrue(side.reject(PrivateData.EMPTY, 1));
                default -> side.onDeadline(200);
            }
        }
        drain(side);
        finish(side);
    }

    private static StartUpOptions options(int steer) {
        boolean enhanced = (steer & 1) == 0;
        return StartUpOptions.defaults()
                .withEnhanced(enhanced)
                .withMarkersReceived((steer & 2) != 0)
                .withCrc((steer & 4) != 0)
                .withPeerToPeer((steer & 8) != 0 && enhanced ? PeerToPeer.ANY : PeerToPeer.NONE)
                .withDepths(steer & 0x30, steer & 0x33)
                .withTimeoutNs(100);
    }

    private static void pour(StartUp side, byte[] input) {
        MemorySegment bytes = MemorySegment.ofArray(input);
        int piece = 1 + at(input, 2);
        int taken = 0;
        for (int from = 4; from < input.length; from += piece) {
            int length = Math.min(piece, input.length - from);
            int now = side.onBytes(bytes, from, length, 1);
            assertTrue(now >= 0 && now <= length);
            taken += now;
            side.stateDigest();
        }
        assertTrue(taken <= MAX_FRAME);
    }

    /** Every way out ends in an outcome that stays. */
    private static void finish(StartUp side) {
        for (int waits = 0; waits < 4 && side.nextDeadlineNs() != StartUp.NO_DEADLINE; waits++) {
            side.onDeadline(side.nextDeadlineNs());
            drain(side);
        }
        assertEquals(StartUp.NO_DEADLINE, side.nextDeadlineNs());
        StartUpOutcome last = side.outcome();
        switch (last) {
            case StartUpOutcome.Pending p -> throw new AssertionError("no outcome: " + p);
            case StartUpOutcome.RequestArrived r -> throw new AssertionError("not final: " + r);
            case StartUpOutcome.Established e -> assertInstanceOf(Negotiated.class, e.negotiated());
            case StartUpOutcome.Rejected r -> assertTrue(r.privateData().length() <= PrivateData.MAX_LENGTH);
            case StartUpOutcome.Failed f -> assertTrue(f.failure().sentence().length() > 20);
        }
        side.onEndOfStream();
        assertEquals(last, side.outcome());
    }

    private static void drain(StartUp side) {
        Script.drain(side, 10);
    }

    private static int at(byte[] input, int index) {
        return index < input.length ? input[index] & 0xff : 0;
    }
}
