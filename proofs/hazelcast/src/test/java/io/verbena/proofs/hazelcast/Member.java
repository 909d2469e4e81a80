package io.verbena.proofs.hazelcast;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** A member that joins, fills a map and reads it. Argument: the number of entries. */
final class Member {

    /** Size of a value; each is copied to the other member, as owner or as backup. */
    static final int BYTES = 100;

    private static final int BATCH = 1_000;

    private Member() {}

    public static void main(String[] arguments) {
        int entries = Integer.parseInt(arguments[0]);
        HazelcastInstance member = Hazelcast.newHazelcastInstance();
        try {
            if (member.getCluster().getMembers().size() != 2) {
                throw new AssertionError("members: " + member.getCluster().getMembers());
            }
            IMap<Integer, byte[]> map = member.getMap("proof");
            for (int first = 0; first < entries; first += BATCH) {
                Map<Integer, byte[]> batch = new HashMap<>();
                for (int i = first; i < first + BATCH; i++) {
                    batch.put(i, value(i));
                }
                map.putAll(batch);
            }
            for (int i = 0; i < entries; i++) {
                if (!Arrays.equals(map.get(i), value(i))) {
                    throw new AssertionError("entry " + i + " has other bytes");
                }
            }
        } finally {
            member.shutdown();
        }
    }

    private static byte[] value(int number) {
        byte[] value = new byte[BYTES];
        new Random(number).nextBytes(value);
        return value;
    }
}
