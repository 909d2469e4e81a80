package io.verbena.fabric.ibsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.ibsim.ControlMessage.Type;
import io.verbena.fabric.mad.NodeInfo;
import io.verbena.fabric.mad.PortInfo;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** ibsim's protocol, message by message. */
class IbsimServerTest {

    private final Topology topology = TopologySpecification.parse("ring:3");
    private final ManagedFabric fabric = new ManagedFabric(topology);
    private final IbsimServer server = new IbsimServer(fabric);
    private final List<Sent> sent = new ArrayList<>();
    private final IbsimServer.Outbox outbox = (client, message) -> {
        MemorySegment copy = MemorySegment.ofArray(new byte[DatagramMessage.LENGTH]);
        sent.add(new Sent(client, copy.copyFrom(message.asSlice(0, DatagramMessage.LENGTH))));
    };

    private record Sent(int client, MemorySegment message) {
        int status() {
            return new DatagramMessage().wrap(message, 0).status();
        }

        MemorySegment mad() {
            return message.asSlice(DatagramMessage.MAD, DatagramMessage.MAD_LENGTH);
        }
    }

    private ControlMessage execute(int client, Type type, int word, String name, int manager) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[ControlMessage.LENGTH]);
        ControlMessage message = new ControlMessage().wrap(bytes, 0).header(client, type, 64);
        message.data(0, word).data(2, manager).nodeName(name);
        assertTrue(server.onControl(bytes, ControlMessage.LENGTH));
        return message;
    }

    private int connect(String name, boolean manager) {
        ControlMessage answer = execute(0, Type.CONNECT, 40_000, name, manager ? 1 : 0);
        assertEquals(Type.CONNECT, answer.type().orElseThrow());
        return answer.data(0);
    }

    private static MemorySegment request(int mgmtClass, int attribute, int dlid, long transaction) {
        MemorySegment message = MemorySegment.ofArray(new byte[DatagramMessage.LENGTH]);
        new DatagramMessage()
                .wrap(message, 0)
                .dlid(dlid)
                .length(256)
                .sourceQp(0)
                .destinationQp(0);
        new MadHeader()
                .wrap(message, DatagramMessage.MAD)
                .baseVersion(1)
                .mgmtClass(mgmtClass)
                .classVersion(1)
                .method(Smp.GET)
                .transactionId(transaction)
                .attributeId(attribute);
        new SmpHeader().wrap(message, DatagramMessage.MAD).drSlid(0xffff).drDlid(0xffff);
        return message;
    }

    @Test
    void connect_withoutName_attachesToTheFirstAdapter() {
        ControlMessage answer = execute(0, Type.CONNECT, 40_000, "", 0);
        assertEquals(0, answer.data(0));
        assertEquals("h0 sanic-1", answer.nodeName());
        assertEquals(40_000, server.udpPort(0));
        assertEquals(1, connect("s-1", false));
    }

    @Test
    void connect_toAnUnknownNode_isAnError() {
        assertEquals(
                Type.ERROR,
                execute(0, Type.CONNECT, 40_000, "nowhere", 0).type().orElseThrow());
        assertEquals(Type.ERROR, execute(0, Type.CONNECT, 70_000, "", 0).type().orElseThrow());
        assertEquals(Type.ERROR, execute(0, Type.GET_PORT, 0, "", 0).type().orElseThrow());
        assertEquals(0, server.udpPort(0));
    }

    @Test
    void bytesThatAreNoMessage_haveNoAnswer() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[ControlMessage.LENGTH]);
        assertFalse(server.onControl(bytes, ControlMessage.LENGTH));
        assertFalse(server.onControl(bytes, 10));
        server.onDatagram(0, MemorySegment.ofArray(new byte[DatagramMessage.LENGTH]), DatagramMessage.LENGTH, outbox);
        connect("", false);
        server.onDatagram(0, MemorySegment.ofArray(new byte[512]), 100, outbox);
        assertEquals(List.of(), sent);
    }

    @Test
    void nodeInfoForTheShim_givesThePortGuidBySum() {
        int client = connect("h1 sanic-1", false);
        MemorySegment bytes = MemorySegment.ofArray(new byte[ControlMessage.LENGTH]);
        new ControlMessage().wrap(bytes, 0).header(client, Type.GET_NODE_INFO, 64);
        assertTrue(server.onControl(bytes, ControlMessage.LENGTH));
        NodeInfo info = new NodeInfo().wrap(bytes, ControlMessage.DATA);
        assertEquals(
                topology.find("h1 sanic-1").orElseThrow().address(1).guid(), info.nodeGuid() + info.localPortNum());
        new ControlMessage()
                .wrap(bytes, 0)
                .header(client, Type.GET_PORT_INFO, 64)
                .data(0, 0);
        assertTrue(server.onControl(bytes, ControlMessage.LENGTH));
        assertEquals(1, new PortInfo().wrap(bytes, ControlMessage.DATA).localPortNum());
    }

    @Test
    void directedRequest_isAnsweredToItsClient_withItsTransaction() {
        int client = connect("", false);
        server.onDatagram(
                client, request(Smp.CLASS_DIRECTED, Smp.NODE_INFO, 0xffff, 7), DatagramMessage.LENGTH, outbox);
        assertEquals(1, sent.size());
        assertEquals(0, sent.getFirst().status());
        assertEquals(
                1, new NodeInfo().wrap(sent.getFirst().mad(), SmpHeader.DATA).nodeType());
        assertEquals(7, new MadHeader().wrap(sent.getFirst().mad(), 0).transactionId());
    }

    @Test
    void lidRequest_withoutRoute_isTimedOutAtOnce() {
        int client = connect("", false);
        server.onDatagram(client, request(Smp.CLASS_LID_ROUTED, Smp.NODE_INFO, 9, 7), DatagramMessage.LENGTH, outbox);
        assertEquals(DatagramMessage.TIMED_OUT, sent.getFirst().status());
    }

    @Test
    void smInfo_isForwardedToTheManager_andItsResponseToTheClient() {
        connect("h2 sanic-1", false);
        int client = connect("h0 sanic-1", false);
        int manager = connect("h0 sanic-1", true);
        server.onDatagram(client, request(Smp.CLASS_DIRECTED, Smp.SM_INFO, 0xffff, 7), DatagramMessage.LENGTH, outbox);
        assertEquals(manager, sent.getFirst().client());
        MemorySegment response = sent.getFirst().message();
        new MadHeader().wrap(response, DatagramMessage.MAD).method(Smp.GET_RESP).response(true);
        server.onDatagram(manager, response, DatagramMessage.LENGTH, outbox);
        assertEquals(client, sent.getLast().client());
        assertEquals(0, sent.getLast().status());
    }

    @Test
    void smInfo_withoutManager_isTimedOut() {
        int client = connect("", false);
        server.onDatagram(client, request(Smp.CLASS_DIRECTED, Smp.SM_INFO, 0xffff, 7), DatagramMessage.LENGTH, outbox);
        assertEquals(DatagramMessage.TIMED_OUT, sent.getFirst().status());
    }

    @Test
    void moreClientsThanPorts_theOldestThatIsNoManagerIsForgotten() {
        int manager = connect("h1 sanic-1", true);
        for (int i = 1; i < IbsimServer.MOST_CLIENTS; i++) {
            assertEquals(i, connect("", false));
        }
        assertEquals(1, connect("", false));
        assertEquals(40_000, server.udpPort(manager));
    }

    @Test
    void messages_ofAnyContent_areSafe() {
        Random random = new Random(5);
        for (int i = 0; i < 3000; i++) {
            byte[] bytes = new byte[512];
            random.nextBytes(bytes);
            MemorySegment message = MemorySegment.ofArray(bytes);
            ControlMessage head = new ControlMessage().wrap(message, 0);
            Type type = Type.values()[random.nextInt(Type.values().length)];
            if (random.nextInt(5) > 0) {
                head.header(random.nextInt(8) == 0 ? random.nextInt() : random.nextInt(40), type, 64);
                if (random.nextBoolean()) {
                    head.nodeName("h0 sanic-1");
                    head.data(0, random.nextInt(60_000));
                }
            }
            server.onControl(message, ControlMessage.LENGTH);
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                message.asSlice(0, DatagramMessage.LENGTH)
                        .copyFrom(request(Smp.CLASS_DIRECTED, 0x10 + random.nextInt(20), random.nextInt(65_536), i));
            }
            server.onDatagram(random.nextInt(40) - 4, message, DatagramMessage.LENGTH, outbox);
            sent.clear();
        }
        assertTrue(server.figures().datagrams() > 0);
    }
}
