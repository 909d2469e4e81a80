package io.verbena.ib;

import io.verbena.base.PacketPath;
import io.verbena.fixture.DigestFields;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.ib.unreliable.AddressHandles;
import io.verbena.ib.unreliable.UcEngine;
import io.verbena.ib.unreliable.UdEngine;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The digests of unreliable connections and datagrams. */
class UnreliableDigestTest {

    private static final PacketPath PEER = new PacketPath(0, Station.ADDRESS + 2, 4791, 0);
    private static final int Q_KEY = 0x1111_1111;

    private static final List<String> OWNERS = List.of(
            "io.verbena.ib.unreliable",
            "io.verbena.ib.endpoint",
            "io.verbena.ib.packet",
            "io.verbena.ib.request",
            "io.verbena.ib.respond");

    /** Fields that the digest does not cover, and the reason. */
    private static final Map<String, String> UNCOVERED = UncoveredFields.and(
            Map.entry("AddressHandles.generation", "the objects of the application"),
            Map.entry("AddressHandles.places", "the objects of the application"),
            Map.entry("GlobalHeaderArea.bytes", "bytes of a call"),
            Map.entry("Outbound.nextPsn", "follows from the number of packets that were sent"),
            Map.entry("UdEngine.mayWrite", "a right, which a change of the queue pair sets"),
            Map.entry("UnreliableEngine.failure", "whether there is one is covered"));

    private static final Map<String, String> OUTSIDE = Map.ofEntries(
            Map.entry("io.verbena.ib.settings.", "do not change"),
            Map.entry("io.verbena.wire.", "views of bytes that are wrapped before each use"),
            Map.entry("io.verbena.queue.", "changes by posts and completions"),
            Map.entry("io.verbena.work.", "works on queues and memory"),
            Map.entry("io.verbena.memory.", "memory and keys"),
            Map.entry("jdk.internal.foreign.", "bytes"),
            Map.entry("java.nio.", "bytes"),
            Map.entry("io.verbena.base.", "paths of packets, which are set when the connection begins"));

    private final DigestFields fields = new DigestFields(OWNERS, 1, UNCOVERED, OUTSIDE, Map.of());

    @Test
    void everyField_changed_changesTheDigest() throws IllegalAccessException {
        Station<UcEngine> connection = new Station<>(
                0x22,
                work -> new UcEngine(
                        new SettingsBuilder()
                                .local(0x22)
                                .remote(0x11)
                                .firstPsns(900, 100)
                                .unreliableConnection(),
                        work,
                        PEER));
        connection.engine.readyToSend();
        Region region = connection.region(8_192);
        connection.post(WorkOpcode.SEND, WrFlags.SIGNALLED, w -> w.wrId(1).addElement(region.localKey(), 0, 3_000));
        connection.transmit(5);
        fields.check(connection.engine, connection.engine::stateDigest);
        AddressHandles handles = new AddressHandles(4);
        handles.add(PEER);
        Station<UdEngine> datagrams = new Station<>(
                0x33,
                work -> new UdEngine(
                        new SettingsBuilder()
                                .local(0x33)
                                .firstPsns(7, 0)
                                .qKey(Q_KEY)
                                .datagram(),
                        work,
                        handles));
        fields.check(datagrams.engine, datagrams.engine::stateDigest);
        fields.verify(20);
    }
}
