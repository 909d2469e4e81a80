package io.verbena.fabric.endnode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.fabric.topology.TopologySpecification;
import org.junit.jupiter.api.Test;

/** Verbs programs on the endnodes of a simulated fabric. */
class EndnodeTest {

    private static final SanSettings SETTINGS = SanSettings.DEFAULT;

    private static long hello(long seed) throws Exception {
        try (San san = San.of(TopologySpecification.parse("leaf-spine:2x2,hosts=2"), SETTINGS.withSeed(seed))) {
            HelloSan.run(san.open(0), san.open(3), "hello, fabric");
            return san.traceHash();
        }
    }

    @Test
    void helloProgram_throughSwitches_arrives() throws Exception {
        assertEquals(hello(1), hello(1));
    }
}
