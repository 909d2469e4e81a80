package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The two DDP headers and the RDMAP headers, byte by byte. */
class SegmentHeadersTest {
    @Test
    void tagged_written_hasTheBytesOfTheFigure() {
        // RFC 5041 sections 4.1 [10] and 4.2 [1]: T, STag, TO in network order. RFC 5040 section 4.1 [2, 8]: version 1.
        byte[] bytes = new byte[DdpTagged.LENGTH];
        DdpTagged header = new DdpTagged().wrap(MemorySegment.ofArray(bytes), 0);
        header.control(RdmapOpcode.READ_RESPONSE, true).stag(0xcafe0001).to(0x0102030405060708L);
        assertEquals("c142" + "cafe0001" + "0102030405060708", Bytes.text(bytes));
        assertEquals(0xcafe0001, header.stag());
        assertEquals(0x0102030405060708L, header.to());
        assertEquals(
                "ReadResponse last stag=0xcafe0001 to=0x0102030405060708",
                header.describe(new StringBuilder()).toString());
    }

    @Test
    void untagged_written_hasTheBytesOfTheFigure() {
        // RFC 5041 section 4.3 [1]: T clear; RFC 5040 section 4.1 [3]: the STag to invalidate in the reserved word.
        byte[] bytes = new byte[DdpUntagged.LENGTH];
        DdpUntagged header = new DdpUntagged().wrap(MemorySegment.ofArray(bytes), 0);
        header.control(RdmapOpcode.SEND_SE_INVALIDATE, false)
                .invalidateStag(0x11223344)
                .qn(0)
                .msn(0xffffffff)
                .mo(0xfffffffeL);
        assertEquals("0146" + "11223344" + "00000000" + "ffffffff" + "fffffffe", Bytes.text(bytes));
        assertEquals(-1, header.msn());
        assertEquals(0xfffffffeL, header.mo());
        assertEquals(
                "Send SE Inv 0x11223344 qn=0 msn=4294967295 mo=4294967294",
                header.describe(new StringBuilder()).toString());
    }

    @Test
    void controlFields_changedOneByOne_leaveTheOthers() {
        byte[] bytes = new byte[DdpTagged.LENGTH];
        DdpTagged header = new DdpTagged().wrap(MemorySegment.ofArray(bytes), 0);
        header.control(RdmapOpcode.WRITE, false).l(true).dv(3).rv(2).opcode(RdmapOpcode.READ_RESPONSE);
        assertTrue(header.t());
        assertTrue(header.l());
        assertEquals(3, header.dv());
        assertEquals(2, header.rv());
        assertEquals(RdmapOpcode.READ_RESPONSE, header.opcode());
        header.l(false);
        assertFalse(header.l());
        assertEquals(0x83, header.ddpControl());
    }

    @Test
    void controlBytes_reservedBits_areReadableAndDoNotDisturb() {
        assertEquals(0xf, DdpControl.rsvd(0x3c));
        assertEquals(0, DdpControl.dv(0x3c));
        assertFalse(DdpControl.t(0x3c));
        assertEquals(3, RdmapControl.rsv(0x73));
        assertEquals(1, RdmapControl.rv(0x73));
        assertEquals(RdmapOpcode.SEND, RdmapControl.opcode(0x73));
    }

    @Test
    void readRequest_written_hasTheBytesOfTheFigure() {
        // RFC 5040 section 4.4 [1]: sink first, then the size, then the source.
        byte[] bytes = new byte[ReadRequest.LENGTH];
        ReadRequest header = new ReadRequest().wrap(MemorySegment.ofArray(bytes), 0);
        header.sinkStag(1).sinkTo(2).rdmardsz(0xffffffffL).srcStag(3).srcTo(-1);
        assertEquals("00000001" + "0000000000000002" + "ffffffff" + "00000003" + "ff".repeat(8), Bytes.text(bytes));
        assertEquals(0xffffffffL, header.rdmardsz());
        assertEquals(
                "sink=0x00000001+0x0000000000000002 size=4294967295 src=0x00000003+0xffffffffffffffff",
                header.describe(new StringBuilder()).toString());
    }

