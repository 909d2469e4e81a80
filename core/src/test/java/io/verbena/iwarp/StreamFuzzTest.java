package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.DdpControl;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Arbitrary bytes for a stream in RDMA mode, split anywhere and in any order: no exception is thrown, no byte changes
 * for which the peer has no key, every request completes once, and all sent frames are well formed.
 *
 * <pre>
 *   input: | framing, role, RTR, raw or made, order | piece size | depths | seed | then, if raw: the stream
 *          made: | which key, how many bytes | a ULPDU | ... which gets right framing, and a key that is known
 * </pre>
 */
class StreamFuzzTest {

    private static final int HEAD = 4;
    private static final int WORK = 10;
    private static final int MOST_TURNS = 10_000;

    // Bits of the first byte.
    private static final int INITIATOR = 0x04;
    private static final int RAW = 0x20;
    private static final int ANY_ORDER = 0x40;
    private static final int TALKS = 0x80;

    @FuzzTest(maxDuration = "60s")
    void rdmaMode_anyBytes_keepsItsBounds(byte[] input) {
        new Run(input).all();
    }

    @Test
    void rdmaMode_madeAndSpoiltBytes_keepsItsBounds() {
        Random random = new Random(11);
        for (int round = 0; round < 1500; round++) {
            byte[] input = new byte[HEAD + random.nextInt(400)];
            random.nextBytes(input);
            for (int at = HEAD; at + 20 < input.length; at += 1 + (input[at + 1] & 0x7f)) {
                // Mostly headers that are nearly right, and low numbers.
                at++;
                boolean tagged = random.nextBoolean();
                input[at] = (byte) (tagged ? 14 + random.nextInt(30) : 18 + random.nextInt(60));
                input[at + 1] = (byte) (tagged ? 0xc1 : 0x41);
                int opcode = random.nextInt(12);
                input[at + 2] = (byte) (0x40 | opcode);
                if (!tagged) {
                    Arrays.fill(input, at + 3, Math.min(input.length, at + 19), (byte) 0);
                    set(input, at + 10, Math.max(0, RdmapOpcode.of(opcode).qn()));
                    set(input, at + 14, 1 + random.nextInt(2));
                }
            }
            new Run(input).all();
        }
    }

    private static void set(byte[] bytes, int at, int value) {
        if (at < bytes.length) {
            bytes[at] = (byte) value;
        }
    }

    /** One input. */
    private static final class Run {
        private final byte[] input;
        private final int steer;
        private final Victim v;
        private Optional<Sink> sink = Optional.empty();

        Run(byte[] input) {
            this.input = Arrays.copyOf(input, Math.max(HEAD, input.length));
            steer = this.input[0];
            RtrKind[] kinds = RtrKind.values();
            int rtr = steer >> 3 & 3;
            v = new Victim(
                    Framing.values()[steer & 3],
                    (steer & INITIATOR) != 0,
                    this.input[2] & 3,
                    this.input[2] >> 2 & 3,
                    rtr == 0 ? Optional.empty() : Optional.of(kinds[rtr - 1]));
        }

        void all() {
            post();
            turn();
            if ((steer & RAW) != 0) {
                feed(Arrays.copyOfRange(input, HEAD, input.length));
            } else {
                composed();
            }
            finish();
        }

        private void post() {
            for (int i = 0; i < 4; i++) {
                v.postReceive(100 + i, i * 100, i == 1 ? 0 : 100);
            }
            v.postRead(1, 512, 64);
            v.end.post(
                    WorkOpcode.FETCH_AND_ADD,
                    WrFlags.UNSIGNALLED.withSolicited(),
                    w -> w.wrId(2).addElement(v.inbox.localKey(), 576, 8));
            v.end.post(
                    WorkOpcode.READ_WITH_INVALIDATE,
                    w -> w.wrId(3).otherKey(v.readable.rkey()).addElement(v.inbox.localKey(), 600, 10));
            v.postSend(4, WrFlags.SIGNALLED.withFence(), 8);
            v.end.post(WorkOpcode.SEND_WITH_IMMEDIATE, w -> w.wrId(5));
            v.end.post(WorkOpcode.WRITE, w -> w.wrId(6).addElement(v.open.localKey(), 0, 1500));
        }

        /** It sends what it has; the last Read Request names the sink of its response. */
        private void turn() {
            v.end.transmit(v.nowNs++, 2048);
            for (byte[] ulpdu : HandMade.ulpdus(v.framing, v.end.wire)) {
                if (ulpdu.length == 46 && (ulpdu[1] & 0xf) == RdmapOpcode.READ_REQUEST.value()) {
                    sink = Optional.of(Sink.of(ulpdu));
                }
            }
        }

