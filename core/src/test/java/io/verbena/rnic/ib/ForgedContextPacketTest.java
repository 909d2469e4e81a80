package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.port.Addresses;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.Listener;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.RnicOptions;
import io.verbena.wire.ib.Icrc;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A packet that names an end-to-end context and is not from its peer. */
class ForgedContextPacketTest {

    private static final InetSocketAddress STRANGER = new InetSocketAddress(
            InetAddress.ofLiteral("10.0.0.99"), ManualWorld.roceAddress(1).getPort());

    private final ManualWorld world = ManualWorld.roce();
    private final SoftRnic a = world.rnic(RnicOptions.defaults());
    private final SoftRnic b = world.rnic(RnicOptions.defaults());

    @AfterEach
    void close() {
        world.close();
    }

    /** RD SEND ONLY without payload: BTH, RDETH, DETH, ICRC. */
    private static byte[] send(int context) {
        byte[] packet = new byte[12 + 4 + 8 + Icrc.LENGTH];
        packet[0] = 0x44;
        packet[1] = 0x40;
        packet[2] = (byte) 0xff;
        packet[3] = (byte) 0xff;
        packet[7] = 2;
        packet[13] = (byte) (context >> 16);
        packet[14] = (byte) (context >> 8);
        packet[15] = (byte) context;
        InetSocketAddress to = ManualWorld.roceAddress(2);
        Icrc.Flow flow = new Icrc.Flow()
                .source(Addresses.high(STRANGER.getAddress()), Addresses.low(STRANGER.getAddress()), STRANGER.getPort())
                .target(Addresses.high(to.getAddress()), Addresses.low(to.getAddress()), to.getPort());
        int summed = packet.length - Icrc.LENGTH;
        Icrc.write(
                MemorySegment.ofArray(packet), summed, new Icrc().compute(ByteBuffer.wrap(packet), 0, summed, flow, 0));
        return packet;
    }

    @Test
    void accepting_requestOfStranger_contextIsNotEstablished() throws IOException {
        ReliableDatagramDomain near = a.allocateReliableDatagramDomain();
        ReliableDatagramDomain far = b.allocateReliableDatagramDomain();
        Listener listener = b.listen(world.address());
        near.startConnect(listener.localAddress(), ConnectionOptions.defaults());
        ConnectionRequest request = listener.nextRequest(Duration.ofSeconds(1)).orElseThrow();
        world.hang(a, ManualWorld.roceAddress(1));
        world.packets.vanish(ManualWorld.roceAddress(1));
        EndToEndContext accepted = request.startAcceptContext(far, ConnectionOptions.defaults());
        world.settle();
        assertEquals(ConnectionState.CONNECTING, accepted.state());
        world.packets.inject(STRANGER, ManualWorld.roceAddress(2), send(accepted.number()));
        world.settle();
        assertEquals(ConnectionState.CONNECTING, accepted.state());
    }
}
