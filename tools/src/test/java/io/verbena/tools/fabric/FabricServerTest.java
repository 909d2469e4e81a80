package io.verbena.tools.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.ibsim.ControlMessage;
import io.verbena.fabric.ibsim.IbsimServer;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Control messages that cannot be answered. */
class FabricServerTest {

    private final IbsimServer server = new IbsimServer(new ManagedFabric(TopologySpecification.parse("ring:3")));

    /** At the first of as many free ports as a server uses. */
    private FabricServer open() throws IOException {
        for (int port = 20_050; port < 60_000; port += 100) {
            try {
                return new FabricServer(server, port);
            } catch (Failure e) {
                assertTrue(String.valueOf(e.getMessage()).contains("UDP port"));
            }
        }
        throw new AssertionError("no free ports");
    }

    private static void connect(FabricServer sockets, InetSocketAddress from) throws IOException {
        new ControlMessage()
                .wrap(MemorySegment.ofBuffer(sockets.buffer.clear()), 0)
                .header(0, ControlMessage.Type.CONNECT, 44)
                .data(0, 4444);
        sockets.onControl(ControlMessage.LENGTH, from);
    }

    @Test
    void controlMessage_fromPort0_isIgnored() throws Exception {
        try (FabricServer sockets = open()) {
            connect(sockets, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertEquals(0, server.udpPort(0));
        }
    }

    @Test
    void controlMessage_fromAnAddressThatCannotBeReached_isExecutedAndItsAnswerLost() throws Exception {
        try (FabricServer sockets = open()) {
            connect(sockets, new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 4444));
            assertEquals(4444, server.udpPort(0));
            connect(sockets, new InetSocketAddress(InetAddress.getLoopbackAddress(), 4445));
            assertEquals(4444, server.udpPort(1));
        }
    }
}