    @Test
    void atomicRequest_written_hasTheBytesOfTheFigure() {
        // RFC 7306 section 5.2.1, Fig. 4: 52 bytes, the operation in the last four bits of the first word.
        byte[] bytes = new byte[AtomicRequest.LENGTH];
        AtomicRequest header = new AtomicRequest().wrap(MemorySegment.ofArray(bytes), 0);
        header.aOpCode(AtomicOpcode.CMP_SWAP)
                .requestIdentifier(5)
                .remoteStag(6)
                .remoteTo(8)
                .addOrSwapData(9)
                .addOrSwapMask(-1)
                .compareData(10)
                .compareMask(11);
        assertEquals(
                "00000002" + "00000005" + "00000006" + "0000000000000008" + "0000000000000009" + "ff".repeat(8)
                        + "000000000000000a" + "000000000000000b",
                Bytes.text(bytes));
        assertEquals(11, header.compareMask());
        assertTrue(header.describe(new StringBuilder()).toString().startsWith("CmpSwap id=5 stag=0x00000006"));
    }

    @Test
    void atomicRequest_reservedBitsSet_operationStillRead() {
        // RFC 7306 section 5.2.1 [note]: the reserved bits are ignored on receipt.
        byte[] bytes = new byte[AtomicRequest.LENGTH];
        AtomicRequest header = new AtomicRequest().wrap(MemorySegment.ofArray(bytes), 0);
        assertEquals(AtomicOpcode.FETCH_ADD, header.operationWord(0xfffffff0).aOpCode());
        assertEquals(AtomicOpcode.UNSUPPORTED, header.operationWord(1).aOpCode());
    }

    @Test
    void atomicResponse_written_isTwelveBytes() {
        // RFC 7306 section 5.2.2, Fig. 6.
        byte[] bytes = new byte[AtomicResponse.LENGTH];
        AtomicResponse header = new AtomicResponse().wrap(MemorySegment.ofArray(bytes), 0);
        header.originalRequestIdentifier(0x80000000).originalRemoteDataValue(0x0102030405060708L);
        assertEquals("80000000" + "0102030405060708", Bytes.text(bytes));
        assertEquals(
                "id=2147483648 value=0x0102030405060708",
                header.describe(new StringBuilder()).toString());
    }

    @Test
    void immediateData_written_isEightBytes() {
        // RFC 7306 section 6.2.
        byte[] bytes = new byte[ImmediateData.LENGTH];
        ImmediateData header = new ImmediateData().wrap(MemorySegment.ofArray(bytes), 0);
        header.immediateData(0x0102030405060708L);
        assertEquals("0102030405060708", Bytes.text(bytes));
        assertEquals(
                "data=0x0102030405060708", header.describe(new StringBuilder()).toString());
    }

    @Test
    void everyHeader_fits_atItsLengthAndNotBelow() {
        assertTrue(DdpTagged.fits(14) && !DdpTagged.fits(13));
        assertTrue(DdpUntagged.fits(18) && !DdpUntagged.fits(17));
        assertTrue(ReadRequest.fits(28) && !ReadRequest.fits(27));
        assertTrue(AtomicRequest.fits(52) && !AtomicRequest.fits(51));
        assertTrue(AtomicResponse.fits(12) && !AtomicResponse.fits(11));
        assertTrue(ImmediateData.fits(8) && !ImmediateData.fits(7));
        assertTrue(Terminate.fits(4) && !Terminate.fits(3));
        assertTrue(MpaStartFrame.fits(20) && !MpaStartFrame.fits(19));
        assertTrue(MpaEnhanced.fits(4) && !MpaEnhanced.fits(3));
        assertTrue(FpduHeader.fits(2) && !FpduHeader.fits(1));
        assertTrue(Marker.fits(4) && !Marker.fits(3));
    }
}
