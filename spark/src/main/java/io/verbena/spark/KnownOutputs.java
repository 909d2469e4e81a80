package io.verbena.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The outputs of an executor of which a connection to it has learnt where they are. A fetch of blocks of them needs no
 * request: it begins with its Reads. They are forgotten with the connection, or when their shuffle is removed. One that
 * was removed at the other executor only has no key any more, so that its Read fails, the connection ends, and the next
 * one asks. Any thread may call any method.
 */
final class KnownOutputs {

    /** Bytes of offsets for a connection. */
    private static final long MOST_BYTES = 16 << 20;

    // Guarded by this.
    private final Map<Integer, Map<Long, RemoteOutput>> shuffles = new HashMap<>();
    private long bytes;

    /** The first block of a fetch whose output is to be learnt; the number of blocks if there is none. */
    synchronized int firstUnknown(Fetch fetch) {
        Map<Long, RemoteOutput> outputs = shuffles.getOrDefault(fetch.shuffle(), Map.of());
        long[] maps = fetch.blocks().maps();
        if (bytes + OpenReply.MOST_BYTES > MOST_BYTES) {
            return maps.length;
        }
        int block = 0;
        while (block < maps.length && outputs.containsKey(maps[block])) {
            block++;
        }
        return block;
    }

    /** Learns from an answer. */
    synchronized void add(Fetch fetch, OpenReply reply) {
        long[] maps = fetch.blocks().maps();
        OpenReply.Outputs learnt = reply.outputs();
        for (int i = 0; i < learnt.found().size(); i++) {
            RemoteOutput output = learnt.found().get(i);
            int more = RemoteOutput.bytes(output.offsets());
            if (bytes + more <= MOST_BYTES
                    && shuffles.computeIfAbsent(fetch.shuffle(), _ -> new HashMap<>())
                                    .putIfAbsent(maps[learnt.first() + i], output)
                            == null) {
                bytes += more;
            }
        }
    }

    /**
     * What the other executor would answer, if all outputs are known, and it would not collect the blocks.
     *
     * @param gatheredBytes mean length up to which it collects blocks
     */
    synchronized Optional<OpenReply> find(Fetch fetch, int gatheredBytes) {
        Map<Long, RemoteOutput> outputs = shuffles.get(fetch.shuffle());
        OpenRequest.Blocks blocks = fetch.blocks();
        if (outputs == null) {
            return Optional.empty();
        }
        List<RemoteOutput> found = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            RemoteOutput output = outputs.get(blocks.maps()[i]);
            int first = blocks.first()[i];
            int end = blocks.end()[i];
            if (output == null || first < 0 || end < first || end > output.partitions()) {
                return Optional.empty();
            }
            found.add(output);
        }
        return Optional.of(OpenReply.of(0, blocks, found)).filter(reply -> !reply.collected(gatheredBytes));
    }

    /** A shuffle was removed. */
    synchronized void remove(int shuffle) {
        Map<Long, RemoteOutput> outputs = shuffles.remove(shuffle);
        if (outputs != null) {
            for (RemoteOutput each : outputs.values()) {
                bytes -= RemoteOutput.bytes(each.offsets());
            }
        }
    }
}
