package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.fixture.Seeds;
import io.verbena.iwarp.early.UlpduSink;
import io.verbena.memory.Region;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs of short messages are framed and taken in a loop of their own. The bytes, the state, the completions and the
 * memory are those of streams that frame one message at a time and decode each.
 */
class MessageRunsTest {

    private static final int BYTES = 1 << 16;
    private static final int MESSAGES = 60;

    /** A pair and its memory; all of one seed have the same keys. */
    private static final class Twin {
        final StreamPair pair;
        final Region local;
        final Region remote;
        final int budget;

        Twin(int budget, UnaryOperator<UlpduSink> around) {
            this.budget = budget;
            pair = new StreamPair(false, false, 1500, Optional.empty(), 256, around);
            local = pair.a.region(BYTES);
            remote = pair.b.region(BYTES);
            StreamPair.fill(local, 1);
        }

        static Twin ofRuns() {
            return new Twin(64 * 1024, UnaryOperator.identity());
        }

        /** Frames one message in a list, and takes messages by decoding them. */
        static Twin oneByOne() {
            return new Twin(1, sink -> new NotNow(sink, () -> false));
        }

        void post(SplittableRandom random) {
            for (int i = 0; i < MESSAGES; i++) {
                int length = random.nextInt(8) == 0 ? random.nextInt(4000) : random.nextInt(100);
                boolean inline = length <= 64 && random.nextBoolean();
                WrFlags flags = random.nextInt(4) == 0 ? WrFlags.SIGNALLED.withSolicited() : WrFlags.UNSIGNALLED;
                pair.a.post(
                        opcode(random.nextInt(40)),
                        random.nextInt(5) == 0 ? flags.withFence() : flags,
                        wqe -> details(random, wqe, length, inline));
            }
        }

        private static WorkOpcode opcode(int choice) {
            return switch (choice) {
                case 0 -> WorkOpcode.READ;
                case 1 -> WorkOpcode.FETCH_AND_ADD;
                case 2 -> WorkOpcode.SEND_WITH_IMMEDIATE;
                case 3 -> WorkOpcode.WRITE_WITH_IMMEDIATE;
                default -> choice % 2 == 0 ? WorkOpcode.SEND : WorkOpcode.WRITE;
            };
        }

        private void details(SplittableRandom random, Wqe wqe, int length, boolean inline) {
            WorkOpcode opcode = wqe.opcode();
            boolean atomic = opcode == WorkOpcode.FETCH_AND_ADD;
            wqe.rkey(remote.rkey()).remoteAddress(remote.baseAddress() + random.nextInt(BYTES - 4096) / 8 * 8L);
            int from = random.nextInt(BYTES - 4096);
            if (inline && !atomic && opcode != WorkOpcode.READ) {
                MemorySegment.copy(local.segment(), from, wqe.bytes(), wqe.inlineOffset(), length);
                wqe.flags(WrFlags.UNSIGNALLED.withInline()).inlineLength(length);
            } else {
                int first = atomic ? 8 : random.nextInt(length + 1);
                wqe.addElement(local.localKey(), from, first);
                if (!atomic && length > first) {
                    wqe.addElement(local.localKey(), from / 2, length - first);
                }
            }
        }

        void receives(int count) {
            for (int i = 0; i < count; i++) {
                pair.b.postReceive(i, remote, 4L * i, 4000);
            }
        }

        /** What A has to send, which then has left. */
        byte[] sent() {
            pair.a.transmit(0, budget);
            byte[] wire = pair.a.wire;
            pair.a.wire = new byte[0];
            return wire;
        }

        void take(byte[] bytes, int from, int to) {
            Slab slab = new Slab(Math.max(1, to - from));
            MemorySegment.copy(bytes, from, slab.segment(), ValueLayout.JAVA_BYTE, 0, to - from);
            pair.b.stream.onBytes(slab, 0, to - from, 0);
        }

        /** What B answers, taken by A. */
        byte[] answered() {
            pair.b.transmit(0, 64 * 1024);
            byte[] wire = pair.b.wire;
            pair.deliver(pair.b, pair.a, Integer.MAX_VALUE);
            return wire;
        }
    }

    private static void assertSame(Twin runs, Twin oneByOne) {
        assertEquals(oneByOne.pair.b.stream.stateDigest(), runs.pair.b.stream.stateDigest());
        assertEquals(oneByOne.pair.b.completions(), runs.pair.b.completions());
        assertEquals(-1, oneByOne.remote.segment().mismatch(runs.remote.segment()));
    }

    /** Takes bytes in the same pieces and compares after each of them. */
    private static void taken(SplittableRandom random, byte[] bytes, Twin runs, Twin oneByOne) {
        int most = random.nextBoolean() ? 300 : bytes.length + 1;
        for (int at = 0; at < bytes.length; ) {
            int end = Math.min(bytes.length, at + 1 + random.nextInt(most));
            runs.take(bytes, at, end);
            oneByOne.take(bytes, at, end);
            assertSame(runs, oneByOne);
            at = end;
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void randomMessages_inAnyPieces_haveTheSameOutcome() {
        Seeds.each(40, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            Twin runs = Twin.ofRuns();
            Twin oneByOne = Twin.oneByOne();
            for (int round = 0; round < 4; round++) {
                long postSeed = random.nextLong();
                runs.post(new SplittableRandom(postSeed));
                oneByOne.post(new SplittableRandom(postSeed));
                int receives = 64 - (int) (runs.pair.b.receive.posted() - runs.pair.b.receive.retired());
                runs.receives(receives);
                oneByOne.receives(receives);
                byte[] sent = runs.sent();
                for (int turn = 0; sent.length > 0; turn++) {
                    assertTrue(turn < 100);
                    assertArrayEquals(oneByOne.sent(), sent);
                    taken(random, sent, runs, oneByOne);
                    assertArrayEquals(oneByOne.answered(), runs.answered());
                    assertEquals(oneByOne.pair.a.completions(), runs.pair.a.completions());
                    sent = runs.sent();
                }
                assertTrue(runs.pair.b.stream.ending().isEmpty());
            }
        });
    }

    /** Too few receives, and bytes that are not what A has sent. */
    @Tag(Seeds.TAG)
    @Test
    void damagedMessages_haveTheSameOutcome() {
        Seeds.each(200, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            Twin runs = Twin.ofRuns();
            Twin oneByOne = Twin.oneByOne();
            long postSeed = random.nextLong();
            runs.post(new SplittableRandom(postSeed));
            oneByOne.post(new SplittableRandom(postSeed));
            int receives = random.nextInt(64);
            runs.receives(receives);
            oneByOne.receives(receives);
            byte[] sent = runs.sent();
            assertArrayEquals(oneByOne.sent(), sent);
            for (int i = random.nextInt(3); i > 0; i--) {
                sent[random.nextInt(sent.length)] ^= (byte) (1 << random.nextInt(8));
            }
            taken(random, sent, runs, oneByOne);
            assertEquals(
                    oneByOne.pair.b.stream.ending().toString(),
                    runs.pair.b.stream.ending().toString());
        });
    }
}
