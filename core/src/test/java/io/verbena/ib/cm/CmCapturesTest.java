package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Origin;
import io.verbena.wire.ib.CmaHeader;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.RoceCaptures;
import io.verbena.wire.ib.RoceCaptures.Captured;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections of Linux's rdma_cm, message by message: the agent accepts the messages of Linux and sends the same
 * answers.
 */
class CmCapturesTest {

    private static final long CLIENT = 0xffff_0a4d_0003L;
    private static final long SERVER = 0xffff_0a4d_0002L;
    private static final long NOW_NS = 5;

    /** Offset of the flow label, the rate and the reserved bits of the primary path in a REQ. */
    private static final int FLOW_LABEL = 24 + 52 + 36;

    private static List<byte[]> datagrams(String name) {
        List<byte[]> all = new ArrayList<>();
        for (Captured each : RoceCaptures.packets("rxe-" + name + ".pcapng")) {
            byte[] packet = each.bytes();
            if ((packet[0] & 0xff) == IbOpcode.UD_SEND_ONLY.value() && packet.length == 12 + 8 + 256 + 4) {
                all.add(Arrays.copyOfRange(packet, 20, 20 + CmMessage.BYTES));
            }
        }
        return all;
    }

    private static CmMessage read(byte[] bytes) {
        CmMessage message = new CmMessage();
        assertEquals(true, message.read(MemorySegment.ofArray(bytes), 0, bytes.length));
        return message;
    }

    /** An agent whose random numbers are those of the capture. */
    private static CmAgent agent(long address, long guid, int id, long transaction) {
        long[] numbers = {(long) id << 32, transaction};
        int[] next = new int[1];
        CmPort port = CmPair.port(address, guid, false);
        return new CmAgent(port, () -> numbers[Math.min(next[0]++, 1)]);
    }

    private static byte[] sent(CmAgent agent) {
        return agent.pollOutgoing().orElseThrow().bytes();
    }

    private static void arrives(CmAgent agent, byte[] bytes, long from) {
        agent.onDatagram(MemorySegment.ofArray(bytes), 0, bytes.length, new Origin().source(0, from), NOW_NS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rping", "ucmatose"})
    void linuxConnects_answersEqualThoseOfLinux(String name) {
        List<byte[]> all = datagrams(name);
        CmMessage rep = read(all.get(1));
        CmAgent server = agent(SERVER, rep.rep().localCaGuid(), rep.rep().localCommId(), 1);
        server.listen(read(all.get(0)).req().serviceId(), CmListener.IP);
        arrives(server, all.get(0), CLIENT);
        CmSignal.Requested requested = (CmSignal.Requested) server.pollSignal().orElseThrow();
        assertEquals(
                read(all.get(0)).req().retryCount(), requested.offer().retries().retries());
        assertEquals(3, requested.offer().mtuCode());
        CmaHeader cma =
                new CmaHeader().wrap(MemorySegment.ofArray(requested.offer().privateData()), 0);
        assertEquals(4, cma.ipVersion());
        assertEquals(CLIENT & 0xffff_ffffL, cma.sourceLow());
        server.accept(
                requested.connection(),
                new CmAnswer(
                        new CmEndpoint(
                                rep.rep().localQpn(),
                                rep.rep().startingPsn(),
                                rep.rep().responderResources(),
                                rep.rep().initiatorDepth(),
                                false,
                                rep.rep().srq()),
                        rep.rep().rnrRetryCount(),
                        new byte[0]),
                NOW_NS);
        assertArrayEquals(all.get(1), sent(server));
        arrives(server, all.get(2), CLIENT);
        assertEquals(
                new CmSignal.Established(requested.connection()),
                server.pollSignal().orElseThrow());
        boolean weEnd = read(all.get(3)).dreq().localCommId() == rep.rep().localCommId();
        if (!weEnd) {
            arrives(server, all.get(3), CLIENT);
            assertArrayEquals(all.get(4), sent(server));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rping", "ucmatose"})
    void connect_messagesEqualThoseOfLinux(String name) {
        List<byte[]> all = datagrams(name);
        CmMessage req = read(all.get(0));
        CmAgent client = agent(CLIENT, req.req().localCaGuid(), req.req().localCommId(), req.transaction());
        CmEndpoint endpoint = new CmEndpoint(
                req.req().localQpn(),
                req.req().startingPsn(),
                req.req().responderResources(),
                req.req().initiatorDepth(),
                false,
                req.req().srq());
        CmRetries retries = new CmRetries(req.req().retryCount(), req.req().rnrRetryCount(), 19);
        CmOffer offer = new CmOffer(
                req.req().serviceId(),
                0,
                endpoint,
                req.req().pathMtu(),
                retries,
                req.req().privateData());
        int connection = client.connect(offer, new PacketPath(0, SERVER, 4791, 0), NOW_NS);
        byte[] ours = sent(client);
        byte[] theirs = all.get(0).clone();
        // The flow label and the rate depend on the device of Linux.
        Arrays.fill(theirs, FLOW_LABEL, FLOW_LABEL + 4, (byte) 0);
        Arrays.fill(ours, FLOW_LABEL, FLOW_LABEL + 4, (byte) 0);
        assertArrayEquals(theirs, ours);
        arrives(client, all.get(1), SERVER);
        assertTrue(client.pollSignal().isPresent());
        client.ready(connection, new byte[0], 0);
        assertArrayEquals(all.get(2), sent(client));
        client.disconnect(connection, NOW_NS);
        byte[] dreq = sent(client);
        if (read(all.get(3)).dreq().localCommId() == req.req().localCommId()) {
            assertArrayEquals(all.get(3), dreq);
        }
    }

    @Test
    void noListener_rejectionEqualsThatOfLinux() {
        List<byte[]> all = datagrams("refused");
        CmAgent server = agent(SERVER, 1, 1, 1);
        arrives(server, all.get(0), CLIENT);
        assertArrayEquals(all.get(1), sent(server));
    }

    @Test
    void datagramService_resolutionEqualsThatOfLinux() {
        List<byte[]> all = datagrams("udaddy");
        CmMessage rep = read(all.get(1));
        CmAgent server = agent(SERVER, 1, 5, 1);
        server.listen(read(all.get(0)).sidrReq().serviceId(), CmListener.IP);
        arrives(server, all.get(0), CLIENT);
        CmSignal.ResolutionRequested asked =
                (CmSignal.ResolutionRequested) server.pollSignal().orElseThrow();
        server.answerResolution(
                asked.connection(), 0, rep.sidrRep().qpn(), rep.sidrRep().qKey(), new byte[0]);
        assertArrayEquals(all.get(1), sent(server));
    }
}
