package io.verbena.fabric.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ForwardingBlocksTest {

    private final ForwardingBlocks blocks = new ForwardingBlocks();

    @Test
    void anyTablesAndChanges_portsAreThoseOfPlainArrays() {
        SplittableRandom random = new SplittableRandom(1);
        short[][] model = new short[20][];
        int[][] tables = new int[20][];
        for (int i = 0; i < model.length; i++) {
            model[i] = new short[random.nextInt(1, 500)];
            for (int lid = 0; lid < model[i].length; lid++) {
                model[i][lid] = (short) (lid % 7 == i % 2 ? 254 : 1);
            }
            tables[i] = blocks.table(model[i]);
        }
        for (int i = 0; i < 5_000; i++) {
            int t = random.nextInt(model.length);
            int lid = random.nextInt(model[t].length);
            model[t][lid] = (short) random.nextInt(255);
            blocks.change(tables[t], lid, model[t][lid]);
        }
        for (int t = 0; t < model.length; t++) {
            for (int lid = 0; lid < 600; lid++) {
                assertEquals(lid < model[t].length ? model[t][lid] : 0, blocks.port(tables[t], lid));
            }
        }
    }

    @Test
    void equalBlocks_areStoredOnce_untilOneIsChanged() {
        short[] ports = new short[200];
        ports[130] = 9;
        int[] first = blocks.table(ports);
        int[] second = blocks.table(ports);
        assertEquals(first[2], second[2]);
        assertEquals(first[0], first[1]);
        blocks.change(second, 130, 8);
        assertNotEquals(first[2], second[2]);
        int own = second[2];
        blocks.change(second, 131, 7);
        assertEquals(own, second[2]);
        assertEquals(9, blocks.port(first, 130));
        assertEquals(8, blocks.port(second, 130));
        assertEquals(first[2], blocks.table(ports)[2], "what is stored for all was not changed");
    }
}
