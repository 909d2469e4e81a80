package io.verbena.sockets.nio;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What TCP carries in this process although the agent is there, and why: for the figures that other processes read. */
public final class LeftOut {

    private static final Map<String, String> FOUND = new TreeMap<>();

    private LeftOut() {}

    /**
     * Adds something that is left out.
     *
     * @return whether it was not known before
     */
    public static boolean add(String what, String why) {
        synchronized (FOUND) {
            return FOUND.putIfAbsent(what, why) == null;
        }
    }

    /** Sentences without a period, in the order of the alphabet. */
    public static List<String> sentences() {
        synchronized (FOUND) {
            return FOUND.entrySet().stream()
                    .map(each -> each.getKey() + ": " + each.getValue())
                    .toList();
        }
    }
}