        private void composed() {
            int at = HEAD;
            while (at + 2 <= input.length && v.end.stream.ending().isEmpty()) {
                int key = input[at];
                int length = Math.min(input[at + 1] & 0xff, input.length - at - 2);
                byte[] ulpdu = Arrays.copyOfRange(input, at + 2, at + 2 + length);
                lendKey(ulpdu, key);
                int before = v.peer.bytes().length;
                v.peer.add(ulpdu);
                at += 2 + length;
                if ((steer & ANY_ORDER) == 0) {
                    pieces(before);
                }
            }
            if ((steer & ANY_ORDER) != 0) {
                anyOrder(v.peer.bytes().length);
            }
        }

        private void pieces(int from) {
            v.give(1 + (input[1] & 0xff));
            assertEquals(0, v.left());
            assertTrue(from <= v.peer.bytes().length);
            if ((steer & TALKS) != 0) {
                turn();
            }
        }

        private void feed(byte[] stream) {
            v.peer.raw(stream);
            if ((steer & ANY_ORDER) != 0) {
                anyOrder(stream.length);
            } else {
                pieces(0);
            }
        }

        /** Shuffled, then twice in order, so that all has come. */
        private void anyOrder(int length) {
            int piece = 16 + (input[1] & 0xff);
            List<Integer> starts = new ArrayList<>();
            for (int at = 0; at < length; at += piece) {
                starts.add(at);
            }
            List<Integer> order = new ArrayList<>(starts);
            Collections.shuffle(order, new Random(input[3]));
            order.addAll(starts);
            order.addAll(starts);
            for (int start : order) {
                v.segment(start, Math.min(length, start + piece));
                assertTrue(v.end.stream.takenFrom() <= v.end.stream.takenTo());
                if ((steer & TALKS) != 0) {
                    turn();
                }
            }
            assertTrue(v.end.stream.ending().isPresent() || v.end.stream.nextOffset() >= length);
        }

        /** Puts a key that there is where the ULPDU names one, and an address near it. */
        private void lendKey(byte[] ulpdu, int which) {
            if ((which & 7) == 0 || ulpdu.length < DdpTagged.LENGTH) {
                return;
            }
            ByteBuffer fields = ByteBuffer.wrap(ulpdu);
            if (DdpControl.t(ulpdu[0])) {
                boolean answer = (which & 7) == 1 && sink.isPresent();
                lend(fields, 2, 6, which, answer);
            } else if (ulpdu.length >= DdpUntagged.LENGTH + 28) {
                boolean read = (ulpdu[1] & 0xf) == RdmapOpcode.READ_REQUEST.value();
                int at = DdpUntagged.LENGTH + (read ? 16 : 8);
                lend(fields, at, at + 4, which, false);
            } else if (ulpdu.length >= DdpUntagged.LENGTH) {
                fields.putInt(2, region(which).rkey());
            }
        }

        private void lend(ByteBuffer fields, int keyAt, int addressAt, int which, boolean answer) {
            long near = fields.getLong(addressAt) >> 51;
            if (answer) {
                fields.putInt(keyAt, sink.orElseThrow().stag());
                fields.putLong(addressAt, sink.orElseThrow().to() + (which >> 3 == 0 ? 0 : near));
            } else {
                fields.putInt(keyAt, region(which).rkey());
                fields.putLong(addressAt, region(which).baseAddress() + near);
            }
        }

        private Region region(int which) {
            return switch (which & 7) {
                case 2, 3 -> v.readable;
                case 4 -> v.inbox;
                case 5 -> v.foreign;
                default -> v.open;
            };
        }

        private void finish() {
            v.end.stream.stateDigest();
            v.end.stream.onEndOfStream(v.nowNs);
            for (int turns = 0; !v.end.finSent && v.end.stream.hasTransmitWork(v.nowNs); turns++) {
                assertTrue(turns < MOST_TURNS, "sends without end");
                turn();
            }
            turn();
            if (v.end.stream.ending().isEmpty()) {
                v.end.stream.onBroken("The test says so.", v.nowNs);
            }
            assertTrue(v.end.stream.flush());
            List<String> completions = v.end.completions();
            // Only what is not signalled may be missing, and only if it went well.
            assertTrue(completions.size() == WORK || completions.size() == WORK - 1, completions.toString());
            assertEquals(
                    completions.size(),
                    completions.stream()
                            .map(c -> c.substring(0, c.indexOf(' ')))
                            .distinct()
                            .count());
            // The peer may write to these; all other memory is as it was.
            v.expect(v.open, 0, v.open.segment().toArray(JAVA_BYTE));
            MemorySegment buffers = v.inbox.segment().asSlice(0, 610);
            v.expect(v.inbox, 0, buffers.toArray(JAVA_BYTE));
            v.assertMemory();
        }
    }
}
