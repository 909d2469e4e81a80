package io.verbena.tools.impair;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.Addresses;
import io.verbena.wire.ib.CmPath;
import io.verbena.wire.ib.CmReq;
import io.verbena.wire.ib.CmaHeader;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoceAddressesTest {

    private static final int PORT = 4791;

    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.2, 10.0.0.3, 0", "10.0.0.1, 10.0.0.2, 10.0.0.3, 17", "fd77::1, fd77::2, fd77::3, 0"})
    void validPacket_replaced_isValidForTheOtherHost(String a, String b, String own, int identification) {
        byte[] packet = Frames.roce(IbOpcode.RC_WRITE_ONLY, 100);
        sum(packet, flow(a, 50_000, own), identification);
        replace(packet, a, b, own);
        assertTrue(valid(packet, flow(own, 50_000, b)));
    }

    @Test
    void damagedPacket_replaced_isDamagedForTheOtherHost() {
        byte[] packet = Frames.roce(IbOpcode.RC_WRITE_ONLY, 100);
        sum(packet, flow("10.0.0.1", 50_000, "10.0.0.3"), 0);
        packet[40] ^= 4;
        replace(packet, "10.0.0.1", "10.0.0.2", "10.0.0.3");
        assertFalse(valid(packet, flow("10.0.0.3", 50_000, "10.0.0.2")));
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.2, 10.0.0.3", "fd77::1, fd77::2, fd77::3"})
    void requestForAConnection_replaced_namesTheForwarderAndTheOtherHost(String a, String b, String own) {
        byte[] packet = request(a, own);
        sum(packet, flow(a, PORT, own), 0);
        RoceAddresses addresses = new RoceAddresses(InetAddress.ofLiteral(own), PORT);
        addresses.replace(packet, new RoceAddresses.Hosts(at(a, PORT), at(b, PORT), PORT));
        assertTrue(valid(packet, flow(own, PORT, b)));
        CmPath path = req(packet).primary(new CmPath());
        assertEquals(Addresses.low(InetAddress.ofLiteral(own)), path.localGidLow());
        assertEquals(Addresses.low(InetAddress.ofLiteral(b)), path.remoteGidLow());
        CmaHeader cma = cma(packet);
        boolean ipv4 = cma.ipVersion() == 4;
        long mask = ipv4 ? 0xffff_ffffL : -1;
        assertEquals(Addresses.low(InetAddress.ofLiteral(own)) & mask, cma.sourceLow());
        assertEquals(Addresses.low(InetAddress.ofLiteral(b)) & mask, cma.targetLow());
        assertEquals(7174, cma.sourcePort());
    }

    @Test
    void datagramThatIsNoPacket_replaced_unchanged() {
        byte[] bytes = new byte[15];
        replace(bytes, "10.0.0.1", "10.0.0.2", "10.0.0.3");
        assertArrayEquals(new byte[15], bytes);
    }

    private static byte[] request(String from, String to) {
        byte[] packet = Frames.roce(IbOpcode.UD_SEND_ONLY, MadHeader.LENGTH + CmReq.LENGTH);
        MemorySegment memory = MemorySegment.ofArray(packet);
        new io.verbena.wire.ib.Bth().wrap(memory, 0).set(IbOpcode.UD_SEND_ONLY, 1, 0);
        int at = IbOpcode.UD_SEND_ONLY.headerBytes();
        new MadHeader().wrap(memory, at).mgmtClass(7).response(false).method(3).attributeId(0x10);
        InetAddress source = InetAddress.ofLiteral(from);
        InetAddress target = InetAddress.ofLiteral(to);
        req(packet)
                .primary(new CmPath())
                .localGid(Addresses.high(source), Addresses.low(source))
                .remoteGid(Addresses.high(target), Addresses.low(target));
        boolean ipv4 = from.indexOf(':') < 0;
        long mask = ipv4 ? 0xffff_ffffL : -1;
        cma(packet)
                .majorVersion(0)
                .ipVersion(ipv4 ? 4 : 6)
                .sourcePort(7174)
                .source(ipv4 ? 0 : Addresses.high(source), Addresses.low(source) & mask)
                .target(ipv4 ? 0 : Addresses.high(target), Addresses.low(target) & mask);
        return packet;
    }

    private static CmReq req(byte[] packet) {
        int at = IbOpcode.UD_SEND_ONLY.headerBytes() + MadHeader.LENGTH;
        return new CmReq().wrap(MemorySegment.ofArray(packet), at);
    }

    private static CmaHeader cma(byte[] packet) {
        int at = IbOpcode.UD_SEND_ONLY.headerBytes() + MadHeader.LENGTH + CmReq.LENGTH - CmReq.PRIVATE_DATA_BYTES;
        return new CmaHeader().wrap(MemorySegment.ofArray(packet), at);
    }

    private static void replace(byte[] packet, String a, String b, String own) {
        RoceAddresses addresses = new RoceAddresses(InetAddress.ofLiteral(own), PORT);
        addresses.replace(packet, new RoceAddresses.Hosts(at(a, 50_000), at(b, PORT), 50_000));
    }

    private static InetSocketAddress at(String host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }

    private static Icrc.Flow flow(String from, int sourcePort, String to) {
        InetAddress source = InetAddress.ofLiteral(from);
        InetAddress target = InetAddress.ofLiteral(to);
        return new Icrc.Flow()
                .source(Addresses.high(source), Addresses.low(source), sourcePort)
                .target(Addresses.high(target), Addresses.low(target), PORT);
    }

    private static void sum(byte[] packet, Icrc.Flow flow, int identification) {
        int summed = packet.length - Icrc.LENGTH;
        int sum = new Icrc().compute(ByteBuffer.wrap(packet), 0, summed, flow, identification);
        Icrc.write(MemorySegment.ofArray(packet), summed, sum);
    }

    private static boolean valid(byte[] packet, Icrc.Flow flow) {
        int summed = packet.length - Icrc.LENGTH;
        return new Icrc().compute(ByteBuffer.wrap(packet), 0, summed, flow, 0)
                == Icrc.read(MemorySegment.ofArray(packet), summed);
    }
}
