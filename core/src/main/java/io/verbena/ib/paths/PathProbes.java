package io.verbena.ib.paths;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.verbs.PathState;

/**
 * The states of the paths of a requester, and the questions to those that requests avoid. A suspected path is asked at
 * once; its answer makes it active, and silence retires it. A retired path is asked after a pause, which doubles with
 * each question that stays without an answer; {@link #ANSWERS} answers in a row revive it.
 */
public final class PathProbes {

    /** Answers in a row that revive a path. */
    static final int ANSWERS = 3;

    /** Shortest and longest pause between questions to a retired path. */
    private static final long LEAST_PAUSE_NS = 100_000;

    private static final long LONGEST_PAUSE_NS = 1_000_000_000;

    /** The longest pause is 2 to the power of this times the round trip: a path that works again is used soon. */
    private static final int MOST_DOUBLINGS = 3;

    /** The odd number nearest to 2^64 divided by the golden ratio: consecutive multiples are spread over all values. */
    private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

    /**
     * A path that has never answered has this many times the longest usual silence of the others for its first
     * answer.
     */
    private static final int FIRST_ANSWER = 64;

    private final Path[] paths;
    private final long initialNs;
    private final PathEvents events;
    private long nonces;
    private long deadlineNs = Times.NEVER;

    /** When the peer answered last, on any path, if it did. */
    private long heardNs;

    private boolean heard;

    PathProbes(Path[] paths, long initialNs, long seed, PathEvents events) {
        this.paths = paths;
        this.initialNs = initialNs;
        this.events = events;
        nonces = seed;
    }

    /**
     * A time for a path that has never answered: a multiple of the longest silence that is usual on another path, at
     * most that of a connection of which nothing is known.
     */
    long unknownNs(int times) {
        long longestNs = 0;
        for (Path path : paths) {
            longestNs = path.known() ? Math.max(longestNs, path.silenceNs(initialNs)) : longestNs;
        }
        return longestNs == 0 ? initialNs : Math.min(initialNs, times * longestNs);
    }

    /** Paths that requests may take. */
    int usable() {
        int count = 0;
        for (Path path : paths) {
            count += path.state == PathState.ACTIVE || path.state == PathState.SUSPECT ? 1 : 0;
        }
        return count;
    }

    /** Applies an event, unless it would retire the last path. */
    void on(Path path, PathEvent event, long nowNs) {
        PathState before = path.state;
        PathState after = PathStates.TABLE.next(before, event);
        if (after == before) {
            return;
        }
        if (before == PathState.SUSPECT && after == PathState.RETIRED && usable() == 1) {
            path.doublings++;
            path.ask();
            return;
        }
        path.state = after;
        switch (after) {
            case ACTIVE -> {
                path.stopAsking();
                path.doublings = 0;
                if (before == PathState.PROBING) {
                    events.onRevived(path.number);
                }
            }
            case SUSPECT, PROBING -> path.ask();
            case RETIRED -> retire(path, before, nowNs);
        }
    }

    private void retire(Path path, PathState before, long nowNs) {
        path.stopAsking();
        long first = Math.max(LEAST_PAUSE_NS, path.known() ? path.roundTripNs() : initialNs);
        path.pauseEndsNs = Times.after(nowNs, Math.min(LONGEST_PAUSE_NS, first << path.doublings));
        path.doublings = Math.min(MOST_DOUBLINGS, path.doublings + 1);
        if (before == PathState.SUSPECT) {
            events.onRetired(path.number);
        }
    }

    /** Applies what time has brought. */
    void settle(long nowNs) {
        deadlineNs = Times.NEVER;
        for (Path path : paths) {
            if (Times.due(path.probeDeadlineNs(), nowNs)) {
                if (path.state == PathState.RETIRED) {
                    on(path, PathEvent.PAUSED, nowNs);
                } else {
                    unanswered(path, nowNs);
                }
            }
            deadlineNs = Times.earlier(deadlineNs, path.probeDeadlineNs());
        }
    }

    /** The time at which {@link #settle} is due, or {@link Times#NEVER}. */
    long deadlineNs() {
        return deadlineNs;
    }

    /** A question was not answered in time. While the peer answers on no path, that says nothing about this one. */
    private void unanswered(Path path, long nowNs) {
        path.questionOpen = false;
        if (path.state == PathState.PROBING || heard && path.askedBefore(heardNs)) {
            on(path, PathEvent.SILENT, nowNs);
        } else {
            path.doublings++;
            if (path.state == PathState.SUSPECT) {
                path.ask();
            }
        }
    }

    /** Asks the next active path after this one. */
    void askAfter(Path one) {
        for (int i = 1; i < paths.length; i++) {
            Path path = paths[(one.number + i) % paths.length];
            if (path.state == PathState.ACTIVE) {
                if (!path.questionOpen) {
                    path.ask();
                }
                return;
            }
        }
    }

    /** The peer has answered on some path. */
    void heard(long nowNs) {
        heard = true;
        heardNs = nowNs;
    }

    /** Nothing was answered for long: each path that requests take is asked. */
    void askAll() {
        for (Path path : paths) {
            if (path.state == PathState.ACTIVE && !path.questionOpen) {
                path.ask();
            }
        }
    }

    /** The path of the next question, or -1. */
    public int due() {
        for (Path path : paths) {
            if (path.questionDue) {
                return path.number;
            }
        }
        return -1;
    }

    /** The nonce of the next question to a path. */
    public long nonce(int path) {
        return nonces + SPREAD * (path + 1L);
    }

    /** The question with {@link #nonce} was sent. */
    public void asked(int path, long nowNs) {
        paths[path].asked(nonce(path), nowNs, unknownNs(FIRST_ANSWER));
        nonces += SPREAD * (paths.length + 1L);
        deadlineNs = Times.earlier(deadlineNs, paths[path].questionEndsNs);
    }

    /** An answer has arrived. Returns whether it has the nonce of an open question; any other value is ignored. */
    public boolean answered(int number, long nonce, long nowNs) {
        if (number >= paths.length) {
            return false;
        }
        Path path = paths[number];
        if (!path.questionOpen || path.nonce != nonce) {
            return false;
        }
        heard(nowNs);
        path.questionAnswered(nowNs);
        if (path.state == PathState.PROBING) {
            path.answersInRow++;
            if (path.answersInRow < ANSWERS) {
                path.ask();
                return true;
            }
            on(path, PathEvent.REVIVED, nowNs);
        } else {
            path.doublings = 0;
            on(path, PathEvent.ANSWERED, nowNs);
        }
        return true;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(Digest.mix(digest, nonces), deadlineNs);
        return Digest.mix(d, heard ? heardNs : 0);
    }
}
