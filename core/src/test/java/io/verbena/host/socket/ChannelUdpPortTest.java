package io.verbena.host.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.verbena.host.PacketProbe;
import io.verbena.host.engine.EngineLoop;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ChannelUdpPortTest extends UdpPortTest {

    @Override
    public EngineLoop open() throws IOException {
        return new SocketLoop(0);
    }

    @Test
    void port_statesWhatTheJdkCannotDo() throws IOException {
        PacketProbe probe = new PacketProbe(left, "127.0.0.1");
        assertEquals(1, probe.port.groupPackets());
        assertFalse(probe.port.showsTrafficClass());
    }
}
