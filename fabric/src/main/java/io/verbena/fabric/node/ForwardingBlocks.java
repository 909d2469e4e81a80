package io.verbena.fabric.node;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The contents of forwarding tables, in blocks of 64 LIDs as in the LinearForwardingTable of management. A table is an array of the numbers of its
 * blocks. Many switches have equal blocks, which are stored once: the tables of 10,000 switches for 10,000 LIDs would have 100 MB, and each hop
 * of a frame would wait for memory. A block is copied before one of its entries is changed.
 */
final class ForwardingBlocks {

    private static final int SHIFT = 6;
    private static final int LIDS = 1 << SHIFT;

    /** The port for each LID of each block, one byte each. Block 0 has none. */
    private byte[] ports = new byte[LIDS];

    private int blocks = 1;
    private final Map<ByteBuffer, Integer> numbers = new HashMap<>();

    /** Blocks of which one table has a copy of its own. */
    private final BitSet own = new BitSet();

    ForwardingBlocks() {
        numbers.put(ByteBuffer.wrap(new byte[LIDS]), 0);
    }

    /** A table with these ports by LID. */
    int[] table(short[] portByLid) {
        int[] table = new int[(portByLid.length + LIDS - 1) / LIDS];
        for (int i = 0; i < table.length; i++) {
            byte[] block = new byte[LIDS];
            int count = Math.min(LIDS, portByLid.length - i * LIDS);
            for (int lid = 0; lid < count; lid++) {
                block[lid] = (byte) portByLid[i * LIDS + lid];
            }
            table[i] = numbers.computeIfAbsent(ByteBuffer.wrap(block), _ -> add(block));
        }
        return table;
    }

    private int add(byte[] block) {
        int at = blocks * LIDS;
        if (at == ports.length) {
            ports = Arrays.copyOf(ports, 2 * ports.length);
        }
        System.arraycopy(block, 0, ports, at, LIDS);
        return blocks++;
    }

    /** The port of a table for a LID, 0 for none. */
    int port(int[] table, int lid) {
        return lid >> SHIFT < table.length ? ports[place(table, lid)] & 0xff : 0;
    }

    private static int place(int[] table, int lid) {
        return table[lid >> SHIFT] * LIDS + (lid & LIDS - 1);
    }

    /** Changes the port of a table for a LID. */
    void change(int[] table, int lid, int port) {
        int block = lid >> SHIFT;
        if (!own.get(table[block])) {
            int at = table[block] * LIDS;
            table[block] = add(Arrays.copyOfRange(ports, at, at + LIDS));
            own.set(table[block]);
        }
        ports[place(table, lid)] = (byte) port;
    }
}
