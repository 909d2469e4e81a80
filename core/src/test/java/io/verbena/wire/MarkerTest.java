package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MarkerTest {
    @Test
    void streamStart_firstFpdu_beginsWithMarker() {
        // RFC 5044 section 4.3 [2, 7, 10]: the first marker stands right before the first FPDU, with FPDUPTR zero.
        assertTrue(Marker.isAt(0));
        assertEquals(0, Marker.fpduptrAt(0, 0));
        assertEquals(4, Marker.headerPosition(0));
        assertTrue(Marker.isAt(1024));
        assertFalse(Marker.isAt(1023));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 512", "511, 512", "512, 512", "513, 1024"})
    void position_nextAt_isTheMarkerThereOrBehind(long position, long next) {
        assertEquals(next, Marker.nextAt(position));
    }

    @ParameterizedTest
    @CsvSource({
        "0,   0,    0",
        "0,   1,    1",
        "0,   508,  1",
        "0,   509,  2",
        "4,   508,  0",
        "4,   509,  1",
        "492, 20,   0",
        "492, 21,   1",
        "492, 528,  1",
        "492, 529,  2",
    })
    void plainRun_countWithin_leavesMarkerBehindItToTheNext(long position, long plainLength, long markers) {
        // RFC 5044 section 4.3 [note]: a marker between two FPDUs belongs to the one that follows.
        assertEquals(markers, Marker.countWithin(position, plainLength));
    }

    /** The model: write byte by byte, and look whether a marker is due before each. */
    @Test
    void everyStartAndLength_formulas_agreeWithByteByByteModel() {
        for (int start = 0; start < 1100; start++) {
            long position = start;
            int markers = 0;
            for (int plain = 0; plain < 1600; plain++) {
                assertEquals(markers, Marker.countWithin(start, plain));
                assertEquals(position - start, Marker.wireLength(start, plain));
                if (start % 512 == 0 || start % 512 >= 4) {
                    assertEquals(plain, Marker.plainWithin(start, position - start));
                }
                if (position % 512 == 0) {
                    position += Marker.LENGTH;
                    markers++;
                }
                assertEquals(position, Marker.plainPosition(start, plain));
                position++;
            }
        }
    }

    @Test
    void cutInsideMarkers_plainWithin_addsUp() {
        for (int start = 0; start < 1100; start++) {
            for (int cut = 0; cut < 1100; cut += 3) {
                assertEquals(
                        Marker.plainWithin(start, 1100),
                        Marker.plainWithin(start, cut) + Marker.plainWithin(start + cut, 1100 - cut));
            }
        }
    }

    @Test
    void longFpdu_allMarkers_pointToTheSameHeader() {
        // RFC 5044 section 4.3 [8]: several markers in one FPDU point to its ULPDU_Length field.
        byte[] bytes =
                new FpduStream(true).ulpdu(new byte[10]).ulpdu(new byte[3000]).bytes();
        int second = Marker.fpduWireLength(0, 10);
        Marker marker = new Marker();
        MemorySegment stream = MemorySegment.ofArray(bytes);
        for (long at = Marker.nextAt(second); at < bytes.length; at += Marker.INTERVAL) {
            assertEquals(second, at - marker.wrap(stream, at).fpduptr());
            assertEquals(0, marker.reserved());
        }
    }

    @Test
    void longestUlpdu_anyStart_lastMarkerStillReachesHeader() {
        // RFC 5044 section 4.2 [1]: FPDUPTR has 16 bits, so a marker cannot stand further than that behind the header.
        for (int start = 0; start < 512; start += 4) {
            long end = (long) start + Marker.fpduWireLength(start, Marker.MAX_ULPDU_LENGTH);
            long lastMarker = Marker.nextAt(end - Marker.INTERVAL);
            long back = lastMarker - Marker.headerPosition(start);
            assertTrue(back <= 0xffff, () -> "marker " + back + " bytes behind the header");
            assertEquals(back, Marker.fpduptrAt(start, lastMarker));
        }
    }

    @Test
    void markerReceived_lowBitsOfFpduptr_areTakenAsZero() {
        // RFC 5044 section 4.2 [4]: receivers treat the two low bits as zero.
        assertEquals(0x14, new Marker().wrap(Bytes.segment("abcd 0017"), 0).fpduptr());
    }

    @Test
    void markerWritten_reservedAndLowBits_areZero() {
        // RFC 5044 section 4.2 [2, 3]: the sender sets RESERVED and the two low bits to zero.
        byte[] bytes = Bytes.hex("ffffffff");
        new Marker().wrap(MemorySegment.ofArray(bytes), 0).fpduptr(0x17);
        assertEquals("00000014", Bytes.text(bytes));
    }

    @Test
    void rfcFigure5_firstFpdu_sameBytes() {
        // RFC 5044 sections 4.3 [5] and 4.4 [7, 8, 10, 11], Fig. 5: a first FPDU with its marker.
        byte[] bytes = new FpduStream(true)
                .untagged(RdmapOpcode.SEND, true, 1, 0, new byte[24])
                .bytes();
        assertEquals(
                "00000000" + "002a" + "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "00".repeat(24)
                        + "52239983",
                Bytes.text(bytes));
    }

    @Test
    void rfcFigure6_secondFpdu_sameBytesWithMarkerInside() {
        // RFC 5044 sections 4.3 [3] and 4.4 [8, 9, 11], Fig. 6: the second FPDU, behind 492 bytes, with a marker.
        int firstPayload = 492 - Marker.LENGTH - FpduHeader.LENGTH - DdpUntagged.LENGTH - FpduHeader.CRC_LENGTH;
        FpduStream stream = new FpduStream(true).untagged(RdmapOpcode.SEND, true, 1, 0, new byte[firstPayload]);
        assertEquals(0x1ec, stream.length());
        byte[] bytes =
                stream.untagged(RdmapOpcode.SEND, true, 2, 0, new byte[24]).bytes();
        assertEquals(
                "002a" + "4143" + "00000000" + "00000000" + "00000002" + "00000000" + "00000014" + "00".repeat(24)
                        + "84925898",
                Bytes.text(Arrays.copyOfRange(bytes, 0x1ec, bytes.length)));
    }
}
