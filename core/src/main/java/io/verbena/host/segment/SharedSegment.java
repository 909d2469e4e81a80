package io.verbena.host.segment;

import io.verbena.base.RandomSource;
import io.verbena.host.system.FileMapping;
import io.verbena.host.system.Linux;
import io.verbena.memory.vmm.SharedSegments.Offered;
import io.verbena.memory.vmm.SharedSegments.Shareable;
import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.SegmentToken;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Memory of this process in a file without a name whose size is sealed, and the offers of it. Any thread. */
final class SharedSegment implements Shareable {

    private static final String NAME = "verbena-segment";
    private static final int MOST_OFFERS = 256;

    private final SegmentLoop loop;
    private final RandomSource random;
    private final int fd;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final List<SegmentOffering> offers = new ArrayList<>();
    private boolean closed;

    private SharedSegment(SegmentLoop loop, RandomSource random, int fd, long bytes, Runnable unmapped)
            throws IOException {
        this.loop = loop;
        this.random = random;
        this.fd = fd;
        boolean done = false;
        try {
            memory = FileMapping.map(fd, bytes, true, arena, unmapped);
            done = true;
        } finally {
            if (!done) {
                arena.close();
            }
        }
    }

    /**
     * Creates zeroed memory.
     *
     * @param unmapped runs when it is unmapped
     */
    static SharedSegment of(SegmentLoop loop, RandomSource random, long bytes, Runnable unmapped) throws IOException {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(call);
            int fd = (int) FileMapping.check(Linux.memoryFile(state, call.allocateFrom(NAME)), "memfd_create");
            boolean done = false;
            try {
                FileMapping.allocate(state, fd, bytes);
                FileMapping.check(Linux.sealSize(state, fd), "fcntl");
                SharedSegment sharedSegment = new SharedSegment(loop, random, fd, bytes, unmapped);
                done = true;
                return sharedSegment;
            } finally {
                if (!done) {
                    Linux.close(state, fd);
                }
            }
        }
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public Offered offer(SegmentOfferOptions options) throws IOException {
        synchronized (loop) {
            if (closed) {
                throw new IllegalStateException("the segment is unmapped");
            }
            offers.removeIf(SegmentOffering::over);
            if (offers.size() == MOST_OFFERS) {
                throw new IllegalStateException(
                        "the segment has " + MOST_OFFERS + " offers; close those that are not needed");
            }
            SegmentToken token = new SegmentToken(random.nextLong(), random.nextLong(), random.nextLong());
            SegmentOffering segmentOffering = SegmentOffering.of(loop, this, token, options, HostSegments.user());
            offers.add(segmentOffering);
            return segmentOffering;
        }
    }

    /** Sends the memory in an answer. Returns false if the other process has ended. */
    boolean send(SegmentSocket to, boolean writable) throws IOException {
        if (writable) {
            return to.answer(SegmentSocket.OPENED, memory.byteSize(), fd) >= 0;
        }
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(call);
            int reading = (int)
                    FileMapping.check(Linux.openForReading(state, call.allocateFrom("/proc/self/fd/" + fd)), "openat");
            try {
                return to.answer(SegmentSocket.OPENED, memory.byteSize(), reading) >= 0;
            } finally {
                Linux.close(state, reading);
            }
        }
    }

    @Override
    public void giveBack() {
        synchronized (loop) {
            if (closed) {
                return;
            }
            arena.close(); // fails while the program uses the memory in a call of foreign code: the caller tries again
            closed = true;
            offers.forEach(SegmentOffering::abandon);
            SegmentSocket.closeDescriptor(fd);
        }
    }
}
