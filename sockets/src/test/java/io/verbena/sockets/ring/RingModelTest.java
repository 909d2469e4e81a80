package io.verbena.sockets.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * A writer and a reader that sleep when they have nothing to do, in all orders of their steps, with an end at any moment: the output is shut, either
 * side closes or resets, or the process of either dies. No order leaves one of them asleep that has something to do.
 */
class RingModelTest {

    private static final int RING = 4096;
    private static final int PIECE = 2500;
    private static final int PIECES = 3;

    /** What can happen next. */
    private enum Step {
        WRITER,
        READER,
        SHUT,
        WRITER_CLOSES,
        WRITER_RESETS,
        WRITER_DIES,
        READER_CLOSES,
        READER_DIES
    }

    /** Where a thread is. */
    private enum Place {
        WORKS,
        /** It has worked, and looks whether the other one sleeps. */
        WAKES,
        ARMS,
        LOOKS,
        SLEEPS,
        OVER
    }

    /** One run: a list of steps is replayed from the beginning. */
    private static final class Run {
        private final RingPair pair = new RingPair(RING);
        private final RingEnd writer = pair.client;
        private final RingEnd reader = pair.server;
        private Place writes = Place.WORKS;
        private Place reads = Place.WORKS;
        private long written;
        private long read;
        private boolean ended;
        private String seen = "";
        private String kind = "";

        /** Bytes on the connection of TCP, and its end. */
        private boolean wakesWriter;

        private boolean wakesReader;
        private boolean writerGone;
        private boolean readerGone;

        /** Returns whether the step was possible. */
        boolean step(Step step) {
            return switch (step) {
                case WRITER -> write();
                case READER -> read();
                case SHUT -> {
                    boolean possible = !ended && !writerGone && writes != Place.OVER && written == PIECES * PIECE;
                    if (possible) {
                        ended = true;
                        writer.shutdownOutput();
                        writes = Place.WAKES;
                    }
                    yield possible;
                }
                case WRITER_CLOSES -> endWriter(() -> writer.close(false));
                case WRITER_RESETS ->
                    endWriter(() -> {
                        kind = "reset";
                        writer.close(true);
                    });
                case WRITER_DIES -> endWriter(() -> {});
                case READER_CLOSES -> endReader(() -> reader.close(false));
                case READER_DIES -> endReader(() -> {});
            };
        }

        private boolean endWriter(Runnable ending) {
            boolean possible = !ended && !writerGone && !readerGone;
            if (possible) {
                ended = true;
                writerGone = true;
                writes = Place.OVER;
                ending.run();
            }
            return possible;
        }

        private boolean endReader(Runnable ending) {
            boolean possible = !ended && !readerGone && !writerGone;
            if (possible) {
                ended = true;
                readerGone = true;
                reads = Place.OVER;
                ending.run();
            }
            return possible;
        }

        private boolean write() {
            switch (writes) {
                case WORKS -> {
                    int left = PIECES * PIECE - (int) written;
                    int bytes = writer.write(RingPair.bytes(written, Math.min(PIECE, left)));
                    written += bytes;
                    boolean over = writer.state() == RingState.PEER_GONE || writer.lost();
                    writes = over ? Place.OVER : bytes > 0 ? Place.WAKES : left == 0 ? Place.OVER : Place.ARMS;
                }
                case WAKES -> {
                    wakesReader |= writer.takeReader();
                    writes = ended ? Place.OVER : Place.WORKS;
                }
                case ARMS -> {
                    writer.sleepForSpace();
                    writes = Place.LOOKS;
                }
                case LOOKS -> {
                    boolean goesOn = writer.writable();
                    if (goesOn) {
                        writer.awakeForSpace();
                    }
                    writes = goesOn ? Place.WORKS : Place.SLEEPS;
                }
                case SLEEPS -> {
                    if (!wakesWriter && !readerGone) {
                        return false;
                    }
                    if (readerGone) {
                        writer.onPeerGone();
                    }
                    wakesWriter = false;
                    writes = Place.WORKS;
                }
                case OVER -> {
                    return false;
                }
            }
            return true;
        }

        private boolean read() {
            switch (reads) {
                case WORKS -> {
                    ByteBuffer target = ByteBuffer.allocate(1800);
                    int bytes = reader.read(target);
                    if (bytes < 0) {
                        seen = bytes == RingEnd.END ? "end" : "reset";
                        reads = Place.OVER;
                        break;
                    }
                    for (int i = 0; i < bytes; i++) {
                        assertEquals(RingPair.at(read + i), target.get(i));
                    }
                    read += bytes;
                    reads = bytes > 0 ? Place.WAKES : Place.ARMS;
                }
                case WAKES -> {
                    wakesWriter |= reader.takeWriter();
                    reads = Place.WORKS;
                }
                case ARMS -> {
                    reader.sleepForBytes();
                    reads = Place.LOOKS;
                }
                case LOOKS -> {
                    boolean goesOn = reader.readable();
                    if (goesOn) {
                        reader.awakeForBytes();
                    }
                    reads = goesOn ? Place.WORKS : Place.SLEEPS;
                }
                case SLEEPS -> {
                    if (!wakesReader && !writerGone) {
                        return false;
                    }
                    if (writerGone) {
                        reader.onPeerGone();
                    }
                    wakesReader = false;
                    reads = Place.WORKS;
                }
                case OVER -> {
                    return false;
                }
            }
            return true;
        }

        /** Everything that decides what can happen next. */
        String state() {
            return String.join(
                            " ",
                            List.of(
                                            writes,
                                            reads,
                                            written,
                                            read,
                                            ended,
                                            wakesWriter,
                                            wakesReader,
                                            writerGone,
                                            readerGone)
                                    .stream()
                                    .map(String::valueOf)
                                    .toList())
                    + writer
                    + reader
                    + kind
                    + writer.sleepsForSpace()
                    + reader.sleepsForBytes();
        }

        /** No step of the two threads is left. */
        void check(List<Step> steps) {
            String text = steps.toString();
            if (readerGone) {
                assertEquals(Place.OVER, writes, text);
                return;
            }
            if (!ended) {
                assertEquals(PIECES * PIECE, (int) read, text); // the writer has written all, and the reader waits
                return;
            }
            assertEquals(Place.OVER, reads, text);
            assertEquals(written, read, text);
        }
    }

    private static Run replay(List<Step> steps) {
        Run run = new Run();
        steps.forEach(run::step);
        return run;
    }

    @Test
    void allOrders_leaveNobodyAsleepWithSomethingToDo() {
        Set<String> known = new HashSet<>();
        Set<String> outcomes = new TreeSet<>();
        Queue<List<Step>> open = new ArrayDeque<>(List.of(List.of()));
        while (!open.isEmpty()) {
            List<Step> steps = open.remove();
            boolean lives = false;
            for (Step step : Step.values()) {
                Run run = replay(steps);
                if (!run.step(step)) {
                    continue;
                }
                lives |= step == Step.WRITER || step == Step.READER;
                if (known.add(run.state())) {
                    List<Step> more = new ArrayList<>(steps);
                    more.add(step);
                    open.add(more);
                }
            }
            if (!lives) {
                Run run = replay(steps);
                run.check(steps);
                outcomes.add(run.seen);
            }
        }
        assertEquals(Set.of("", "end", "reset"), outcomes);
        assertTrue(known.size() > 1000, "states: " + known.size());
    }
}
