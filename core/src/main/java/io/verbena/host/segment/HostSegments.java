package io.verbena.host.segment;

import io.verbena.base.RandomSource;
import io.verbena.host.system.BufferedRandom;
import io.verbena.host.system.Linux;
import io.verbena.host.system.Machine;
import io.verbena.host.system.Sentences;
import io.verbena.memory.vmm.SharedSegments;
import io.verbena.verbs.SegmentToken;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Segments that processes of one user on one Linux host share. Their memory is in files without a name (memfd_create(2)), whose
 * descriptor goes through a Unix socket with an abstract name. So nothing remains in the file system when either side is killed.
 */
public final class HostSegments implements SharedSegments {

    /** Of all shareable segments of this process, which have all their pages. */
    private static final AtomicLong USED = new AtomicLong();

    private static final long MOST_BYTES = Runtime.getRuntime().maxMemory();

    private final SegmentLoop loop;
    private final RandomSource random = new BufferedRandom();

    /** @param name begins the name of the thread that waits for other processes */
    public HostSegments(String name) {
        loop = new SegmentLoop(name);
    }

    /** The number of the user of this process, as the system tells others. */
    static int user() {
        try (Arena call = Arena.ofConfined()) {
            return Linux.user(Linux.newState(call));
        }
    }

    private static void checkSystem() throws IOException {
        String obstacle = Machine.obstacleToLinux();
        if (!obstacle.isEmpty()) {
            throw new IOException("segments cannot be shared with other processes. " + obstacle);
        }
    }

    @Override
    public Shareable create(long bytes) throws IOException {
        checkSystem();
        if (USED.addAndGet(bytes) > MOST_BYTES) {
            USED.addAndGet(-bytes);
            throw new IOException("shareable segments of a process may have " + MOST_BYTES
                    + " bytes together, the size of the Java heap; " + USED.get() + " are in use and " + bytes
                    + " more were requested. Close others, or start Java with a larger -Xmx");
        }
        boolean done = false;
        try {
            SharedSegment sharedSegment = SharedSegment.of(loop, random, bytes, () -> USED.addAndGet(-bytes));
            done = true;
            return sharedSegment;
        } catch (IOException e) {
            throw new IOException(
                    "the system has no " + bytes + " bytes of memory for a shareable segment (" + Sentences.reason(e)
                            + ")",
                    e);
        } finally {
            if (!done) {
                USED.addAndGet(-bytes);
            }
        }
    }

    @Override
    public Opened open(SegmentToken token, boolean writable) throws IOException {
        checkSystem();
        return SegmentOpening.of(loop, token, writable, user());
    }
}
