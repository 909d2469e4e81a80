package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MpaStartFrameTest {
    private static final String REQUEST_KEY = "4d504120494420526571204672616d65";
    private static final String REPLY_KEY = "4d504120494420526570204672616d65";

    private final MpaStartFrame frame = new MpaStartFrame();

    private static MpaStartFrame.Check check(String hex, MpaStartFrame.Kind expected) {
        MemorySegment bytes = Bytes.segment(hex);
        return MpaStartFrame.check(bytes, 0, bytes.byteSize(), expected);
    }

    @Test
    void linuxRequest_read_allFields() {
        MemorySegment bytes = Bytes.segment(REQUEST_KEY + "10 02 0004 8001 c001");
        frame.wrap(bytes, 0);
        assertEquals(MpaStartFrame.Kind.REQUEST, frame.kind());
        assertFalse(frame.m());
        assertFalse(frame.c());
        assertFalse(frame.r());
        assertTrue(frame.s());
        // Case of a known bug elsewhere: S is not one of the reserved bits.
        assertEquals(0, frame.res());
        assertTrue(frame.enhanced());
        assertEquals(2, frame.rev());
        assertEquals(4, frame.pdLength());
        assertEquals(24, frame.frameLength());
        MpaEnhanced enhanced = new MpaEnhanced().wrap(bytes, MpaStartFrame.LENGTH);
        assertTrue(enhanced.a());
        assertFalse(enhanced.b());
        assertTrue(enhanced.c());
        assertTrue(enhanced.d());
        assertEquals(1, enhanced.ird());
        assertEquals(1, enhanced.ord());
    }

    @Test
    void reply_written_sameBytesAsLinux() {
        // RFC 5044 section 7.1.1 [3]: the reply's key; RFC 6581 section 9 [1]: depths are 14 bits in network order.
        byte[] bytes = new byte[24];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        frame.wrap(segment, 0)
                .kind(MpaStartFrame.Kind.REPLY)
                .flags(0)
                .s(true)
                .c(true)
                .rev(2)
                .pdLength(4);
        new MpaEnhanced().wrap(segment, 20).clear().a(true).ird(0x3fff).c(true).ord(1);
        assertEquals(REPLY_KEY + "50020004" + "bfff8001", Bytes.text(bytes));
    }

    @Test
    void everyFlag_setAndCleared_leavesTheOthers() {
        byte[] bytes = new byte[MpaStartFrame.LENGTH];
        frame.wrap(MemorySegment.ofArray(bytes), 0)
                .flags(0)
                .m(true)
                .c(true)
                .r(true)
                .s(true);
        assertEquals(0xf0, frame.flags());
        frame.c(false).s(false);
        assertEquals(0xa0, frame.flags());
        assertTrue(frame.m() && frame.r() && !frame.c() && !frame.s());
    }

    @Test
    void enhancedFlags_setAndCleared_leaveTheDepths() {
        byte[] bytes = new byte[MpaEnhanced.LENGTH];
        MpaEnhanced enhanced = new MpaEnhanced().wrap(MemorySegment.ofArray(bytes), 0);
        enhanced.ird(16383).ord(1).a(true).b(true).c(true).d(true);
        assertEquals("ffffc001", Bytes.text(bytes));
        enhanced.a(false).d(false).ird(0);
        assertEquals("40008001", Bytes.text(bytes));
        assertEquals(
                "ird=0 ord=1 rtr=send,write",
                enhanced.describe(new StringBuilder()).toString());
    }

    @Test
    void revisionOneWithS_received_isNotEnhanced() {
        // RFC 5044 section 7.1.1 [10]: in revision 1 the bit is reserved and not checked.
        frame.wrap(Bytes.segment(REQUEST_KEY + "1f 01 0000"), 0);
        assertTrue(frame.s());
        assertFalse(frame.enhanced());
        assertEquals(MpaStartFrame.Check.OK, check(REQUEST_KEY + "1f 01 0000", MpaStartFrame.Kind.REQUEST));
    }

    @ParameterizedTest
    @CsvSource({
        "'',                                        INCOMPLETE",
        "4d,                                        INCOMPLETE",
        "4e,                                        WRONG_KEY",
        "474554202f20,                              WRONG_KEY",
        "4d504120494420526570,                      WRONG_KEY",
        "4d504120494420526571204672616d65,          INCOMPLETE",
        "4d504120494420526571204672616d650001 0000, OK",
        "4d504120494420526571204672616d650001 0001, INCOMPLETE",
        "4d504120494420526571204672616d650001 000107, OK",
        "4d504120494420526571204672616d650001 0200, INCOMPLETE",
        "4d504120494420526571204672616d650001 0201, PRIVATE_DATA_TOO_LONG",
        "4d504120494420526571204672616d651002 0003, ENHANCED_DATA_MISSING",
        "4d504120494420526571204672616d651002 0004, INCOMPLETE",
    })
    void requestArriving_check_tellsAsSoonAsItCan(String hex, MpaStartFrame.Check expected) {
        // RFC 5044 section 7.1.1 [2, 15]: a wrong key or private data over 512 bytes closes the connection.
        assertEquals(expected, check(hex, MpaStartFrame.Kind.REQUEST));
    }

    @Test
    void replyExpected_requestArrives_isWrongKey() {
        // RFC 5044 section 7.1.1 [4]: an initiator takes the reply's key only.
        assertEquals(MpaStartFrame.Check.WRONG_KEY, check(REQUEST_KEY + "00010000", MpaStartFrame.Kind.REPLY));
        assertEquals(MpaStartFrame.Check.OK, check(REPLY_KEY + "00010000", MpaStartFrame.Kind.REPLY));
    }

    @Test
    void otherKey_kind_isNeither() {
        assertEquals(
                MpaStartFrame.Kind.NEITHER,
                frame.wrap(Bytes.segment("00".repeat(20)), 0).kind());
        String almost = "4d504120494420526572204672616d6500010000";
        assertEquals(
                MpaStartFrame.Kind.NEITHER, frame.wrap(Bytes.segment(almost), 0).kind());
        assertEquals(
                "MPA bad key rev=1 pd=0", frame.describe(new StringBuilder()).toString());
    }

    @Test
    void markersCrcReject_describe_namesThem() {
        frame.wrap(Bytes.segment(REPLY_KEY + "e8 01 0000"), 0);
        assertEquals(
                "MPA reply rev=1 markers CRC reject res=0x8 pd=0",
                frame.describe(new StringBuilder()).toString());
    }
}
