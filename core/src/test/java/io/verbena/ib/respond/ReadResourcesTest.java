package io.verbena.ib.respond;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Answers that are repeated: a peer that asks often gets each packet once more, and none is forgotten. */
class ReadResourcesTest {

    private static final int PACKETS = 100;

    private final ReadResources reads = new ReadResources(4);

    private void leave(int count) {
        for (int i = 0; i < count; i++) {
            reads.packetLeft();
        }
    }

    private int packetsUntilIdle() {
        int sent = 0;
        while (reads.pending()) {
            reads.packetLeft();
            sent++;
        }
        return sent;
    }

    private void addRead() {
        reads.addRead((int) reads.next() * PACKETS, PACKETS, 0, 7, PACKETS, 1);
    }

    @Test
    void answered_requestRepeatedOften_isAnsweredOnceMore() {
        addRead();
        assertEquals(PACKETS, packetsUntilIdle());
        for (int i = 0; i < 8; i++) {
            reads.answerPart(0, 0, PACKETS, 0);
        }
        assertEquals(PACKETS, packetsUntilIdle());
    }

    @Test
    void halfAnswered_requestRepeated_onlyTheFirstHalfIsRepeated() {
        addRead();
        leave(50);
        reads.answerPart(0, 0, PACKETS, 0);
        reads.answerPart(0, 0, PACKETS, 0);
        assertEquals(PACKETS, packetsUntilIdle());
    }

    @Test
    void repetitionHalfSent_requestRepeatedAgain_beginsAgainWithoutTheRestTwice() {
        addRead();
        packetsUntilIdle();
        reads.answerPart(0, 0, PACKETS, 0);
        leave(50);
        reads.answerPart(0, 0, PACKETS, 0);
        assertEquals(50 + 50, packetsUntilIdle(), "the rest of the repetition, then its beginning again");
    }

    /** A model: after any repeated requests every packet that was asked for, and not sent since, is sent. */
    @Test
    void anyRepetitions_everyPacketThatWasAskedForIsSent() {
        for (long seed = 0; seed < 2_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ReadResources tested = new ReadResources(4);
            BitSet owed = new BitSet();
            for (int i = 0; i < 4; i++) {
                tested.addRead(i * PACKETS, PACKETS, i * 1000L, 7, PACKETS, 1);
                owed.set(i * PACKETS, (i + 1) * PACKETS);
            }
            for (int step = 0; step < 600; step++) {
                if (random.nextInt(20) == 0) {
                    int index = random.nextInt(4);
                    int packet = random.nextInt(PACKETS);
                    int count = 1 + random.nextInt(PACKETS);
                    tested.answerPart(index, packet, count, 0);
                    owed.set(index * PACKETS + packet, index * PACKETS + Math.min(packet + count, PACKETS));
                } else if (tested.pending()) {
                    owed.clear((int) tested.answer() * PACKETS + tested.answerPacket());
                    tested.packetLeft();
                }
            }
            while (tested.pending()) {
                owed.clear((int) tested.answer() * PACKETS + tested.answerPacket());
                tested.packetLeft();
            }
            assertEquals(new BitSet(), owed, "seed " + seed);
        }
    }
}
