package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TerminateTest {
    private static final String DDP_SEND = "4143 00000000 00000000 00000005 00000000";
    private static final String DDP_WRITE = "c140 00001234 0000000000000000";

    private final TerminateReader reader = new TerminateReader();

    private TerminateReader.Outcome read(String hex) {
        MemorySegment bytes = Bytes.segment(hex);
        return reader.read(bytes, 0, (int) bytes.byteSize());
    }

    @Test
    void noBuffer_written_hasTheBytesOfTheFigure() {
        // RFC 5040 section 4.8 [1, 2], Figs. 7 and 8: layer in the high half, M, D, R at the top of the third byte.
        byte[] bytes = new byte[Terminate.payloadLength(true, DdpUntagged.LENGTH, false)];
        Terminate header = new Terminate().wrap(MemorySegment.ofArray(bytes), 0);
        header.code(TerminateCode.DDP_UNTAGGED_NO_BUFFER).m(true).d(true).ddpSegmentLength(34);
        assertEquals("1202c000" + "0022", Bytes.text(bytes).substring(0, 12));
        assertEquals(24, bytes.length);
        assertEquals(6, header.ddpHeaderOffset());
        assertEquals(18, header.ddpHeaderLength());
        assertEquals(
                "layer=1 etype=2 code=0x02 DDP_UNTAGGED_NO_BUFFER M D",
                header.describe(new StringBuilder()).toString());
    }

    @Test
    void readRequestRefused_written_carriesBothHeaders() {
        byte[] bytes = new byte[Terminate.MAX_LENGTH];
        Terminate header = new Terminate().wrap(MemorySegment.ofArray(bytes), 0);
        header.code(TerminateCode.RDMAP_INVALID_STAG).m(true).d(true).r(true);
        assertEquals(24, header.rdmapHeaderOffset());
        assertEquals(52, Terminate.payloadLength(true, DdpUntagged.LENGTH, true));
    }

    @Test
    void rfcEncoding_read_everythingFound() {
        assertEquals(TerminateReader.Outcome.OK, read("1202c000 0022" + DDP_SEND));
        assertSame(TerminateCode.DDP_UNTAGGED_NO_BUFFER, reader.code());
        assertFalse(reader.exchanged());
        assertEquals(34, reader.ddpSegmentLength());
        assertEquals(6, reader.ddpHeaderOffset());
        assertEquals(18, reader.ddpHeaderLength());
        assertEquals(-1, reader.rdmapHeaderOffset());
        assertSame(TerminateCode.UNKNOWN, reader.alternative());
    }

    /** What Linux's Soft-iWARP sends, halves of the first byte exchanged, and what it means by it. */
    @ParameterizedTest
    @CsvSource({
        "11 00 03, DDP_TAGGED_INVALID_STAG",
        "10 00 07, RDMAP_INVALID_STAG",
        "02 02 00, MPA_CRC",
        "21 06 00, DDP_UNTAGGED_VERSION",
        "11 04 00, DDP_TAGGED_VERSION",
        "21 01 03, DDP_UNTAGGED_INVALID_QN",
        "21 03 03, DDP_UNTAGGED_MSN_RANGE",
        "21 04 03, DDP_UNTAGGED_INVALID_MO",
        "21 02 03, DDP_UNTAGGED_NO_BUFFER",
        "01 00 03, DDP_LOCAL_CATASTROPHIC",
        "20 07 03, RDMAP_STREAM_CATASTROPHIC",
        "20 09 03, RDMAP_CANNOT_INVALIDATE",
        "02 03 00, MPA_FPDU_START",
    })
    void exchangedEncoding_read_meaningFound(String control, TerminateCode expected) {
        boolean tagged = expected.layer() == 1 && expected.etype() == 1;
        assertEquals(
                TerminateReader.Outcome.OK,
                read(control + "00 0010" + (tagged ? DDP_WRITE : DDP_SEND) + "00".repeat(28)));
        assertSame(expected, reader.code());
    }

    @Test
    void exchangedEncoding_taggedHeader_isFourteenBytes() {
        read("11000300 0040" + DDP_WRITE);
        assertEquals(14, reader.ddpHeaderLength());
        assertEquals(64, reader.ddpSegmentLength());
    }

    @Test
    void exchangedEncoding_readRequest_bothHeadersFound() {
        assertEquals(TerminateReader.Outcome.OK, read("10000700 001c" + DDP_SEND + "00".repeat(28)));
        assertTrue(reader.exchanged());
        assertEquals(24, reader.rdmapHeaderOffset());
    }

    @ParameterizedTest
    @CsvSource({
        "20050000, MPA_LOCAL_CATASTROPHIC, RDMAP_VERSION",
        "20060000, MPA_INSUFFICIENT_IRD,   RDMAP_UNEXPECTED_OPCODE",
    })
    void bothEncodingsPossible_read_rfcFirstAndTheOtherOffered(
            String hex, TerminateCode asRfc, TerminateCode asExchanged) {
        assertEquals(TerminateReader.Outcome.OK, read(hex));
        assertSame(asRfc, reader.code());
        assertSame(asExchanged, reader.alternative());
    }

    @ParameterizedTest
    @CsvSource({
        "'',           TOO_SHORT",
        "120280,       TOO_SHORT",
        "12020000,     OK",
        "12028000,     TRUNCATED",
        "1202800000,   TRUNCATED",
        "120280000022, OK",
        "1202c0000022, TRUNCATED",
        "1202c000002241, TRUNCATED",
        "01002000,     TRUNCATED",
    })
    void anyLength_read_outcomeDeclared(String hex, TerminateReader.Outcome expected) {
        assertEquals(expected, read(hex));
        assertEquals(-1, reader.ddpHeaderOffset());
        assertEquals(-1, reader.rdmapHeaderOffset());
    }

    @Test
    void ddpHeaderWithoutM_read_lengthIsThereButNotValid() {
        // RFC 5040 section 4.8 [5, 6]: the length is present with D, and valid with M.
        assertEquals(TerminateReader.Outcome.OK, read("12024000 0022" + DDP_SEND));
        assertEquals(-1, reader.ddpSegmentLength());
        assertEquals(6, reader.ddpHeaderOffset());
    }

    @ParameterizedTest
    @EnumSource(TerminateCode.class)
    void everyCode_writtenAndRead_isTheSame(TerminateCode code) {
        byte[] bytes = new byte[Terminate.LENGTH];
        Terminate header = new Terminate().wrap(MemorySegment.ofArray(bytes), 0).code(code);
        assertSame(code, header.code());
        assertSame(code, TerminateCode.of(code.layer(), code.etype(), code.code()));
        assertFalse(code.sentence().isEmpty());
    }

    @Test
    void allTriples_of_hitEachCodeOnceSaveLocalCatastrophic() {
        Set<TerminateCode> seen = new HashSet<>();
        int hits = 0;
        for (int layer = 0; layer < 16; layer++) {
            for (int etype = 0; etype < 16; etype++) {
                for (int code = 0; code < 256; code++) {
                    TerminateCode found = TerminateCode.of(layer, etype, code);
                    if (found != TerminateCode.UNKNOWN && found != TerminateCode.RDMAP_LOCAL_CATASTROPHIC) {
                        hits++;
                        seen.add(found);
                    }
                }
            }
        }
        assertEquals(TerminateCode.values().length - 2, hits);
        assertEquals(hits, seen.size());
        // RFC 5040 section 4.8 [3]: any code is acceptable with RDMAP's local catastrophic error.
        assertSame(TerminateCode.RDMAP_LOCAL_CATASTROPHIC, TerminateCode.of(0, 0, 0x77));
    }

    @Test
    void codes_headersIncluded_asTheFigureSays() {
        // RFC 5040 section 4.8, Fig. 10.
        assertFalse(TerminateCode.RDMAP_LOCAL_CATASTROPHIC.includesDdpHeader());
        assertTrue(TerminateCode.RDMAP_INVALID_STAG.includesDdpHeader());
        assertTrue(TerminateCode.RDMAP_INVALID_STAG.includesRdmapHeader());
        assertTrue(TerminateCode.RDMAP_UNEXPECTED_OPCODE.includesDdpHeader());
        assertFalse(TerminateCode.RDMAP_UNEXPECTED_OPCODE.includesRdmapHeader());
        assertTrue(TerminateCode.DDP_TAGGED_TO_WRAP.includesDdpHeader());
        assertFalse(TerminateCode.MPA_CRC.includesDdpHeader());
    }
}
