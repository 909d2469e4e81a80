package io.verbena.tools.disk;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What a command wants of a server. */
public sealed interface DiskRequest {

    /** The namespaces, queues and their figures. */
    record Show() implements DiskRequest {}

    /**
     * A disk more.
     *
     * @param subsystem its subsystem, which is made if there is none of this name
     * @param disk its blocks
     * @param uuid its name; empty: one from the path of its file
     * @param visibleTo NQNs of the hosts of the subsystem that see it; empty: all
     */
    record Add(SubsystemPlan subsystem, DiskPlan disk, Optional<UUID> uuid, Set<String> visibleTo)
            implements DiskRequest {}

    /**
     * A disk less, or a subsystem with all its disks.
     *
     * @param nqn the subsystem
     * @param namespace the disk; 0: all, and the subsystem
     */
    record Remove(String nqn, int namespace) implements DiskRequest {}

    /**
     * A larger disk.
     *
     * @param nqn the subsystem
     * @param namespace the disk
     * @param sizeBytes its new size
     */
    record Resize(String nqn, int namespace, long sizeBytes) implements DiskRequest {}

    /**
     * A subsystem.
     *
     * @param nqn its name; empty: one from the machine and the file
     * @param hosts NQNs of the hosts that may connect; empty: all
     * @param writeCache whether hosts flush
     */
    record SubsystemPlan(String nqn, Set<String> hosts, boolean writeCache) {}

    /** As one line. */
    default String toText() {
        Map<String, String> words = new LinkedHashMap<>();
        switch (this) {
            case Show() -> words.put("do", "show");
            case Remove(String nqn, int namespace) -> {
                words.put("do", "remove");
                words.put("nqn", nqn);
                words.put("namespace", String.valueOf(namespace));
            }
            case Resize(String nqn, int namespace, long sizeBytes) -> {
                words.put("do", "resize");
                words.put("nqn", nqn);
                words.put("namespace", String.valueOf(namespace));
                words.put("bytes", String.valueOf(sizeBytes));
            }
            case Add add -> {
                words.put("do", "add");
                DiskRequestText.put(words, add);
            }
        }
        return Words.line(words);
    }

    /**
     * Reads what {@link #toText} made.
     *
     * @throws IllegalArgumentException if it is not a request
     */
    static DiskRequest of(String text) {
        Map<String, String> words = Words.parse(text);
        return switch (DiskRequestText.word(words, "do")) {
            case "show" -> new Show();
            case "remove" -> new Remove(DiskRequestText.word(words, "nqn"), DiskRequestText.number(words, "namespace"));
            case "resize" ->
                new Resize(
                        DiskRequestText.word(words, "nqn"),
                        DiskRequestText.number(words, "namespace"),
                        Long.parseLong(DiskRequestText.word(words, "bytes")));
            case "add" -> DiskRequestText.add(words);
            default -> throw new IllegalArgumentException("This server does not know the request '" + text + "'");
        };
    }
}
