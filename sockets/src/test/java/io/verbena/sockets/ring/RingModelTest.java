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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A writer and a reader that sleep when they have nothing to do, in all orders of their steps, with an end at any moment: the output is shut, either
 * side closes or resets, or the process of either dies. No order leaves one of them asleep that has something to do, whether they are woken by bytes on the
 * connection, which wait there for the one that does not sleep yet, or in the memory, where a wake-up that comes too early or too late is lost.
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
        /** It has taken the announcement of the other one, and calls the system to wake it. */
        CALLS,
        ANNOUNCES,
        LOOKS,
        /** It calls the system, which compares the word with the value that was announced. */
        ENTERS,
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

        private final int way;

        /** Bytes on the connection of TCP; in memory, the threads that were woken. */
        private boolean wakesWriter;

        private boolean wakesReader;

        /** What the threads have announced. */
        private int writerValue;

        private int readerValue;
        private boolean writerGone;
        private boolean readerGone;

        Run(int way) {
            this.way = way;
        }

        /** What a call to wake the other one does: a byte remains, and a wake-up is only for one that sleeps. */
        private boolean reaches(Place other) {
            return way == RingSleep.BY_BYTE || other == Place.SLEEPS;
        }

        /** Returns whether the step was possible. */
        boolean step(Step step) {
            return switch (step) {
                case WRITER -> write();
                case READER -> read();
                case SHUT -> {
                    boolean possible = !ended
                            && !writerGone
                            && writes != Place.OVER
                            && writes != Place.CALLS
                            && written == PIECES * PIECE;
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
                    writes = over ? Place.OVER : bytes > 0 ? Place.WAKES : left == 0 ? Place.OVER : Place.ANNOUNCES;
                }
                case WAKES -> writes = writer.takeReader() != 0 ? Place.CALLS : ended ? Place.OVER : Place.WORKS;
                case CALLS -> {
                    wakesReader |= reaches(reads);
                    writes = ended ? Place.OVER : Place.WORKS;
                }
                case ANNOUNCES -> {
                    writerValue = writer.forSpace().announce(way);
                    writes = Place.LOOKS;
                }
                case LOOKS -> {
                    boolean goesOn = writer.writable();
                    if (goesOn) {
                        writer.awakeForSpace();
                    }
                    writes = goesOn ? Place.WORKS : way == RingSleep.BY_BYTE ? Place.SLEEPS : Place.ENTERS;
                }
                case ENTERS -> writes = writer.forSpace().value() == writerValue ? Place.SLEEPS : Place.WORKS;
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
                    reads = bytes > 0 ? Place.WAKES : Place.ANNOUNCES;
                }
                case WAKES -> reads = reader.takeWriter() != 0 ? Place.CALLS : Place.WORKS;
                case CALLS -> {
                    wakesWriter |= reaches(writes);
                    reads = Place.WORKS;
                }
                case ANNOUNCES -> {
                    readerValue = reader.forBytes().announce(way);
                    reads = Place.LOOKS;
                }
                case LOOKS -> {
                    boolean goesOn = reader.readable();
                    if (goesOn) {
                        reader.awakeForBytes();
                    }
                    reads = goesOn ? Place.WORKS : way == RingSleep.BY_BYTE ? Place.SLEEPS : Place.ENTERS;
                }
                case ENTERS -> reads = reader.forBytes().value() == readerValue ? Place.SLEEPS : Place.WORKS;
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
                    + writer.forSpace().announced(way)
                    + reader.forBytes().announced(way)
                    + (writer.forSpace().value() == writerValue)
                    + (reader.forBytes().value() == readerValue);
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

    private static Run replay(int way, List<Step> steps) {
        Run run = new Run(way);
        steps.forEach(run::step);
        return run;
    }

    @ParameterizedTest
    @ValueSource(ints = {RingSleep.BY_BYTE, RingSleep.BY_MEMORY})
    void allOrders_leaveNobodyAsleepWithSomethingToDo(int way) {
        Set<String> known = new HashSet<>();
        Set<String> outcomes = new TreeSet<>();
        Queue<List<Step>> open = new ArrayDeque<>(List.of(List.of()));
        while (!open.isEmpty()) {
            List<Step> steps = open.remove();
            boolean lives = false;
            for (Step step : Step.values()) {
                Run run = replay(way, steps);
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
                Run run = replay(way, steps);
                run.check(steps);
                outcomes.add(run.seen);
            }
        }
        assertEquals(Set.of("", "end", "reset"), outcomes);
        assertTrue(known.size() > 1000, "states: " + known.size());
    }
}
