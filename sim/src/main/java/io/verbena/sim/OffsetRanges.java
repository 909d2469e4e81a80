package io.verbena.sim;

import java.util.Map;
import java.util.TreeMap;

/** A set of stream offsets, as ranges. */
final class OffsetRanges {

    /** The end of each range by its beginning; ranges do not touch. */
    private final TreeMap<Long, Long> ends = new TreeMap<>();

    void add(long from, long to) {
        if (from >= to) {
            return;
        }
        long first = from;
        long last = to;
        Map.Entry<Long, Long> before = ends.floorEntry(to);
        while (before != null && before.getValue() >= first) {
            first = Math.min(first, before.getKey());
            last = Math.max(last, before.getValue());
            ends.remove(before.getKey());
            before = ends.floorEntry(to);
        }
        ends.put(first, last);
    }

    void remove(long from, long to) {
        long at = firstWithin(from, to);
        while (at < to) {
            Map.Entry<Long, Long> range = ends.floorEntry(at);
            long begin = range.getKey();
            long end = range.getValue();
            ends.remove(begin);
            add(begin, from);
            add(to, end);
            at = firstWithin(at, to);
        }
    }

    /** The first offset, starting at {@code from}, that is not in the set. */
    long firstMissing(long from) {
        Map.Entry<Long, Long> range = ends.floorEntry(from);
        return range != null && range.getValue() > from ? range.getValue() : from;
    }

    /** The first offset, starting at {@code from}, that is in the set; {@code to} if there is none before it. */
    long firstWithin(long from, long to) {
        if (firstMissing(from) > from) {
            return Math.min(from, to);
        }
        Long next = ends.ceilingKey(from);
        return next == null ? to : Math.min(next, to);
    }
}
