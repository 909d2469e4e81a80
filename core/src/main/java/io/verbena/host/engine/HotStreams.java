package io.verbena.host.engine;

import org.jspecify.annotations.Nullable;

/**
 * The few streams and packet ports of a loop that had traffic recently. They are reported readable in every round, so that the round
 * needs no call of the selector: reading directly gives the same information with one system call less. A stream
 * without bytes for some rounds cools down. A stream that stays hot for long is removed from epoll until it cools down,
 * because epoll costs 150 ns for each arriving segment. If more streams are busy than this class can hold, reading each
 * one would cost more than calling the selector: then no stream is hot for a while.
 */
public final class HotStreams {

    public static final int MAX = 4;
    private static final int COOL_AFTER_ROUNDS = 64;
    private static final int CROWDED_ROUNDS = 1024;

    /** Leaving and rejoining costs a system call each: rounds with bytes before it pays. */
    static final int LEAVE_AFTER_ROUNDS = 1024;

    private final @Nullable LoopSource[] streams = new LoopSource[MAX];
    private int count;
    private long crowdedUntilRound;

    boolean isEmpty() {
        return count == 0;
    }

    /** Reports each stream as readable. Returns the number of streams that had bytes since the last call. */
    int tell(long round) {
        int progressed = 0;
        for (int i = count - 1; i >= 0; i--) {
            LoopSource stream = i < count ? streams[i] : null;
            if (stream == null || stream.reportedRound == round) {
                continue; // events of another stream have closed or moved it
            }
            if (progressed(stream)) {
                progressed++;
            } else if (++stream.quietRounds > COOL_AFTER_ROUNDS) {
                cool(stream);
                continue;
            }
            if (!stream.attached() || !stream.wantsReadable()) {
                cool(stream);
                continue;
            }
            stream.reportedRound = round;
            stream.tellReadable();
        }
        return progressed;
    }

    private static boolean progressed(LoopSource stream) {
        if (stream.seenBytes == stream.readBytes) {
            return false;
        }
        stream.seenBytes = stream.readBytes;
        stream.quietRounds = 0;
        if (++stream.busyRounds == LEAVE_AFTER_ROUNDS) {
            stream.leaveSystem();
        }
        return true;
    }

    /** The number of streams that had bytes since they were reported. They are not counted again. */
    int progressed() {
        int progressed = 0;
        for (int i = count - 1; i >= 0; i--) {
            LoopSource stream = streams[i];
            if (stream != null && progressed(stream)) {
                progressed++;
            }
        }
        return progressed;
    }

    /** Whether one of the streams waits for writability, which only the system reports. */
    boolean awaitRoom() {
        for (int i = 0; i < count; i++) {
            LoopSource stream = streams[i];
            if (stream != null && stream.wantsWritable()) {
                return true;
            }
        }
        return false;
    }

    /** The selector reported this stream readable. */
    void warm(LoopSource stream, long round) {
        if (stream.hot || round < crowdedUntilRound) {
            return;
        }
        if (count == MAX) {
            crowdedUntilRound = round + CROWDED_ROUNDS;
            coolAll();
            return;
        }
        stream.hot = true;
        stream.quietRounds = 0;
        stream.busyRounds = 0;
        stream.seenBytes = stream.readBytes;
        streams[count++] = stream;
    }

    private void coolAll() {
        for (int i = 0; i < count; i++) {
            LoopSource stream = streams[i];
            if (stream != null) {
                stream.hot = false;
                streams[i] = null;
                stream.rejoinSystem();
            }
        }
        count = 0;
    }

    /** The loop is about to wait or to close: the system must watch every stream. */
    void rejoinSystem() {
        for (int i = 0; i < count; i++) {
            LoopSource stream = streams[i];
            if (stream != null) {
                stream.rejoinSystem();
            }
        }
    }

    void cool(LoopSource stream) {
        if (!stream.hot) {
            return;
        }
        stream.hot = false;
        stream.rejoinSystem();
        for (int i = 0; i < count; i++) {
            if (streams[i] == stream) {
                streams[i] = streams[--count];
                streams[count] = null;
                return;
            }
        }
    }
}
