package io.verbena.examples;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.RdmaPeer;
import java.lang.foreign.ValueLayout;
import java.net.*;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.*;

/**
 * A log that a leader writes into the memory of two followers. An entry is committed when the leader and one follower have it, so that
 * the leader continues when one of them is gone. A Write is complete when it was sent; the Read after it shows that it has arrived.
 */
final class ReplicatedLog {

    private static final int ENTRIES = 200;
    private static final int LOG_BYTES = Long.BYTES * (1 + ENTRIES); // the number of entries, then the entries

    private ReplicatedLog() {}

    public static void main(String... args) throws Exception {
        try (RdmaPeer one = follower();
                RdmaPeer two = follower();
                RdmaPeer toOne = RdmaPeer.open(LOG_BYTES + Long.BYTES, AccessRight.LOCAL_WRITE);
                RdmaPeer toTwo = RdmaPeer.open(LOG_BYTES + Long.BYTES, AccessRight.LOCAL_WRITE)) {
            connect(one, toOne);
            connect(two, toTwo);
            List<RdmaPeer> followers = new ArrayList<>(List.of(toOne, toTwo));
            for (int i = 1; i <= ENTRIES; i++) {
                if (i == ENTRIES / 2) {
                    one.close(); // a follower fails
                }
                int entry = i;
                followers.removeIf(each -> !append(each, entry));
                Check.that(!followers.isEmpty(), "no majority is left");
            }
            long count = two.memory().segment().get(ValueLayout.JAVA_LONG, 0);
            Check.that(count == ENTRIES, "the log has " + count + " entries");
            for (int i = 1; i <= ENTRIES; i++) {
                Check.that(two.memory().segment().getAtIndex(ValueLayout.JAVA_LONG, i) == i * 31L, "entry " + i);
            }
            System.out.println(count + " entries were committed; " + followers.size() + " of 2 followers is left.");
        }
    }

    private static RdmaPeer follower() {
        return RdmaPeer.open(LOG_BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
    }

    private static void connect(RdmaPeer follower, RdmaPeer leader) throws Exception {
        SocketAddress address = follower.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> accepted = threads.submit(() -> {
                follower.accept(Duration.ofMinutes(1));
                return true;
            });
            leader.connect(address);
            accepted.get();
        }
    }

    /** The entry first and then the number of entries, in two Writes: they arrive in this order. Returns whether the follower has both. */
    private static boolean append(RdmaPeer follower, int i) {
        try {
            follower.memory().segment().setAtIndex(ValueLayout.JAVA_LONG, i, i * 31L);
            follower.memory().segment().setAtIndex(ValueLayout.JAVA_LONG, 0, i);
            follower.write((long) i * Long.BYTES, Long.BYTES, (long) i * Long.BYTES);
            follower.write(0, Long.BYTES, 0);
            follower.read(LOG_BYTES, Long.BYTES, 0).join();
            return follower.memory().segment().get(ValueLayout.JAVA_LONG, LOG_BYTES) == i;
        } catch (CompletionException | IllegalStateException e) {
            return false; // the connection has ended
        }
    }
}
