package io.verbena.messaging.protocol;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Matches messages to receives as defined by the MPI standard (section 3.5): messages of a pair match in the order in which they were sent,
 * receives in the order in which they were posted. Two lists are searched in order; nothing is allocated.
 *
 * @param <R> a receive
 * @param <M> a message that arrived before its receive
 */
public final class Matching<R extends Matching.Entry, M extends Matching.Entry> {

    /** Any source, any tag. */
    public static final int ANY = -1;

    /** Source, tag and context of a message or a receive; those of a receive may be {@link #ANY}. */
    public abstract static class Entry {
        private @Nullable Entry next;
        private @Nullable Entry before;
        private boolean listed;
        private int source;
        private int tag;
        private int context;

        public final int source() {
            return source;
        }

        public final int tag() {
            return tag;
        }

        public final int context() {
            return context;
        }

        public final void match(int newSource, int newTag, int newContext) {
            source = newSource;
            tag = newTag;
            context = newContext;
        }
    }

    /** A linked list of entries, oldest first. */
    private static final class Queue {
        private @Nullable Entry first;
        private @Nullable Entry last;
        private int size;

        void add(Entry entry) {
            entry.before = last;
            entry.next = null;
            entry.listed = true;
            if (last == null) {
                first = entry;
            } else {
                last.next = entry;
            }
            last = entry;
            size++;
        }

        void remove(Entry entry) {
            if (!entry.listed) {
                return;
            }
            Entry before = entry.before;
            Entry next = entry.next;
            if (before == null) {
                first = next;
            } else {
                before.next = next;
            }
            if (next == null) {
                last = before;
            } else {
                next.before = before;
            }
            entry.listed = false;
            entry.next = null;
            entry.before = null;
            size--;
        }
    }

    private final Queue posted = new Queue();
    private final Queue unexpected = new Queue();

    /** A message has arrived: removes and returns the oldest receive that matches it; null if there is none. */
    @SuppressWarnings("unchecked") // only receives are in that list
    public @Nullable R onMessage(int source, int tag, int context) {
        for (Entry at = posted.first; at != null; at = at.next) {
            if (matches(at, source, tag, context)) {
                posted.remove(at);
                return (R) at;
            }
        }
        return null;
    }

    /** Returns whether a receive matches such a message, without removing it. */
    public boolean awaits(int source, int tag, int context) {
        for (Entry at = posted.first; at != null; at = at.next) {
            if (matches(at, source, tag, context)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the first of the {@code most} oldest messages that satisfies a condition; null if there is none. */
    @SuppressWarnings("unchecked") // only messages are in that list
    public @Nullable M first(Predicate<M> which, int most) {
        int examined = 0;
        for (Entry at = unexpected.first; at != null && examined++ < most; at = at.next) {
            if (which.test((M) at)) {
                return (M) at;
            }
        }
        return null;
    }

    /** Adds a message that no receive matches. */
    public void keep(M message) {
        unexpected.add(message);
    }

    /** A receive is about to be posted: removes and returns the oldest message that it matches; null if there is none. */
    public @Nullable M onReceive(int source, int tag, int context) {
        M found = find(source, tag, context);
        if (found != null) {
            unexpected.remove(found);
        }
        return found;
    }

    /** Returns the oldest message that a receive matches, without removing it; null if there is none. */
    @SuppressWarnings("unchecked") // only messages are in that list
    public @Nullable M find(int source, int tag, int context) {
        for (Entry at = unexpected.first; at != null; at = at.next) {
            if (at.context == context && (source == ANY || source == at.source) && (tag == ANY || tag == at.tag)) {
                return (M) at;
            }
        }
        return null;
    }

    /** Adds a receive that no message matches. */
    public void post(R receive) {
        posted.add(receive);
    }

    /** Removes a receive. */
    public void cancel(R receive) {
        posted.remove(receive);
    }

    /** Removes the messages that satisfy a condition. */
    @SuppressWarnings("unchecked") // only messages are in that list
    public void discard(Predicate<M> which) {
        Entry next;
        for (Entry at = unexpected.first; at != null; at = next) {
            next = at.next;
            if (which.test((M) at)) {
                unexpected.remove(at);
            }
        }
    }

    /** Removes and returns the oldest receive that satisfies a condition; null if there is none. */
    @SuppressWarnings("unchecked") // only receives are in that list
    public @Nullable R take(Predicate<R> which) {
        for (Entry at = posted.first; at != null; at = at.next) {
            R receive = (R) at;
            if (which.test(receive)) {
                posted.remove(at);
                return receive;
            }
        }
        return null;
    }

    /** Number of messages that wait for their receives. */
    public int unexpected() {
        return unexpected.size;
    }

    /** Number of receives that wait for their messages. */
    public int posted() {
        return posted.size;
    }

    private static boolean matches(Entry receive, int source, int tag, int context) {
        return receive.context == context
                && (receive.source == ANY || receive.source == source)
                && (receive.tag == ANY || receive.tag == tag);
    }
}
