package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decodes what Linux's Soft-iWARP sent in real connections; the numbers expected are those tshark counts. */
class ReferenceCapturesTest {
    private static final ValueLayout.OfInt U32_LE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** What one capture holds. */
    private static final class Digest {
        final Map<RdmapOpcode, Integer> opcodes = new TreeMap<>();
        final Map<Integer, Integer> ulpduLengths = new TreeMap<>();
        final List<String> starts = new ArrayList<>();
        int crcsChecked;

        String opcodesText() {
            StringBuilder out = new StringBuilder();
            opcodes.forEach((opcode, count) -> out.append(out.isEmpty() ? "" : " ")
                    .append(opcode.name())
                    .append('x')
                    .append(count));
            return out.toString();
        }
    }

    private static Digest digest(String capture) {
        Digest digest = new Digest();
        for (Captures.Connection connection : Captures.connections(Captures.load(capture))) {
            MemorySegment there = MemorySegment.ofArray(connection.initiator());
            MemorySegment back = MemorySegment.ofArray(connection.responder());
            MpaStartFrame.Check request = MpaStartFrame.check(there, 0, there.byteSize(), MpaStartFrame.Kind.REQUEST);
            if (request == MpaStartFrame.Check.WRONG_KEY) {
                continue; // a tool's own control connection
            }
            if (there.byteSize() == 0) {
                continue; // refused by TCP
            }
            assertEquals(MpaStartFrame.Check.OK, request);
            assertEquals(
                    MpaStartFrame.Check.OK, MpaStartFrame.check(back, 0, back.byteSize(), MpaStartFrame.Kind.REPLY));
            digest.starts.add(start(there));
            digest.starts.add(start(back));
            boolean crc = new MpaStartFrame().wrap(back, 0).c();
            fpdus(there, crc, digest);
            fpdus(back, crc, digest);
        }
        return digest;
    }

    private static String start(MemorySegment stream) {
        MpaStartFrame frame = new MpaStartFrame().wrap(stream, 0);
        StringBuilder out = frame.describe(new StringBuilder());
        if (frame.enhanced()) {
            new MpaEnhanced().wrap(stream, MpaStartFrame.LENGTH).describe(out.append(' '));
        }
        return out.toString();
    }

    private static void fpdus(MemorySegment stream, boolean crc, Digest digest) {
        FpduHeader header = new FpduHeader();
        Ulpdu ulpdu = new Ulpdu();
        FpduPrinter printer = new FpduPrinter();
        long at = new MpaStartFrame().wrap(stream, 0).frameLength();
        while (at < stream.byteSize()) {
            int length = header.wrap(stream, at).ulpduLength();
            UlpduOutcome outcome = ulpdu.decode(stream, at + FpduHeader.LENGTH, length);
            StringBuilder line = printer.describe(stream, at, stream.byteSize() - at, new StringBuilder());
            assertEquals(UlpduOutcome.OK, outcome, line::toString);
            assertTrue(line.toString().startsWith(ulpdu.opcode().label()), line::toString);
            digest.opcodes.merge(ulpdu.opcode(), 1, Integer::sum);
            digest.ulpduLengths.merge(length, 1, Integer::sum);
            checkCrc(stream, at, length, crc, digest);
            at += FpduHeader.fpduLength(length);
        }
        assertEquals(stream.byteSize(), at);
    }

    private static void checkCrc(MemorySegment stream, long at, int ulpduLength, boolean crc, Digest digest) {
        int covered = FpduHeader.crcOffset(ulpduLength);
        int found = stream.get(U32_LE, at + covered);
        if (!crc) {
            assertEquals(0, found);
            return;
        }
        // RFC 5044 section 4.4 [8, 9]: the CRC covers header, ULPDU and pad; it is sent least significant byte first.
        CRC32C sum = new CRC32C();
        sum.update(stream.asSlice(at, covered).asByteBuffer());
        assertEquals((int) sum.getValue(), found);
        digest.crcsChecked++;
    }

    @ParameterizedTest
    @CsvSource({
        "siw-atomic.pcapng,    SENDx20,                                                 0",
        "siw-crc.pcapng,       WRITEx12 READ_REQUESTx3 READ_RESPONSEx12 SENDx12,        39",
        "siw-mpa1-send.pcapng, SENDx62,                                                 0",
        "siw-p2p-crc.pcapng,   WRITEx3 READ_REQUESTx2 READ_RESPONSEx2 SENDx8,           15",
        "siw-p2p-read.pcapng,  WRITEx2 READ_REQUESTx3 READ_RESPONSEx3 SENDx8,           0",
        "siw-p2p-write.pcapng, WRITEx3 READ_REQUESTx2 READ_RESPONSEx2 SENDx8,           0",
        "siw-refused.pcapng,   '',                                                      0",
        "siw-rping.pcapng,     WRITEx3 READ_REQUESTx3 READ_RESPONSEx3 SENDx12,          0",
        "siw-rstream.pcapng,   WRITEx44 SENDx45,                                        0",
        "siw-send-lat.pcapng,  SENDx122,                                                0",
        "siw-ucmatose.pcapng,  SENDx6,                                                  0",
    })
    void capture_decoded_everyFpduIsGoodAndOpcodesAreThoseTsharkCounts(String capture, String opcodes, int crcs) {
        Digest digest = digest(capture);
        assertEquals(opcodes, digest.opcodesText());
        assertEquals(crcs, digest.crcsChecked);
    }

    @Test
    void crcCapture_decoded_ulpduLengthsAreThoseTsharkCounts() {
        assertEquals(Map.of(34, 12, 46, 3, 730, 6, 1442, 18), digest("siw-crc.pcapng").ulpduLengths);
    }

    @Test
    void sendLatencyCapture_decoded_ulpduLengthsAreThoseTsharkCounts() {
        assertEquals(Map.of(20, 2, 22, 4, 34, 2, 74, 14, 82, 100), digest("siw-send-lat.pcapng").ulpduLengths);
    }

    @Test
    void rpingCapture_startFrames_askForEnhancedSetupWithoutCrc() {
        assertEquals(
                List.of("MPA request rev=2 enhanced pd=4 ird=1 ord=1", "MPA reply rev=2 enhanced pd=4 ird=1 ord=1"),
                digest("siw-rping.pcapng").starts);
    }

    @Test
    void revisionOneCapture_startFrames_haveNoPrivateData() {
        assertEquals(
                List.of("MPA request rev=1 pd=0", "MPA reply rev=1 pd=0"),
                digest("siw-mpa1-send.pcapng").starts.subList(0, 2));
    }

    @Test
    void peerToPeerCapture_startFrames_offerTwoIndicationsAndPickOne() {
        assertEquals(
                List.of(
                        "MPA request rev=2 CRC enhanced pd=4 ird=1 ord=1 peer-to-peer rtr=write,read",
                        "MPA reply rev=2 CRC enhanced pd=4 ird=1 ord=1 peer-to-peer rtr=write"),
                digest("siw-p2p-crc.pcapng").starts);
    }
}
